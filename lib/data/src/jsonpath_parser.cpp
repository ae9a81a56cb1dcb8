#include <kubist/util/text.hpp>

#include "go_number.hpp"
#include "go_unquote.hpp"
#include "jsonpath_program.hpp"

namespace kubist::data {

using util::cat;
using util::ErrorKind;
using util::is_digit;
using util::Result;

namespace {

constexpr std::size_t k_max_template = std::size_t{64} * 1024;
constexpr std::size_t k_max_nesting = 50;  // unions and filters inside filters

using Path = std::vector<PathNode>;

bool is_word(char c) {
  return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_terminator(char c) {
  return std::string_view(" \t\r\n.,[]$@{}").find(c) != std::string_view::npos;
}

PathNode make(PathOp op, std::string name = {}) {
  PathNode node;
  node.op = op;
  node.name = std::move(name);
  return node;
}

PathNode make_literal(Json value) {
  PathNode node;
  node.literal = std::move(value);
  return node;
}

class Parser {
 public:
  Parser(std::string_view input, std::size_t nesting) : m_input(input), m_nesting(nesting) {}

  Result<std::vector<Path>> parse_template() {
    std::vector<Path> parts;
    while (m_at < m_input.size()) {
      const std::size_t open = std::min(m_input.find('{', m_at), m_input.size());
      if (open > m_at) {
        parts.push_back({make_literal(std::string(m_input.substr(m_at, open - m_at)))});
      }
      m_at = open;
      if (m_at < m_input.size()) {
        ++m_at;
        KUBIST_CHECK(parse_action(parts.emplace_back()));
      }
    }
    return parts;
  }

 private:
  tl::unexpected<util::Error> error(std::string_view message) const {
    return util::fail(ErrorKind::invalid,
                      cat("jsonpath \"", m_input, "\", column ", m_at + 1, ": ", message));
  }
  bool at(std::string_view prefix) const { return m_input.substr(m_at).starts_with(prefix); }
  char peek() const { return m_at < m_input.size() ? m_input[m_at] : '\0'; }

  Result<> parse_action(Path& path) {
    for (;;) {
      if (m_at >= m_input.size() || peek() == '\n' || peek() == '\r') {
        return error("unclosed action: } is missing");
      }
      const char c = peek();
      if (c == '}') {
        ++m_at;
        return {};
      }
      if (at("[?(")) {
        KUBIST_CHECK(parse_filter(path));
      } else if (at("..")) {
        KUBIST_CHECK(parse_recursive(path));
      } else if (c == ' ' || c == '@' || c == '$') {
        ++m_at;
      } else if (c == '[') {
        KUBIST_CHECK(parse_brackets(path));
      } else if (c == '"' || c == '\'') {
        KUBIST_CHECK(parse_quote(path));
      } else if (c == '.') {
        ++m_at;
        parse_field(path);
      } else if (c == '+' || c == '-' || is_digit(c)) {
        KUBIST_CHECK(parse_number(path));
      } else if (is_word(c)) {
        KUBIST_CHECK(parse_word(path));
      } else {
        return error(cat("unrecognized character '", util::printable({&c, 1}), "'"));
      }
    }
  }

  void parse_field(Path& path) {
    std::string name;
    while (m_at < m_input.size() && !is_terminator(m_input[m_at])) {
      if (m_input[m_at] == '\\' && m_at + 1 < m_input.size()) {
        ++m_at;
      }
      name += m_input[m_at++];
    }
    path.push_back(name == "*" ? make(PathOp::wildcard) : make(PathOp::field, std::move(name)));
  }

  Result<> parse_recursive(Path& path) {
    if (!path.empty() && path.back().op == PathOp::recursive) {
      return error("invalid multiple recursive descent");
    }
    m_at += 2;
    path.push_back(make(PathOp::recursive));
    if (is_word(peek())) {
      parse_field(path);
    }
    return {};
  }

  Result<> parse_number(Path& path) {
    const std::size_t start = m_at;
    m_at += peek() == '+' || peek() == '-' ? 1 : 0;
    while (is_digit(peek()) || peek() == '.') {
      ++m_at;
    }
    std::string_view text = m_input.substr(start, m_at - start);
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    if (const auto integer = util::parse_int(text)) {
      path.push_back(make_literal(*integer));
      return {};
    }
    const bool sane = text.find_first_of("0123456789") != text.npos &&
                      std::count(text.begin(), text.end(), '.') <= 1;
    const auto real = sane ? parse_double(text) : std::nullopt;
    if (!real) {
      return error(cat("cannot parse number ", text));
    }
    path.push_back(make_literal(*real));
    return {};
  }

  Result<> parse_word(Path& path) {
    const std::size_t start = m_at;
    while (m_at < m_input.size() && !is_terminator(m_input[m_at])) {
      ++m_at;
    }
    const std::string_view word = m_input.substr(start, m_at - start);
    if (word == "true" || word == "false") {
      path.push_back(make_literal(word == "true"));
    } else if (word == "range" || word == "end") {
      path.push_back(make(word == "range" ? PathOp::range : PathOp::end));
    } else {
      m_at = start;
      return error(cat("unrecognized identifier ", word, " (did you mean .", word, "?)"));
    }
    return {};
  }

  Result<> parse_quote(Path& path) {
    const char quote = peek();
    const std::size_t start = ++m_at;
    for (; m_at < m_input.size() && m_input[m_at] != '\n'; ++m_at) {
      if (m_input[m_at] == quote && m_input[m_at - 1] != '\\') {
        const auto text = go_unquote(m_input.substr(start, m_at - start), quote);
        if (!text) {
          return error("invalid escape in a quoted string");
        }
        ++m_at;
        path.push_back(make_literal(*text));
        return {};
      }
    }
    return error("unterminated quoted string");
  }

  /// Parses `{text}` on its own, as client-go does for the parts of brackets.
  Result<Path> parse_inner(std::string_view text) const {
    if (m_nesting >= k_max_nesting) {
      return error("nested too deep");
    }
    const std::string inner = cat("{", text, "}");
    KUBIST_TRY(std::vector<Path> parts, Parser(inner, m_nesting + 1).parse_template());
    return parts.empty() ? Path{} : std::move(parts.front());
  }

  Result<> parse_brackets(Path& path) {
    const std::size_t close = m_input.find_first_of("]\n", m_at);
    if (close == m_input.npos || m_input[close] == '\n') {
      return error("unterminated array: ] is missing");
    }
    std::string_view text = m_input.substr(m_at + 1, close - m_at - 1);
    if (text == "*") {
      text = ":";
    }
    if (text.find(',') != text.npos) {
      PathNode node = make(PathOp::union_of);
      for (const std::string& part : util::split(text, ',')) {
        KUBIST_TRY(Path inner, parse_inner(cat("[", util::trim(part), "]")));
        node.paths.push_back(std::move(inner));
      }
      path.push_back(std::move(node));
    } else if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') {
      KUBIST_TRY(Path inner, parse_inner(cat(".", text.substr(1, text.size() - 2))));
      path.insert(path.end(), std::make_move_iterator(inner.begin()),
                  std::make_move_iterator(inner.end()));
    } else {
      KUBIST_CHECK(parse_slice(path, text));
    }
    m_at = close + 1;
    return {};
  }

  Result<> parse_slice(Path& path, std::string_view text) {
    const std::vector<std::string> pieces = util::split(text, ':');
    PathNode node = make(PathOp::slice);
    if (pieces.size() > 3) {
      return error(cat("invalid array index ", text));
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].empty()) {
        continue;
      }
      const auto value = util::parse_int(pieces[i]);
      if (!value) {
        return error(cat("invalid array index ", text));
      }
      node.bounds[i] = {true, false, *value};
    }
    if (pieces.size() == 1) {
      if (node.bounds[0].value == std::numeric_limits<std::int64_t>::max()) {
        return error(cat("invalid array index ", text));
      }
      node.bounds[1] = {true, true, node.bounds[0].value + 1};
    }
    path.push_back(std::move(node));
    return {};
  }

