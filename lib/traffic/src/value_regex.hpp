#pragma once
#include <string>
#include <vector>

#include <kubist/traffic/condition.hpp>

namespace kubist::traffic {

/// The test's value as a regular expression (RE2, over a whole value); `any` is what stands for one
/// character of a value that is not given.
std::string value_regex(const Test& test, std::string_view any = ".");

/// A regular expression over a whole Cookie header which says that all of these cookies pass their
/// tests, in any order; for one to three tests (three have six orders).
std::string cookies_regex(const std::vector<const Test*>& tests);

}  // namespace kubist::traffic
