#include <kubist/data/json_text.hpp>
#include <kubist/data/jsonpath.hpp>
#include <kubist/util/text.hpp>

#include "go_number.hpp"
#include "jsonpath_program.hpp"

namespace kubist::data {

using util::cat;
using util::ErrorKind;
using util::Result;

namespace {

using Values = std::vector<const Json*>;

class Evaluator {
 public:
  /// `most` bounds the work of templates like {..}{..}.
  Evaluator(const JsonPath::Program& program, MissingKeys missing, std::size_t most,
            JsonPathResult& result)
      : m_program(program), m_missing(missing), m_most(most), m_result(result) {}

  Result<> run(std::size_t first, std::size_t last, const Json& root) {
    for (std::size_t i = first; i < last; ++i) {
      const auto& part = m_program.parts[i];
      if (!part.empty() && part.front().op == PathOp::end) {
        continue;
      }
      KUBIST_TRY(Values values, walk(part, {&root}));
      if (part.empty() || part.front().op != PathOp::range) {
        m_result.groups.push_back(std::move(values));
        continue;
      }
      // Without its {end} a range goes to the end of the template, and what follows it is
      // evaluated once more for the object around it, as in client-go.
      const std::size_t end = m_program.ends[i];
      for (const Json* value : values) {
        KUBIST_CHECK(run(i + 1, end == 0 ? m_program.parts.size() : end, *value));
      }
      i = end == 0 ? i : end;
    }
    return {};
  }

 private:
  Result<Values> walk(const std::vector<PathNode>& path, Values values) {
    for (const PathNode& node : path) {
      KUBIST_TRY(values, step(node, values));
      m_produced += values.size() + 1;
      KUBIST_CHECK(check_room({}));
    }
    return values;
  }

  /// Steps that can find much more than they are given ask as they go.
  Result<> check_room(const Values& found) const {
    if (m_produced + found.size() > m_most) {
      return util::fail(ErrorKind::invalid, "the jsonpath selects too many values");
    }
    return {};
  }

  Result<Values> step(const PathNode& node, const Values& input) {
    switch (node.op) {
      case PathOp::literal:
        return literal(node, input);
      case PathOp::field:
        return field(node, input);
      case PathOp::slice:
        return slice(node, input);
      case PathOp::filter:
        return filter(node, input);
      case PathOp::wildcard:
        return wildcard(input);
      case PathOp::recursive:
        return recursive(input);
      case PathOp::union_of:
        return union_of(node, input);
      case PathOp::range:
        return input;
      case PathOp::end:
        return Values{};
    }
    return Values{};
  }

  /// Quoted text stands once; numbers and booleans once for each value.
  static Result<Values> literal(const PathNode& node, const Values& input) {
    return Values(node.literal.is_string() ? 1 : input.size(), &node.literal);
  }

  Result<Values> field(const PathNode& node, const Values& input) const {
    Values found;
    for (const Json* value : input) {
      if (value->is_object()) {
        if (const auto member = value->find(node.name); member != value->end()) {
          found.push_back(&*member);
        }
      }
    }
    if (found.empty() && !input.empty() && m_missing == MissingKeys::error) {
      return util::fail(ErrorKind::not_found, cat(node.name, " is not found"));
    }
    return found;
  }

  Result<Values> slice(const PathNode& node, const Values& input) const {
    Values found;
    for (const Json* value : input) {
      if (value->is_null()) {
        continue;
      }
      if (!value->is_array()) {
        return util::fail(ErrorKind::invalid, cat("a ", value->type_name(), " is no list"));
      }
      const auto size = static_cast<std::int64_t>(value->size());
      const auto& [low, high, by] = node.bounds;
      std::int64_t start = low.known ? low.value : 0;
      std::int64_t end = high.known ? high.value : size;
      start += start < 0 ? size : 0;
      end += end < 0 || (end == 0 && high.derived) ? size : 0;
      if (start == end) {
        return found;
      }
      KUBIST_CHECK(check_bounds(start, end, size));
      if (by.known && by.value <= 0) {
        return util::fail(ErrorKind::invalid, "the step of a slice must be greater than 0");
      }
      const std::int64_t step = std::min(by.known ? by.value : 1, size);
      for (std::int64_t i = start; i < end; i += step) {
        found.push_back(&(*value)[static_cast<std::size_t>(i)]);
      }
      KUBIST_CHECK(check_room(found));
    }
    return found;
  }

  static Result<> check_bounds(std::int64_t start, std::int64_t end, std::int64_t size) {
    if (start >= size || start < 0) {
      return util::fail(ErrorKind::invalid,
                        cat("array index out of bounds: index ", start, ", length ", size));
    }
    if (end > size || end < 0) {
      return util::fail(ErrorKind::invalid,
                        cat("array index out of bounds: index ", end - 1, ", length ", size));
    }
    if (start > end) {
      return util::fail(ErrorKind::invalid,
                        cat("starting index ", start, " is greater than ending index ", end));
    }
    return {};
  }

  Result<Values> wildcard(const Values& input) {
    Values found;
    for (const Json* value : input) {
      if (value->is_structured()) {
        for (const Json& child : *value) {
          found.push_back(&child);
        }
      } else if (value->is_string()) {  // its bytes, as Go sees a string
        for (char c : value->get_ref<const std::string&>()) {
          found.push_back(&m_result.storage.emplace_back(static_cast<unsigned char>(c)));
        }
      }
      KUBIST_CHECK(check_room(found));
    }
    return found;
  }

