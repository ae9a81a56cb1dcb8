#include <algorithm>
#include <optional>

#include <re2/re2.h>

#include <kubist/util/caret.hpp>
#include <kubist/util/text.hpp>

#include "condition_words.hpp"

namespace kubist::traffic {
namespace {

using util::cat;
using util::Result;

constexpr std::size_t k_max_length = 4096;
constexpr int k_max_depth = 32;
constexpr std::size_t k_max_alternatives = 64;
/// Envoy takes 1,024 bytes, and no route beside a longer one.
constexpr std::size_t k_max_name = 256;
/// Istio has Envoy refuse a regular expression of more than 32,768 instructions, and with it all
/// routes of the gateway (re2.max_program_size.error_level). Cookies are written in six orders.
constexpr std::size_t k_max_program = 10'000;
constexpr std::size_t k_cookie_orders = 6;

// Alternatives of tests: what is read is kept in this form at once, negations pushed to the tests.
using Alternatives = std::vector<Alternative>;

bool is_named(Part part) {
  return part == Part::header || part == Part::cookie || part == Part::query;
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : m_text(text) {}

  Result<Condition> run() {
    skip_space();
    if (m_at == m_text.size()) {
      return Condition{};
    }
    KUBIST_TRY(Alternatives alternatives, condition(false));
    if (m_at != m_text.size()) {
      return wrong(m_at, m_text[m_at] == ')' ? "this parenthesis closes nothing"
                                             : "expected `and`, `or` or the end");
    }
    return Condition{std::move(alternatives)};
  }

 private:
  // not (a or b) = not a and not b, so what `or` and `and` do depends on the negation around them.
  Result<Alternatives> condition(bool negated) {
    if (m_depth == k_max_depth) {
      return wrong(m_at, cat("deeper than ", k_max_depth, " parentheses"));
    }
    ++m_depth;
    KUBIST_TRY(Alternatives all, term(negated));
    for (std::size_t at = m_at; take_word("or"); at = m_at) {
      KUBIST_TRY(Alternatives more, term(negated));
      KUBIST_CHECK(add(all, std::move(more), negated, at));
    }
    --m_depth;
    return all;
  }

  Result<Alternatives> term(bool negated) {
    KUBIST_TRY(Alternatives all, factor(negated));
    for (std::size_t at = m_at; take_word("and"); at = m_at) {
      KUBIST_TRY(Alternatives more, factor(negated));
      KUBIST_CHECK(add(all, std::move(more), !negated, at));
    }
    return all;
  }

  Result<Alternatives> factor(bool negated) {
    while (take_word("not")) {
      negated = !negated;
    }
    const std::size_t start = m_at;
    if (!take('(')) {
      return test(negated);
    }
    KUBIST_TRY(Alternatives inner, condition(negated));
    if (!take(')')) {
      return wrong(m_at < m_text.size() ? m_at : start, m_at < m_text.size()
                                                            ? "expected `and`, `or` or `)`"
                                                            : "this parenthesis is not closed");
    }
    return inner;
  }

  Result<Alternatives> test(bool negated) {
    const std::size_t start = m_at;
    const std::string word = util::lower(take_any_word());
    const auto part = util::value_of(k_parts, word);
    if (!part) {
      return wrong(start, cat("expected `not`, `(` or one of uri, method, scheme, authority, port, "
                              "header, cookie, query",
                              util::did_you_mean(word, words(k_parts))));
    }
    Test test{.part = *part, .negated = negated, .column = start + 1};
    if (negated && test.part != Part::header && test.part != Part::cookie) {
      return wrong(start, cat("the mesh cannot test that ", word,
                              " does not match: `not` is for header and cookie"));
    }
    if (is_named(test.part)) {
      KUBIST_TRY(test.name, name_of(test.part));
    }
    KUBIST_CHECK(test.part == Part::port ? read_port(test) : read_operator(test));
    return Alternatives{{std::move(test)}};
  }

  Result<std::string> name_of(Part part) {
    const std::size_t at = m_at;
    KUBIST_TRY(std::string name, quoted("a name in quotes"));
    if (name.empty()) {
      return wrong(at, "the name is empty");
    }
    if (name.size() > k_max_name) {
      return wrong(at, cat("the name is longer than ", k_max_name, " bytes"));
    }
    if (part != Part::header) {
      return name;
    }
    name = util::lower(name);
    // VirtualService ignores these as header names: HTTPMatchRequest.headers in networking/v1.
    for (const std::string_view word : {"uri", "scheme", "method", "authority"}) {
      if (name == word) {
        return wrong(at, cat("the mesh ignores a header of this name: write `", word,
                             " exact \"...\"` for that part of the request"));
      }
    }
    if (name == "cookie") {
      return wrong(at, "write `cookie \"NAME\" exact \"...\"` for what the Cookie header holds");
    }
    if (!std::ranges::all_of(name, is_word_character)) {
      return wrong(at, "a header's name has letters, digits, `-` and `_` only");
    }
    return name;
  }

  Result<> read_port(Test& test) {
    const std::size_t at = m_at;
    test.value = take_any_word();
    const auto number = util::parse_int(test.value);
    if (!number || *number < 1 || *number > 65535) {
      return wrong(at, "expected a port from 1 to 65535");
    }
    return {};
  }

  Result<> read_operator(Test& test) {
    const std::size_t at = m_at;
    const std::string word = util::lower(take_any_word());
    const auto op = util::value_of(k_operators, word);
    if (!op || (*op == Operator::present && !is_named(test.part))) {
      return wrong(at, cat("expected exact, prefix",
                           is_named(test.part) ? ", regex or present" : " or regex",
                           util::did_you_mean(word, words(k_operators))));
    }
    test.op = *op;
    if (test.op == Operator::present) {
      return {};
    }
    const std::size_t value_at = m_at;
    KUBIST_TRY(test.value, quoted("a text in quotes"));
    return check_value(test, value_at);
  }

  Result<> check_value(const Test& test, std::size_t at) {
    if (test.value.empty()) {
      return wrong(at, is_named(test.part) ? "the text is empty: write `present` for any value"
                                           : "the text is empty");
    }
    if (test.op != Operator::regex) {
      return test.part == Part::uri && test.value.front() != '/'
                 ? Result<>(wrong(at, "a uri begins with `/`"))
                 : Result<>();
    }
    RE2::Options options;
    options.set_log_errors(false);
    if (const RE2 regex(test.value, options); !regex.ok()) {
      return wrong(at, cat("not a regular expression (RE2): ", regex.error()));
    } else {
      m_program += static_cast<std::size_t>(regex.ProgramSize()) *
                   (test.part == Part::cookie ? k_cookie_orders : 1);
    }
    return m_program <= k_max_program
               ? Result<>()
               : Result<>(wrong(at, cat("the regular expressions take more than ", k_max_program,
                                        " instructions, and proxies refuse large ones")));
  }

  // Both must hold: every alternative of one with every one of the other. Either: one after
  // another.
  Result<> add(Alternatives& all, Alternatives more, bool both, std::size_t at) const {
    const std::size_t count = both ? all.size() * more.size() : all.size() + more.size();
    if (count > k_max_alternatives) {
      return wrong(at, cat("written out these are more than ", k_max_alternatives,
                           " alternatives: split the route, or use a regex"));
    }
    if (!both) {
      std::ranges::move(more, std::back_inserter(all));
      return {};
    }
    Alternatives product;
    for (const Alternative& left : all) {
      for (const Alternative& right : more) {
        Alternative joined = left;
        std::ranges::copy_if(right, std::back_inserter(joined), [&](const Test& test) {
          return std::ranges::find(left, test) == left.end();
        });
        product.push_back(std::move(joined));
      }
    }
    all = std::move(product);
    return {};
  }

  Result<std::string> quoted(std::string_view what) {
    const std::size_t start = m_at;
    if (m_at == m_text.size() || (m_text[m_at] != '"' && m_text[m_at] != '\'')) {
      return wrong(m_at, cat("expected ", what));
    }
    const char quote = m_text[m_at++];
    std::string value;
    for (; m_at < m_text.size() && m_text[m_at] != quote; ++m_at) {
      if (m_text[m_at] == '\\' && m_at + 1 < m_text.size() &&
          (m_text[m_at + 1] == quote || m_text[m_at + 1] == '\\')) {
        ++m_at;
      }
      if (static_cast<unsigned char>(m_text[m_at]) < ' ') {
        return wrong(m_at, "a control character");
      }
      value += m_text[m_at];
    }
    if (m_at == m_text.size()) {
      return wrong(start, "this quote is not closed");
    }
    ++m_at;
    skip_space();
    return value;
  }

  template <class Table>
  static std::vector<std::string> words(const Table& table) {
    std::vector<std::string> names;
    for (const auto& entry : table) {
      names.emplace_back(entry.second);
    }
    return names;
  }

  bool take(char c) {
    if (m_at == m_text.size() || m_text[m_at] != c) {
      return false;
    }
    ++m_at;
    skip_space();
    return true;
  }
  std::string_view peek_word() const {
    std::size_t end = m_at;
    while (end < m_text.size() && is_word_character(m_text[end])) {
      ++end;
    }
    return m_text.substr(m_at, end - m_at);
  }
  std::string_view take_any_word() {
    const std::string_view word = peek_word();
    m_at += word.size();
    skip_space();
    return word;
  }
  bool take_word(std::string_view word) {
    if (!util::iequals(peek_word(), word)) {
      return false;
    }
    take_any_word();
    return true;
  }
  void skip_space() {
    while (m_at < m_text.size() &&
           std::string_view(" \t\r\n").find(m_text[m_at]) != std::string_view::npos) {
      ++m_at;
    }
  }

  // Shows the line of the text that is at fault, however long the text is.
  tl::unexpected<util::Error> wrong(std::size_t at, std::string_view why) const {
    return util::caret_error("condition", m_text, at, why);
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  int m_depth = 0;
  std::size_t m_program = 0;  ///< instructions of all regular expressions so far
};

}  // namespace

util::Result<Condition> parse_condition(std::string_view text) {
  KUBIST_CHECK(util::check_length("condition", text, k_max_length));
  return Parser(text).run();
}

}  // namespace kubist::traffic
