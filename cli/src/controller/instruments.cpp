#include "controller/instruments.hpp"

#include <algorithm>
#include <charconv>

#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

namespace kubist::cli {

using util::cat;

namespace {

std::string number(double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return {digits, end};
}

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || c == '"') {
      text += '\\';
    }
    text += c == '\n' ? "\\n" : std::string(1, c);
  }
  return text;
}

/// `a="x",b="y"`
std::string text_of(const Instruments::Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += cat(text.empty() ? "" : ",", name, "=\"", escaped(value), '"');
  }
  return text;
}

std::string sample(std::string_view name, const std::string& labels, const std::string& value) {
  return cat(name, labels.empty() ? "" : cat('{', labels, '}'), ' ', value, '\n');
}

std::string_view to_string(Instruments::Type type) {
  static constexpr util::Word<Instruments::Type> k_words[] = {
      {Instruments::Type::counter, "counter"},
      {Instruments::Type::gauge, "gauge"},
      {Instruments::Type::histogram, "histogram"}};
  return util::word_of(k_words, type);
}

}  // namespace

Instruments::Instruments(std::vector<Family> families) : m_families(std::move(families)) {
  for (const Family& family : m_families) {
    m_series[family.name];
  }
}

Instruments::Series& Instruments::series(std::string_view family, const Labels& labels) {
  return m_series.at(family)[text_of(labels)];
}

void Instruments::add(std::string_view family, const Labels& labels, double by) {
  const std::lock_guard lock(m_mutex);
  series(family, labels).value += by;
}

void Instruments::set(std::string_view family, const Labels& labels, double value) {
  const std::lock_guard lock(m_mutex);
  series(family, labels).value = value;
}

void Instruments::observe(std::string_view family, const Labels& labels, double value) {
  const auto of = std::find_if(m_families.begin(), m_families.end(),
                               [&](const Family& each) { return each.name == family; });
  const std::lock_guard lock(m_mutex);
  Series& one = series(family, labels);
  one.counts.resize(of->bounds.size() + 1);
  const auto bucket = std::lower_bound(of->bounds.begin(), of->bounds.end(), value);
  ++one.counts[static_cast<std::size_t>(bucket - of->bounds.begin())];
  one.value += value;
}

std::string Instruments::text() const {
  const std::lock_guard lock(m_mutex);
  std::string out;
  for (const Family& family : m_families) {
    const All& all = m_series.at(family.name);
    if (all.empty()) {
      continue;
    }
    out += cat("# HELP ", family.name, ' ', family.help, "\n# TYPE ", family.name, ' ',
               to_string(family.type), '\n');
    for (const auto& [labels, one] : all) {
      if (family.type != Type::histogram) {
        out += sample(family.name, labels, number(one.value));
        continue;
      }
      std::size_t count = 0;
      for (std::size_t i = 0; i < one.counts.size(); ++i) {
        count += one.counts[i];
        const std::string bound = i < family.bounds.size() ? number(family.bounds[i]) : "+Inf";
        out += sample(cat(family.name, "_bucket"),
                      cat(labels, labels.empty() ? "" : ",", "le=\"", bound, '"'),
                      std::to_string(count));
      }
      out += sample(cat(family.name, "_sum"), labels, number(one.value));
      out += sample(cat(family.name, "_count"), labels, std::to_string(count));
    }
  }
  return out;
}

}  // namespace kubist::cli