  /// The end of "[?(...)]": a ) outside the one quoted string that a filter may have.
  std::size_t find_filter_end(std::size_t from) const {
    bool begun = false;
    bool ended = false;
    char pair = '\0';
    for (std::size_t i = from; i < m_input.size() && m_input[i] != '\n'; ++i) {
      const char c = m_input[i];
      if (c == '"' || c == '\'') {
        if (!begun) {
          begun = true;
          pair = c;
        } else if (c == pair && m_input[i - 1] != '\\') {
          ended = true;
        }
      } else if (c == ')' && begun == ended) {
        return i;
      }
    }
    return m_input.npos;
  }

  Result<> parse_filter(Path& path) {
    const std::size_t start = m_at + 3;
    const std::size_t close = find_filter_end(start);
    if (close == m_input.npos) {
      return error("unterminated filter");
    }
    if (!m_input.substr(close).starts_with(")]")) {
      m_at = close;
      return error("unclosed array, expected ]");
    }
    const std::string_view text = m_input.substr(start, close - start);
    // ^([^!<>=]+)([!<>=~]+)(.+?)$
    const std::size_t op = text.find_first_of("!<>=");
    const std::size_t right =
        op == text.npos ? text.npos : std::min(text.find_first_not_of("!<>=~", op), text.size());
    PathNode node = make(PathOp::filter, "exists");
    if (op == text.npos || op == 0 || right >= text.size()) {
      KUBIST_TRY(Path inner, parse_inner(text));
      node.paths = {std::move(inner)};
    } else {
      node.name = text.substr(op, right - op);
      constexpr std::array<std::string_view, 6> k_operators = {"<", ">", "==", "!=", "<=", ">="};
      if (std::find(k_operators.begin(), k_operators.end(), node.name) == k_operators.end()) {
        return error(cat("unrecognized filter operator ", node.name));
      }
      KUBIST_TRY(Path left_path, parse_inner(text.substr(0, op)));
      KUBIST_TRY(Path right_path, parse_inner(text.substr(right)));
      node.paths = {std::move(left_path), std::move(right_path)};
    }
    path.push_back(std::move(node));
    m_at = close + 2;
    return {};
  }

