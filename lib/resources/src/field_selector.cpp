#include <kubist/resources/selector.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

using util::cat;
using util::ErrorKind;

namespace {

/// Pieces between commas that no backslash escapes.
std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  terms.push_back(text.substr(begin));
  return terms;
}

util::Result<std::string> unescape(std::string_view value, std::string_view selector) {
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\\') {
      if (value[i] == '=' || value[i] == ',') {
        return util::fail(ErrorKind::invalid, cat("field selector \"", selector, "\": \"", value[i],
                                                  "\" in a value needs a backslash before it"));
      }
      text += value[i];
      continue;
    }
    ++i;
    if (i == value.size() || (value[i] != '\\' && value[i] != ',' && value[i] != '=')) {
      return util::fail(ErrorKind::invalid,
                        cat("field selector \"", selector,
                            "\": a backslash stands only before \",\", \"=\" and another one"));
    }
    text += value[i];
  }
  return text;
}

std::string escape(std::string_view value) {
  std::string text;
  for (char c : value) {
    if (c == '\\' || c == ',' || c == '=') {
      text += '\\';
    }
    text += c;
  }
  return text;
}

util::Result<FieldTerm> parse_term(std::string_view term, std::string_view selector) {
  auto equals = term.find('=');
  FieldTerm parsed;
  if (equals != std::string_view::npos && equals > 0) {
    parsed.negated = term[equals - 1] == '!';
    parsed.path = util::trim(term.substr(0, equals - (parsed.negated ? 1 : 0)));
  }
  if (parsed.path.empty() || parsed.path.find_first_of("! \t\r\n\\") != std::string::npos) {
    return util::fail(ErrorKind::invalid,
                      cat("field selector \"", selector, "\": \"", term, "\" is no comparison"),
                      "write PATH=VALUE or PATH!=VALUE, separated by commas");
  }
  std::string_view value = term.substr(equals + 1);
  if (!parsed.negated && value.starts_with('=')) {
    value.remove_prefix(1);
  }
  KUBIST_TRY(parsed.value, unescape(value, selector));
  return parsed;
}

}  // namespace

util::Result<std::vector<FieldTerm>> parse_field_selector(std::string_view text) {
  std::vector<FieldTerm> terms;
  for (std::string_view term : split_terms(text)) {
    if (util::trim(term).empty()) {
      continue;
    }
    KUBIST_TRY(FieldTerm parsed, parse_term(term, text));
    terms.push_back(std::move(parsed));
  }
  return terms;
}

std::string to_string(const std::vector<FieldTerm>& terms) {
  std::string text;
  for (const FieldTerm& term : terms) {
    text += cat(text.empty() ? "" : ",", term.path, term.negated ? "!=" : "=", escape(term.value));
  }
  return text;
}

}  // namespace kubist::resources
