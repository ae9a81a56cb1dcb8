// What nearly every file needs, parsed once a layer. Files still include what they use.
#pragma once
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "../../lib/data/include/kubist/data/json.hpp"
