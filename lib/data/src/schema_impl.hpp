#pragma once
#include <cstdint>
#include <deque>
#include <string>

#include <re2/re2.h>

#include <kubist/data/schema.hpp>

namespace kubist::data {

inline constexpr std::int64_t k_pattern_memory = std::int64_t{1} << 20U;

/// RE2: the engine that the API server's Go uses too, linear in the input. `memory` is the most
/// that it takes, with what it keeps of matches.
struct Pattern {
  explicit Pattern(std::string_view source, std::int64_t memory = k_pattern_memory)
      : text(source), regex(text, quiet(memory)) {}
  static re2::RE2::Options quiet(std::int64_t memory) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(memory);
    return options;
  }
  std::int64_t memory() const { return regex.options().max_mem(); }
  std::string text;
  re2::RE2 regex;
};

struct Schema::Impl {
  std::deque<SchemaNode> nodes;
  const SchemaNode* root = nullptr;
  std::int64_t pattern_memory = 0;
};

/// Is a string of that format? Unknown formats pass, as in the API server.
bool matches_format(std::string_view text, std::string_view format);

/// Fields that every object has, whatever its schema says.
inline bool is_object_field(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

}  // namespace kubist::data
