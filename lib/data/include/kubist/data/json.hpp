#pragma once
#include <nlohmann/json.hpp>

namespace kubist::data {

/// The value that everything above the parsers works on. Object keys are sorted, as kubectl prints
/// them. Include this header rather than nlohmann's: it is precompiled for every layer.
using Json = nlohmann::json;

}  // namespace kubist::data
