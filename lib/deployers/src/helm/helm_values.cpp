#include <kubist/data/memory.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "helm/helm_config.hpp"

// What of a chart comes from the item's imports.
namespace kubist::deployers {
namespace {

using util::cat;

constexpr std::size_t k_most_memory = std::size_t{64} << 20U;

tl::unexpected<util::Error> import_error(std::string_view reason, std::string message) {
  return util::fail(util::ErrorKind::invalid, std::move(message), "", std::string(reason));
}

}  // namespace

util::Result<std::optional<ChartLogin>> chart_login(const ChartSource& chart, const Json& imports) {
  if (chart.user_import.empty()) {
    return std::nullopt;
  }
  ChartLogin login;
  for (const auto& [name, text] : {std::pair(&chart.user_import, &login.user),
                                   std::pair(&chart.password_import, &login.password)}) {
    const Json* value = data::find_path(imports, {*name});
    if (value == nullptr) {
      return import_error("ImportNotFound",
                          cat("config.chart.loginFrom: there is no import ", *name));
    }
    if (!value->is_string()) {
      return import_error("InvalidImport",
                          cat("config.chart.loginFrom: import ", *name, " is no text"));
    }
    *text = value->get<std::string>();
  }
  return login;
}

util::Result<Json> helm_values(const HelmConfig& config, const Json& imports) {
  Json values = config.values;
  std::size_t bytes = 0;
  for (const ValueImport& one : config.values_from) {
    const Json* value = data::find_path(imports, {one.name});
    if (value == nullptr) {
      return import_error("ImportNotFound",
                          cat("config.valuesFrom: there is no import ", one.name));
    }
    if (one.path.empty() && !value->is_object()) {
      return import_error("InvalidImport", cat("config.valuesFrom: import ", one.name,
                                               " is no map, so it needs a path in the values"));
    }
    bytes += data::memory_of(*value);
    if (bytes > k_most_memory) {  // one import may be wanted at a thousand paths
      return import_error("InvalidImport", cat("config.valuesFrom: the values take more than ",
                                               k_most_memory >> 20U, " MiB"));
    }
    Json* at = &values;
    if (!one.path.empty()) {
      for (const std::string& key : util::split(one.path, '.')) {
        if (!at->is_object()) {
          *at = Json::object();
        }
        at = &(*at)[key];
      }
    }
    if (at->is_object() && value->is_object()) {
      at->update(*value, true);
    } else {
      *at = *value;
    }
  }
  return values;
}

}  // namespace kubist::deployers
