#pragma once
#include <string>

#include <kubist/deployers/execution.hpp>

namespace kubist::deployers {

inline constexpr std::string_view k_execution_label = "kubist.io/execution";
inline constexpr std::string_view k_rendered_annotation = "kubist.io/rendered";

const kube::ApiResource& executions();
/// The label value that stands for an Execution's name.
std::string execution_label(std::string_view name);
Json execution_owner(const Json& execution);

/// The import values by name. Not_found, reason ImportNotFound: what is missing, and where.
/// Invalid, reason SecretNotAllowed: a Secret that executions may not read.
util::Result<Json> resolve_imports(World& world, const std::string& ns, const Json& spec);

/// The Execution's exports from those of its items: `values`, and which are public.
struct CollectedExports {
  Json values = Json::object();
  Json public_values = Json::object();
};
/// `by_item`: the exports of each item by its name. Invalid, reason ExportNotFound.
util::Result<CollectedExports> map_exports(const Json& spec, const Json& by_item);

}  // namespace kubist::deployers
