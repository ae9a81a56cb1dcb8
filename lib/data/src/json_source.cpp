#include "json_source.hpp"

#include <charconv>

#include <kubist/data/json_text.hpp>
#include <kubist/util/text.hpp>

#include "go_number.hpp"
#include "utf8.hpp"

namespace kubist::data {

using util::cat;
using util::ErrorKind;
using util::Result;

JsonSource::JsonSource(std::string_view text, const std::string& origin, const ReadOptions& options,
                       std::size_t offset, Mark at)
    : m_text(text),
      m_origin(origin),
      m_options(options),
      m_at(offset),
      m_token(offset),
      m_counted(offset),
      m_mark(at) {}

Mark JsonSource::mark() {
  for (; m_counted < m_token && m_counted < m_text.size(); ++m_counted) {
    const char c = m_text[m_counted];
    if (c == '\n') {
      ++m_mark.line;
      m_mark.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++m_mark.column;
    }
  }
  return m_mark;
}

tl::unexpected<util::Error> JsonSource::error(std::string message, std::string hint) {
  m_token = m_at;
  const Mark at = mark();
  return util::fail(ErrorKind::invalid, util::SourcePos{m_origin, at.line, at.column},
                    std::move(message), std::move(hint));
}

tl::unexpected<util::Error> JsonSource::unexpected(std::string_view wanted) {
  if (m_at >= m_text.size()) {
    return error(cat("the JSON text ends where ", wanted, " should be"),
                 "the file or reply is cut short, or a bracket is not closed");
  }
  const std::size_t length = std::max<std::size_t>(1, utf8_length(m_text.substr(m_at)));
  return error(
      cat("expected ", wanted, " but found '", util::printable(m_text.substr(m_at, length)), "'"),
      "text that begins with { is read as JSON: keys and strings need double quotes");
}

void JsonSource::skip_space() {
  while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n' ||
                                  m_text[m_at] == '\r' || m_text[m_at] == '\t')) {
    ++m_at;
  }
}

bool JsonSource::at_value() {
  skip_space();
  m_token = m_at;
  return m_at < m_text.size();
}

Result<> JsonSource::read_value(EventSink& sink) {
  m_open.clear();
  do {
    skip_space();
    KUBIST_CHECK(value(sink));
    KUBIST_CHECK(after_value(sink));
  } while (!m_open.empty());
  return {};
}

/// One scalar, or the opening of a container up to where its first value stands.
Result<> JsonSource::value(EventSink& sink) {
  for (;;) {
    m_token = m_at;
    const char c = peek();
    if (c == '{' || c == '[') {
      KUBIST_CHECK(c == '{' ? sink.begin_map({}) : sink.begin_list({}));
      m_open.push_back(c);
      ++m_at;
      skip_space();
      if (peek() == (c == '{' ? '}' : ']')) {
        return close(sink);
      }
      if (c == '{') {
        KUBIST_CHECK(key(sink));
      }
      continue;
    }
    if (c == '"') {
      std::string text;
      KUBIST_CHECK(string(text));
      return sink.scalar(Json(std::move(text)), {});
    }
    if (c == '-' || (c >= '0' && c <= '9')) {
      return number(sink);
    }
    switch (c) {
      case 't':
        return literal(sink, "true", true);
      case 'f':
        return literal(sink, "false", false);
      case 'n':
        return literal(sink, "null", nullptr);
      default:
        return unexpected("a value");
    }
  }
}

/// Closes what ends here and moves behind the comma, to the next value.
Result<> JsonSource::after_value(EventSink& sink) {
  while (!m_open.empty()) {
    skip_space();
    const bool map = m_open.back() == '{';
    if (peek() == ',') {
      ++m_at;
      skip_space();
      return map ? key(sink) : Result<>{};
    }
    if (peek() != (map ? '}' : ']')) {
      return unexpected(map ? "',' or '}'" : "',' or ']'");
    }
    KUBIST_CHECK(close(sink));
  }
  return {};
}

Result<> JsonSource::close(EventSink& sink) {
  m_token = m_at++;
  const bool map = m_open.back() == '{';
  m_open.pop_back();
  return map ? sink.end_map() : sink.end_list();
}

Result<> JsonSource::key(EventSink& sink) {
  m_token = m_at;
  if (peek() != '"') {
    return unexpected("a key in double quotes");
  }
  m_buffer.clear();
  KUBIST_CHECK(string(m_buffer));
  KUBIST_CHECK(sink.key(m_buffer, false));
  skip_space();
  if (peek() != ':') {
    return unexpected("':'");
  }
  ++m_at;
  skip_space();
  return {};
}

