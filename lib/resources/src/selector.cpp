#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/resources/selector.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

using data::Json;
using util::cat;
using util::ErrorKind;
using Operator = Requirement::Operator;

namespace {

/// Splits a selector into words and the symbols ! = == != ( ) , < >, as apimachinery's lexer does.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : m_text(text) {}

  std::string_view peek() {
    if (!m_peeked) {
      m_token = read();
      m_peeked = true;
    }
    return m_token;
  }
  std::string_view next() {
    std::string_view token = peek();
    m_peeked = false;
    return token;
  }
  /// A word, even where it is empty because a separator follows ("a=" or "a in (,b)").
  std::string_view word_or_empty() {
    std::string_view token = peek();
    return token.empty() || is_symbol(token.front()) ? std::string_view{} : next();
  }
  static bool is_symbol(char c) {
    return std::string_view("!=(),<>").find(c) != std::string_view::npos;
  }

 private:
  std::string_view read() {
    m_text = m_text.substr(std::min(m_text.find_first_not_of(" \t\r\n"), m_text.size()));
    if (m_text.empty()) {
      return {};
    }
    std::size_t length = 1;
    if (is_symbol(m_text.front())) {
      bool two = m_text.starts_with("==") || m_text.starts_with("!=");
      length = two ? 2 : 1;
    } else {
      length = std::min(m_text.find_first_of("!=(),<> \t\r\n"), m_text.size());
    }
    std::string_view token = m_text.substr(0, length);
    m_text.remove_prefix(length);
    return token;
  }

  std::string_view m_text;
  std::string_view m_token;
  bool m_peeked = false;
};

tl::unexpected<util::Error> wrong(std::string_view selector, const std::string& why) {
  return util::fail(ErrorKind::invalid, cat("label selector \"", selector, "\": ", why));
}

util::Result<> check(const Requirement& requirement, std::string_view selector) {
  if (std::string bad = check_qualified_name(requirement.key); !bad.empty()) {
    return wrong(selector, cat("the key \"", requirement.key, "\" ", bad));
  }
  bool numeric = requirement.op == Operator::greater || requirement.op == Operator::less;
  for (const std::string& value : requirement.values) {
    if (numeric && !util::parse_int(value)) {
      return wrong(selector, cat("\"", value, "\" is no integer"));
    }
    if (std::string bad = check_label_value(value); !bad.empty()) {
      return wrong(selector, cat("the value \"", value, "\" ", bad));
    }
  }
  return {};
}

