#pragma once
#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

#include "policy/place.hpp"

namespace kubist::policies {

/// Invalid, saying what to do instead: a step of Argo's that kubist has another way for.
util::Result<> check_refused(const data::Json& step, const std::string& where, const Place& place);

}  // namespace kubist::policies