Result<> JsonSource::literal(EventSink& sink, std::string_view word, Json value) {
  if (!m_text.substr(m_at).starts_with(word)) {
    return unexpected("a value");
  }
  m_at += word.size();
  return sink.scalar(std::move(value), {});
}

Result<> JsonSource::number(EventSink& sink) {
  const std::size_t start = m_at;
  auto digits = [&] {
    const std::size_t first = m_at;
    while (peek() >= '0' && peek() <= '9') {
      ++m_at;
    }
    return m_at - first;
  };
  m_at += peek() == '-' ? 1 : 0;
  const bool zero = peek() == '0';
  const std::size_t whole_digits = digits();
  if (whole_digits == 0 || (zero && whole_digits > 1)) {
    return error("not a JSON number", "JSON numbers have no leading zeros");
  }
  bool whole = true;
  if (peek() == '.') {
    ++m_at;
    whole = false;
    if (digits() == 0) {
      return unexpected("a digit");
    }
  }
  if (peek() == 'e' || peek() == 'E') {
    ++m_at;
    whole = false;
    m_at += peek() == '-' || peek() == '+' ? 1 : 0;
    if (digits() == 0) {
      return unexpected("a digit");
    }
  }
  const char* first = m_text.data() + start;
  const char* last = m_text.data() + m_at;
  if (whole) {
    std::int64_t integer = 0;
    if (std::from_chars(first, last, integer).ec == std::errc{}) {
      return sink.scalar(Json(integer), {});
    }
  }
  const std::string text(m_text.substr(start, m_at - start));
  const auto real = parse_double(text);
  if (whole && m_options.big_integers == BigIntegers::reject &&
      (!real || go_json_number(*real) != text)) {
    m_at = start;
    return error(cat("the integer ", text.substr(0, 40), " does not fit in 64 bits"),
                 "quote it to keep it as text");
  }
  if (!real) {
    m_at = start;
    return error(cat("the number ", text.substr(0, 40), " is out of range"));
  }
  return sink.scalar(Json(*real), {});
}

Result<> JsonSource::string(std::string& out) {
  ++m_at;
  for (;;) {
    const std::size_t start = m_at;
    while (m_at < m_text.size()) {
      const auto byte = static_cast<unsigned char>(m_text[m_at]);
      if (byte == '"' || byte == '\\' || byte < 0x20) {
        break;
      }
      if (byte < 0x80) {
        ++m_at;
        continue;
      }
      const std::size_t length = utf8_length(m_text.substr(m_at));
      if (length == 0) {
        return error("a byte that is not UTF-8");
      }
      m_at += length;
    }
    out.append(m_text, start, m_at - start);
    if (m_at >= m_text.size()) {
      return unexpected("the end of a string");
    }
    if (m_text[m_at] == '"') {
      ++m_at;
      return {};
    }
    if (m_text[m_at] != '\\') {
      return error("a control character inside a string", "write it as \\n, \\t or \\u00XX");
    }
    KUBIST_CHECK(escape(out));
  }
}

Result<> JsonSource::escape(std::string& out) {
  ++m_at;
  constexpr std::string_view k_letters = "\"\\/bfnrt";
  constexpr std::string_view k_values = "\"\\/\b\f\n\r\t";
  const char c = peek();
  if (const auto i = k_letters.find(c); c != '\0' && i != k_letters.npos) {
    out += k_values[i];
    ++m_at;
    return {};
  }
  if (c != 'u') {
    return unexpected("an escape (one of \" \\ / b f n r t u)");
  }
  ++m_at;
  KUBIST_TRY(const unsigned first, hex4());
  if (first < 0xD800 || first > 0xDFFF) {
    append_utf8(out, first);
    return {};
  }
  constexpr char32_t k_replacement = 0xFFFD;  // as Go's reader does for halves of pairs
  const std::size_t second_at = m_at;
  if (first <= 0xDBFF && m_text.substr(m_at).starts_with("\\u")) {
    m_at += 2;
    KUBIST_TRY(const unsigned second, hex4());
    if (second >= 0xDC00 && second <= 0xDFFF) {
      append_utf8(out, 0x10000 + ((first - 0xD800) << 10U) + (second - 0xDC00));
      return {};
    }
    m_at = second_at;
  }
  append_utf8(out, k_replacement);
  return {};
}

Result<unsigned> JsonSource::hex4() {
  unsigned value = 0;
  const char* first = m_text.data() + m_at;
  const char* last = first + std::min<std::size_t>(4, m_text.size() - m_at);
  const auto [stop, ec] = std::from_chars(first, last, value, 16);
  if (ec != std::errc{} || stop != first + 4) {
    return unexpected("four hexadecimal digits");
  }
  m_at += 4;
  return value;
}

}  // namespace kubist::data
