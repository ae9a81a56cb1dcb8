#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/jsonpath.hpp>

namespace kubist::data {

enum class PathOp { literal, field, slice, filter, wildcard, recursive, union_of, range, end };

/// One step of a path, or one piece of a template.
struct PathNode {
  PathOp op = PathOp::literal;
  std::string name;  ///< field, or the filter's operator ("exists", "==", ...)
  Json literal;
  struct Bound {
    bool known = false;
    bool derived = false;  ///< of "[3]": 3 + 1
    std::int64_t value = 0;
  };
  std::array<Bound, 3> bounds;               ///< start, end, step
  std::vector<std::vector<PathNode>> paths;  ///< union: each; filter: left and right
};

/// One `{...}` or the text between two of them.
struct JsonPath::Program {
  std::string text;
  std::vector<std::vector<PathNode>> parts;
  std::vector<std::size_t> ends;  ///< of a part that begins a range: its matching end, or none (0)
};

util::Result<std::shared_ptr<const JsonPath::Program>> parse_jsonpath(std::string_view text);

}  // namespace kubist::data
