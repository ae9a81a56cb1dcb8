#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/util/base64.hpp>

#include "execution/execution_parts.hpp"
#include "item/requests.hpp"

// What an item was when its Execution last succeeded is kept in a Secret beside it (its imports are
// in there, too).
namespace kubist::deployers {
namespace {

constexpr std::string_view k_item_key = "deployItem";
constexpr std::string_view k_imports_key = "importSecret";

util::Result<std::optional<Json>> find_secret(World& world, const std::string& ns,
                                              const std::string& name) {
  return world.home->find(kube::well_known::secrets(), ns, name, world.stop);
}

std::optional<std::string> value_at(const Json& secret, std::string_view key) {
  return data::find_path(secret, {"data", key}) != nullptr
             ? util::base64_decode(data::string_at(secret, {"data", key}))
             : std::nullopt;
}

// Nothing is taken from the kept Secret but values: who may write Secrets here may have written it.
LastItem read_last(const Json& kept) {
  LastItem last{json_or_null(value_at(kept, k_item_key).value_or("")), std::nullopt};
  if (const auto secret = value_at(kept, k_imports_key)) {
    last.imports = value_at(json_or_null(*secret), state::k_imports_key);
  }
  return last;
}

}  // namespace

util::Result<std::optional<LastItem>> find_last(World& world, const Json& deploy_item) {
  KUBIST_TRY(const auto kept,
             find_secret(world, ns_of(deploy_item), home_last_name(name_of(deploy_item))));
  return kept ? std::optional(read_last(*kept)) : std::nullopt;
}

util::Result<> keep_last(World& world, const ExecutionInput& input, const RenderedItem& item) {
  const std::string deploy_item = name_of(item.deploy_item);
  Json kept{{std::string(k_item_key), util::base64_encode(data::to_json(item.deploy_item))}};
  if (item.imports) {
    KUBIST_TRY(auto secret,
               find_secret(world, ns_of(item.deploy_item), home_import_name(deploy_item)));
    if (secret) {
      kept[std::string(k_imports_key)] =
          util::base64_encode(data::to_json({{"data", secret->value("data", Json::object())}}));
    }
  }
  KUBIST_CHECK(ensure_secret(
      world, {*world.home},
      internal_secret(owned_metadata(input, home_last_name(deploy_item)), std::move(kept))));
  return {};
}

}  // namespace kubist::deployers