  /// The values themselves and all below that have children; strings count as having some.
  Result<Values> recursive(const Values& input) const {
    Values found;
    Values open;
    for (auto value = input.rbegin(); value != input.rend(); ++value) {
      open.push_back(*value);
    }
    // client-go appends the children of one value together, level inside level: depth first.
    while (!open.empty()) {
      const Json* value = open.back();
      open.pop_back();
      const bool text = value->is_string() && !value->get_ref<const std::string&>().empty();
      if (!text && (!value->is_structured() || value->empty())) {
        continue;
      }
      found.push_back(value);
      KUBIST_CHECK(check_room(found));
      if (value->is_structured()) {
        const std::size_t first = open.size();
        for (const Json& child : *value) {
          open.push_back(&child);
        }
        std::reverse(open.begin() + static_cast<std::ptrdiff_t>(first), open.end());
      }
    }
    return found;
  }

  Result<Values> union_of(const PathNode& node, const Values& input) {
    Values found;
    for (const auto& path : node.paths) {
      KUBIST_TRY(const Values part, walk(path, input));
      found.insert(found.end(), part.begin(), part.end());
    }
    return found;
  }

  Result<Values> filter(const PathNode& node, const Values& input) {
    Values found;
    for (const Json* value : input) {
      if (!value->is_array()) {
        return util::fail(ErrorKind::invalid,
                          cat("a ", value->type_name(), " is no list and cannot be filtered"));
      }
      for (const Json& item : *value) {
        KUBIST_TRY(const bool pass, matches(node, item));
        if (pass) {
          found.push_back(&item);
        }
      }
    }
    return found;
  }

  Result<bool> matches(const PathNode& node, const Json& item) {
    auto left = walk(node.paths[0], {&item});
    if (node.name == "exists") {
      return left && !left->empty();
    }
    if (!left) {
      return util::fail(std::move(left).error());
    }
    KUBIST_TRY(const Values right, walk(node.paths[1], {&item}));
    if (left->empty() || right.empty()) {
      return false;
    }
    if (left->size() > 1 || right.size() > 1) {
      return util::fail(ErrorKind::invalid, "a filter can only compare one element at a time");
    }
    return compare(node.name, *left->front(), *right.front());
  }

  static Result<bool> compare(std::string_view op, const Json& a, const Json& b) {
    const bool same_kind = (a.is_number() && b.is_number()) || (a.is_string() && b.is_string());
    const bool booleans = a.is_boolean() && b.is_boolean();
    if (!same_kind && !(booleans && (op == "==" || op == "!="))) {
      return util::fail(ErrorKind::invalid, cat("a filter cannot compare ", a.type_name(), " ", op,
                                                " ", b.type_name()));
    }
    if (op == "==") {
      return a == b;
    }
    if (op == "!=") {
      return a != b;
    }
    const bool less = a < b;
    const bool equal = a == b;
    if (op == "<") {
      return less;
    }
    if (op == "<=") {
      return less || equal;
    }
    return op == ">" ? !less && !equal : !less;
  }

  const JsonPath::Program& m_program;
  MissingKeys m_missing;
  std::size_t m_most;
  JsonPathResult& m_result;
  std::size_t m_produced = 0;
};

}  // namespace

std::vector<const Json*> JsonPathResult::values() const {
  std::vector<const Json*> all;
  for (const auto& group : groups) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

JsonPath::JsonPath(std::shared_ptr<const Program> program) : m_program(std::move(program)) {}

const std::string& JsonPath::text() const { return m_program->text; }

Result<JsonPath> JsonPath::compile(std::string_view text) {
  KUBIST_TRY(auto program, parse_jsonpath(text));
  return JsonPath(std::move(program));
}

Result<JsonPath> JsonPath::compile_relaxed(std::string_view text) {
  std::string_view path = util::trim(text);
  if (path.starts_with('{') && path.ends_with('}')) {
    path = path.substr(1, path.size() - 2);
  }
  path.remove_prefix(path.starts_with('.') ? 1 : 0);
  if (path.empty() || path.find_first_of("{}") != path.npos) {
    return util::fail(ErrorKind::invalid,
                      cat("\"", text, "\" is no path: expected the form .a.b, a.b or {.a.b}"));
  }
  return compile(cat(path.starts_with('[') ? "{" : "{.", path, "}"));
}

Result<JsonPathResult> JsonPath::find(const Json& root, MissingKeys missing,
                                      std::size_t most) const {
  JsonPathResult result;
  Evaluator evaluator(*m_program, missing, most, result);
  KUBIST_CHECK(evaluator.run(0, m_program->parts.size(), root));
  return result;
}

Result<> JsonPath::print(const Json& root, std::string& out, MissingKeys missing) const {
  KUBIST_TRY(const JsonPathResult result, find(root, missing, k_most_printed));
  for (const auto& group : result.groups) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      out.append(i > 0 ? 1 : 0, ' ');
      out += jsonpath_text(*group[i]);
    }
  }
  return {};
}

std::string jsonpath_text(const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_number_float()) {
    return go_general(value.get<double>());
  }
  std::string text;
  write_json(value, text, {0, 0, true});
  return text;
}

}  // namespace kubist::data
