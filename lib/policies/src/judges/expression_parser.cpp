#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <kubist/policies/expression.hpp>
#include <kubist/util/caret.hpp>
#include <kubist/util/text.hpp>

namespace kubist::policies {

using util::cat;
using util::is_digit;
using util::Result;

namespace {

constexpr std::size_t k_max_length = 4096;
constexpr int k_max_depth = 32;

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name(char c) { return is_name_start(c) || is_digit(c) || c == '.'; }

}  // namespace

/// Writes nodes after their operands, so the last one is the whole.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const std::vector<std::string>& names)
      : m_text(text), m_known(names) {}

  Result<Expression> run() {
    skip_space();
    KUBIST_CHECK(disjunction());
    if (m_at != m_text.size()) {
      return wrong(m_at, m_text[m_at] == ')' ? "this parenthesis closes nothing"
                                             : "expected an operator or the end");
    }
    return std::move(m_made);
  }

 private:
  struct Part {
    std::size_t node = 0;
    bool condition = false;
    std::size_t start = 0;  ///< in the text
  };

  Result<Part> disjunction() {
    if (m_depth == k_max_depth) {
      return wrong(m_at, cat("deeper than ", k_max_depth, " levels"));
    }
    ++m_depth;
    KUBIST_TRY(Part all, conjunction());
    while (take("||")) {
      KUBIST_TRY(const Part more, conjunction());
      KUBIST_TRY(all, join("||", all, more, true, true));
    }
    --m_depth;
    return all;
  }

  Result<Part> conjunction() {
    KUBIST_TRY(Part all, comparison());
    while (take("&&")) {
      KUBIST_TRY(const Part more, comparison());
      KUBIST_TRY(all, join("&&", all, more, true, true));
    }
    return all;
  }

  Result<Part> comparison() {
    KUBIST_TRY(const Part left, sum());
    for (const std::string_view op : {"<=", ">=", "==", "!=", "<", ">"}) {
      if (take(op)) {
        KUBIST_TRY(const Part right, sum());
        return join(op, left, right, false, true);
      }
    }
    return left;
  }

  Result<Part> sum() {
    KUBIST_TRY(Part all, product());
    for (std::string_view op = take_any({"+", "-"}); !op.empty(); op = take_any({"+", "-"})) {
      KUBIST_TRY(const Part more, product());
      KUBIST_TRY(all, join(op, all, more, false, false));
    }
    return all;
  }

  Result<Part> product() {
    KUBIST_TRY(Part all, factor());
    for (std::string_view op = take_any({"*", "/"}); !op.empty(); op = take_any({"*", "/"})) {
      KUBIST_TRY(const Part more, factor());
      KUBIST_TRY(all, join(op, all, more, false, false));
    }
    return all;
  }

  Result<Part> factor() {
    const std::size_t start = m_at;
    if (const std::string_view op = take_any({"-", "!"}); !op.empty()) {
      if (m_depth == k_max_depth) {
        return wrong(start, cat("deeper than ", k_max_depth, " levels"));
      }
      ++m_depth;
      KUBIST_TRY(const Part of, factor());
      --m_depth;
      KUBIST_CHECK(expect(of, op == "!"));
      return add({op == "!" ? "!" : "negative", 0, "", of.node, 0}, op == "!", start);
    }
    if (take("(")) {
      KUBIST_TRY(Part inner, disjunction());
      if (!take(")")) {
        return wrong(m_at < m_text.size() ? m_at : start, m_at < m_text.size()
                                                              ? "expected an operator or `)`"
                                                              : "this parenthesis is not closed");
      }
      inner.start = start;
      return inner;
    }
    if (m_at < m_text.size() && (is_digit(m_text[m_at]) || m_text[m_at] == '.')) {
      return number();
    }
    return name();
  }

  Result<Part> number() {
    const std::size_t start = m_at;
    double value = 0;
    const char* begin = m_text.data() + m_at;
    const auto read = std::from_chars(begin, m_text.data() + m_text.size(), value);
    m_at += static_cast<std::size_t>(read.ptr - begin);
    if (read.ec != std::errc() || !std::isfinite(value) ||
        (m_at < m_text.size() && is_name(m_text[m_at]))) {
      return wrong(start, "not a decimal number");
    }
    skip_space();
    return add({"number", value, "", 0, 0}, false, start);
  }

  Result<Part> name() {
    const std::size_t start = m_at;
    std::size_t end = m_at;
    while (end < m_text.size() && is_name(m_text[end])) {
      ++end;
    }
    const std::string word(m_text.substr(start, end - start));
    if (word.empty()) {
      return wrong(start, "expected a number, a name or `(`");
    }
    if (std::find(m_known.begin(), m_known.end(), word) == m_known.end()) {
      return wrong(start, cat("nothing is called ", word, util::did_you_mean(word, m_known)));
    }
    m_at = end;
    skip_space();
    auto& names = m_made.m_names;
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      names.push_back(word);
    }
    return add({"name", 0, word, 0, 0}, false, start);
  }

  Result<Part> join(std::string_view op, const Part& left, const Part& right, bool of_conditions,
                    bool condition) {
    KUBIST_CHECK(expect(left, of_conditions));
    KUBIST_CHECK(expect(right, of_conditions));
    return add({std::string(op), 0, "", left.node, right.node}, condition, left.start);
  }

  Result<> expect(const Part& part, bool condition) const {
    if (part.condition == condition) {
      return {};
    }
    return wrong(part.start, condition ? "this is a number where a condition belongs: compare it"
                                       : "this is a condition where a number belongs");
  }

  Part add(Expression::Node node, bool condition, std::size_t start) {
    m_made.m_nodes.push_back(std::move(node));
    return {m_made.m_nodes.size() - 1, condition, start};
  }

  bool take(std::string_view op) {
    if (!m_text.substr(m_at).starts_with(op)) {
      return false;
    }
    m_at += op.size();
    skip_space();
    return true;
  }
  std::string_view take_any(std::array<std::string_view, 2> ops) {
    for (const std::string_view op : ops) {
      if (take(op)) {
        return op;
      }
    }
    return {};
  }
  void skip_space() {
    while (m_at < m_text.size() &&
           std::string_view(" \t\r\n").find(m_text[m_at]) != std::string_view::npos) {
      ++m_at;
    }
  }

  // Shows the line of the text that is at fault, however long the text is.
  tl::unexpected<util::Error> wrong(std::size_t at, std::string_view why) const {
    return util::caret_error("expression", m_text, at, why);
  }

  std::string_view m_text;
  const std::vector<std::string>& m_known;
  std::size_t m_at = 0;
  int m_depth = 0;
  Expression m_made;
};

util::Result<Expression> Expression::parse(std::string_view text,
                                           const std::vector<std::string>& names) {
  KUBIST_CHECK(util::check_length("expression", text, k_max_length));
  return ExpressionParser(text, names).run();
}

}  // namespace kubist::policies
