#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include <kubist/metrics/prometheus_text.hpp>
#include <kubist/util/text.hpp>

namespace kubist::metrics {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
}

std::string_view skip_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  return text;
}

std::string_view take_name(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && is_name(text[length])) {
    ++length;
  }
  const std::string_view name = text.substr(0, length);
  text.remove_prefix(length);
  return name;
}

std::string_view take_word(std::string_view& text) {
  text = skip_blanks(text);
  const auto end = std::find_if(text.begin(), text.end(), is_blank);
  const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(word.size());
  return word;
}

/// A quoted value; `unescaped` gets it where it had escapes. False: it does not end.
bool take_value(std::string_view& text, std::string_view& value,
                std::deque<std::string>& unescaped) {
  std::size_t end = 1;
  bool escapes = false;
  while (end < text.size() && text[end] != '"') {
    escapes = escapes || text[end] == '\\';
    end += text[end] == '\\' ? 2 : 1;
  }
  if (end >= text.size()) {
    return false;
  }
  value = text.substr(1, end - 1);
  text.remove_prefix(end + 1);
  if (!escapes) {
    return true;
  }
  std::string& plain = unescaped.emplace_back();
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char next = value[i] == '\\' ? value[i + 1] : '\0';
    if (next == '\\' || next == '"' || next == 'n') {
      plain += next == 'n' ? '\n' : next;
      ++i;
    } else {
      plain += value[i];
    }
  }
  value = plain;
  return true;
}

/// What stands between braces, with both; null or the fault.
const char* take_labels(std::string_view& text, Labels& labels,
                        std::deque<std::string>& unescaped) {
  text.remove_prefix(1);
  while (true) {
    text = skip_blanks(text);
    if (!text.empty() && text.front() == '}') {
      text.remove_prefix(1);
      return nullptr;
    }
    const std::string_view name = take_name(text);
    if (name.empty()) {
      return "a label's name or '}' is expected";
    }
    text = skip_blanks(text);
    if (text.empty() || text.front() != '=') {
      return "'=' is expected after a label's name";
    }
    text = skip_blanks(text.substr(1));
    std::string_view value;
    if (text.empty() || text.front() != '"' || !take_value(text, value, unescaped)) {
      return "a label's value in quotes is expected";
    }
    labels.emplace_back(name, value);
    text = skip_blanks(text);
    if (!text.empty() && text.front() == ',') {
      text.remove_prefix(1);
    } else if (text.empty() || text.front() != '}') {
      return "',' or '}' is expected after a label";
    }
  }
}

/// What may follow the value: a timestamp, and an exemplar of OpenMetrics.
bool is_tail(std::string_view text) {
  std::string_view word = take_word(text);
  double ignored = 0;
  if (!word.empty() && word != "#") {
    if (!parse_metric_value(word, ignored)) {
      return false;
    }
    word = take_word(text);
  }
  return word.empty() || word == "#";
}

}  // namespace

std::string_view label(const Labels& labels, std::string_view name) {
  const auto found = std::find_if(labels.begin(), labels.end(),
                                  [&](const auto& each) { return each.first == name; });
  return found == labels.end() ? std::string_view() : found->second;
}

bool parse_metric_value(std::string_view text, double& value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) {
      return false;
    }
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) {
    return false;
  }
  if (error == std::errc::result_out_of_range) {
    value = std::numeric_limits<double>::quiet_NaN();  // no counter is that large
    return true;
  }
  return error == std::errc();
}

PrometheusText::PrometheusText(Handler handler, std::size_t max_line)
    : m_handler(std::move(handler)),
      m_lines([this](std::string_view line) { return take(line); }, max_line) {}

util::Result<> PrometheusText::outcome() const {
  if (m_problem != nullptr) {
    return util::fail(util::ErrorKind::invalid,
                      util::cat("line ", m_line, " of the metrics: ", m_problem));
  }
  return {};
}

util::Result<> PrometheusText::feed(std::string_view bytes) {
  if (m_problem != nullptr || m_over) {
    return outcome();
  }
  KUBIST_CHECK(m_lines.feed(bytes));
  return outcome();
}

util::Result<> PrometheusText::finish() {
  if (m_problem == nullptr && !m_over) {
    m_lines.finish();
  }
  return outcome();
}

bool PrometheusText::take(std::string_view line) {
  ++m_line;
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  line = skip_blanks(line);
  if (line.empty() || line.front() == '#') {
    m_over = line == "# EOF";
    return !m_over;
  }
  m_labels.clear();
  m_unescaped.clear();
  const std::string_view name = take_name(line);
  if (name.empty()) {
    m_problem = "a metric's name is expected";
    return false;
  }
  line = skip_blanks(line);
  if (!line.empty() && line.front() == '{') {
    m_problem = take_labels(line, m_labels, m_unescaped);
    if (m_problem != nullptr) {
      return false;
    }
  }
  double value = 0;
  if (!parse_metric_value(take_word(line), value) || !is_tail(line)) {
    m_problem = "a number is expected after a metric's name and labels";
    return false;
  }
  m_handler({name, m_labels, value});
  return true;
}

}  // namespace kubist::metrics
