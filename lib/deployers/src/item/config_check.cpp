#include "item/config_check.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::deployers {
namespace {

constexpr std::string_view k_upstream_suffix = ".deployer.landscaper.gardener.cloud";

}  // namespace

util::Error config_error(std::string message, std::string hint) {
  return util::make_error(util::ErrorKind::invalid, std::move(message), std::move(hint),
                          "InvalidConfiguration");
}

tl::unexpected<util::Error> refuse(std::string message, std::string hint) {
  return util::fail(config_error(std::move(message), std::move(hint)));
}

data::Schema config_schema(std::string_view text) {
  return data::Schema::compile(Json::parse(text)).value();
}

util::Result<> check_config(const Item& item, const data::Schema& schema,
                            std::string_view deployer) {
  const std::string_view written_for =
      resources::group_of(data::string_at(item.object, {"spec", "config", "apiVersion"}));
  if (written_for.ends_with(k_upstream_suffix) &&
      written_for != util::cat(deployer, k_upstream_suffix)) {
    return util::fail(config_error(util::cat("spec.config.apiVersion is of ", written_for,
                                             ", but the item's type is ", item.type)));
  }
  auto errors = schema.validate(item.config);
  if (errors.empty()) {
    return {};
  }
  return util::fail(util::with_reason(data::combine_errors(std::move(errors), "spec.config"),
                                      "InvalidConfiguration"));
}

}  // namespace kubist::deployers
