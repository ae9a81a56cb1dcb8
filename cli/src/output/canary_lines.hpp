#pragma once
#include <string>

#include <kubist/data/json.hpp>

namespace kubist::cli {

/// A CanaryRelease for people: its line, what moves and the steps, what each version answered at
/// this weight, and what each policy said last. Lines, each with its end; foreign text is
/// printable.
std::string canary_lines(const data::Json& release);
/// The same for programs: name, namespace, what moves, and the fields of its status that say where
/// it is and why.
data::Json canary_json(const data::Json& release);

}  // namespace kubist::cli