  std::string_view m_input;
  std::size_t m_nesting;
  std::size_t m_at = 0;
};

bool has(const Path& path, PathOp op) {
  return std::any_of(path.begin(), path.end(),
                     [op](const PathNode& node) { return node.op == op; });
}

}  // namespace

Result<std::shared_ptr<const JsonPath::Program>> parse_jsonpath(std::string_view text) {
  if (text.size() > k_max_template) {
    return util::fail(ErrorKind::invalid, "the jsonpath is longer than 64 KiB");
  }
  auto program = std::make_shared<JsonPath::Program>();
  program->text = text;
  KUBIST_TRY(program->parts, Parser(program->text, 0).parse_template());
  program->ends.resize(program->parts.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < program->parts.size(); ++i) {
    if (has(program->parts[i], PathOp::range)) {
      open.push_back(i);
    } else if (has(program->parts[i], PathOp::end)) {
      if (open.empty()) {
        return util::fail(ErrorKind::invalid,
                          cat("jsonpath \"", text, "\": {end} without {range}"));
      }
      program->ends[open.back()] = i;
      open.pop_back();
    }
  }
  if (open.size() > k_max_nesting) {
    return util::fail(ErrorKind::invalid, "jsonpath: ranges nested too deep");
  }
  return std::shared_ptr<const JsonPath::Program>(std::move(program));
}

}  // namespace kubist::data
