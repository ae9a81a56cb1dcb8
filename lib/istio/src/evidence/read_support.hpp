#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/resources/object.hpp>

/// What the readers of API objects share.
namespace kubist::istio {

std::optional<std::chrono::system_clock::time_point> time_of(std::string_view text);
/// Label istio.io/rev, or "default".
std::string revision_of(const resources::ObjectView& view);
/// The container of that name, also among the init containers; null: there is none.
const data::Json* container_named(const data::Json& pod_spec, std::string_view name);

}  // namespace kubist::istio
