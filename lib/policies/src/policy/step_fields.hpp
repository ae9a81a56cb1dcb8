#pragma once
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

#include "policy/place.hpp"

namespace kubist::policies {

using data::Json;

/// Invalid, naming `what` and the field, at its place: one that is not known. What is not known is
/// refused: a step left out would let through what it was to stop.
util::Result<> check_fields(const Json& object, std::span<const std::string_view> known,
                            const std::string& what, const Place& place);

/// "10m", or Argo's whole seconds; nothing: it is not there. Invalid: it is no duration.
util::Result<std::optional<std::chrono::seconds>> read_time(const Json& object,
                                                            std::string_view field,
                                                            const std::string& what,
                                                            const Place& place);

}  // namespace kubist::policies
