#pragma once
#include <stdexcept>
#include <string>

namespace kubist::data {

/// Of a value that is used against nlohmann's rules, such as a missing key of a const object: a
/// bug, but of one node, whose guard catches it. By default it ends the process, which serves
/// others.
[[noreturn]] inline void broken_json_rule(const char* rule) {
  throw std::logic_error(std::string("a JSON value is used against its rules: ") + rule);
}

}  // namespace kubist::data

#define JSON_ASSERT(rule) ((rule) ? void() : ::kubist::data::broken_json_rule(#rule))
#include <nlohmann/json.hpp>

namespace kubist::data {

/// The value that everything above the parsers works on. Object keys are sorted, as kubectl prints
/// them. Include this header rather than nlohmann's: it is precompiled for every layer.
using Json = nlohmann::json;

}  // namespace kubist::data
