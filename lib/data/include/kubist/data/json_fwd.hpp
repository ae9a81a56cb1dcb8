#pragma once
#include <nlohmann/json_fwd.hpp>

namespace kubist::data {
using Json = nlohmann::json;
}