util::Result<std::vector<std::string>> parse_set(Lexer& lexer, std::string_view selector) {
  if (lexer.next() != "(") {
    return wrong(selector, "\"in\" and \"notin\" need a list in parentheses");
  }
  std::vector<std::string> values;
  while (true) {
    values.emplace_back(lexer.word_or_empty());
    std::string_view separator = lexer.next();
    if (separator == ")") {
      break;
    }
    if (separator != ",") {
      return wrong(selector, separator.empty() ? std::string("a \")\" is missing")
                                               : cat("unexpected \"", separator, "\" in a list"));
    }
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

util::Result<Requirement> parse_requirement(Lexer& lexer, std::string_view selector) {
  Requirement requirement;
  bool negated = lexer.peek() == "!";
  if (negated) {
    lexer.next();
  }
  requirement.key = lexer.word_or_empty();
  if (requirement.key.empty()) {
    std::string_view got = lexer.peek();
    return wrong(selector, got.empty() ? std::string("a key is missing at its end")
                                       : cat("a key is missing before \"", got, '"'));
  }
  std::string_view op = lexer.peek();
  if (negated || op.empty() || op == ",") {
    requirement.op = negated ? Operator::does_not_exist : Operator::exists;
    return requirement;
  }
  lexer.next();
  if (op == "=" || op == "==" || op == "!=") {
    requirement.op = op == "!=" ? Operator::not_in : Operator::in;
    requirement.values = {std::string(lexer.word_or_empty())};
  } else if (op == "in" || op == "notin") {
    requirement.op = op == "in" ? Operator::in : Operator::not_in;
    KUBIST_TRY(requirement.values, parse_set(lexer, selector));
  } else if (op == ">" || op == "<") {
    requirement.op = op == ">" ? Operator::greater : Operator::less;
    requirement.values = {std::string(lexer.word_or_empty())};
  } else {
    return wrong(selector, cat("unexpected \"", op, "\" after the key \"", requirement.key, '"'));
  }
  return requirement;
}

bool matches_one(const Requirement& requirement, const Json& labels) {
  const Json* found = data::find_path(labels, {requirement.key});
  bool present = found != nullptr && found->is_string();
  std::string_view value = present ? found->get_ref<const std::string&>() : std::string_view{};
  bool listed = present && std::find(requirement.values.begin(), requirement.values.end(), value) !=
                               requirement.values.end();
  switch (requirement.op) {
    case Operator::exists:
      return present;
    case Operator::does_not_exist:
      return !present;
    case Operator::in:
      return listed;
    case Operator::not_in:
      return !listed;
    case Operator::greater:
    case Operator::less: {
      auto number = present ? util::parse_int(value) : std::nullopt;
      auto bound = util::parse_int(requirement.values.front());
      if (!number || !bound) {
        return false;
      }
      return requirement.op == Operator::greater ? *number > *bound : *number < *bound;
    }
  }
  return false;
}

std::string requirement_text(const Requirement& requirement) {
  switch (requirement.op) {
    case Operator::exists:
      return requirement.key;
    case Operator::does_not_exist:
      return cat('!', requirement.key);
    case Operator::greater:
      return cat(requirement.key, '>', requirement.values.front());
    case Operator::less:
      return cat(requirement.key, '<', requirement.values.front());
    case Operator::in:
    case Operator::not_in:
      break;
  }
  bool in = requirement.op == Operator::in;
  if (requirement.values.size() == 1) {
    return cat(requirement.key, in ? "=" : "!=", requirement.values.front());
  }
  return cat(requirement.key, in ? " in (" : " notin (", util::join(requirement.values, ","), ')');
}

std::optional<Operator> expression_operator(std::string_view name) {
  if (name == "In") {
    return Operator::in;
  }
  if (name == "NotIn") {
    return Operator::not_in;
  }
  if (name == "Exists") {
    return Operator::exists;
  }
  if (name == "DoesNotExist") {
    return Operator::does_not_exist;
  }
  return std::nullopt;
}

util::Result<Requirement> from_expression(const Json& expression, std::string_view selector) {
  Requirement requirement;
  requirement.key = data::string_at(expression, {"key"});
  std::string_view name = data::string_at(expression, {"operator"});
  auto op = expression_operator(name);
  if (!op) {
    return wrong(selector,
                 cat("unknown operator \"", name, '"',
                     util::did_you_mean(name, {"In", "NotIn", "Exists", "DoesNotExist"})));
  }
  requirement.op = *op;
  if (const Json* values = data::find_path(expression, {"values"}); values != nullptr) {
    for (const Json& value : *values) {
      requirement.values.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  bool wants_values = *op == Operator::in || *op == Operator::not_in;
  if (wants_values == requirement.values.empty()) {
    return wrong(selector, cat(name, wants_values ? " needs values" : " takes no values"));
  }
  std::sort(requirement.values.begin(), requirement.values.end());
  KUBIST_CHECK(check(requirement, selector));
  return requirement;
}

}  // namespace

util::Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  LabelSelector selector;
  Lexer lexer(text);
  if (lexer.peek().empty()) {
    return selector;
  }
  while (true) {
    KUBIST_TRY(Requirement requirement, parse_requirement(lexer, text));
    KUBIST_CHECK(check(requirement, text));
    selector.m_requirements.push_back(std::move(requirement));
    std::string_view separator = lexer.next();
    if (separator.empty()) {
      return selector;
    }
    if (separator != ",") {
      return wrong(text, cat("unexpected \"", separator, "\", expected a comma"));
    }
  }
}

util::Result<LabelSelector> LabelSelector::from_json(const Json& json) {
  LabelSelector selector;
  std::string text = json.dump();
  for (const auto& [key, value] : data::object_at(json, {"matchLabels"}).items()) {
    Requirement requirement{
        key, Operator::in, {value.is_string() ? value.get<std::string>() : value.dump()}};
    KUBIST_CHECK(check(requirement, text));
    selector.m_requirements.push_back(std::move(requirement));
  }
  for (const Json& expression : data::array_at(json, {"matchExpressions"})) {
    KUBIST_TRY(Requirement requirement, from_expression(expression, text));
    selector.m_requirements.push_back(std::move(requirement));
  }
  return selector;
}

bool LabelSelector::matches(const Json& labels) const {
  return std::all_of(m_requirements.begin(), m_requirements.end(),
                     [&](const Requirement& r) { return matches_one(r, labels); });
}

std::string label_text(const Json& labels) {
  std::vector<std::string> terms;
  for (const auto& [key, value] : labels.items()) {
    terms.push_back(cat(key, '=', value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return util::join(terms, ",");
}

std::string LabelSelector::to_string() const {
  std::vector<std::string> pieces;
  for (const Requirement& requirement : m_requirements) {
    pieces.push_back(requirement_text(requirement));
  }
  return util::join(pieces, ",");
}

}  // namespace kubist::resources
