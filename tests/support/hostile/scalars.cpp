#include <algorithm>

#include "objects.hpp"
#include "values.hpp"
#include "words.hpp"

namespace kubist::testing {

namespace {

/// At most that many characters, none of them cut.
std::string shortened(std::string text, std::size_t most) {
  std::size_t count = 0, at = 0;
  while (at < text.size() && count < most) {
    do {
      ++at;
    } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
    ++count;
  }
  text.resize(at);
  return text;
}

}  // namespace

std::string_view HostileObjects::from_end(const Path& path, std::size_t back) {
  return path.size() > back ? std::string_view(path[path.size() - 1 - back]) : std::string_view();
}

const HostileObjects::Pattern& HostileObjects::pattern(const std::string& text) {
  const auto known = m_patterns.find(text);
  if (known != m_patterns.end()) {
    return known->second;
  }
  Pattern made{std::regex(text), {}};
  std::copy_if(plausible_texts().begin(), plausible_texts().end(), std::back_inserter(made.fitting),
               [&](const std::string& each) { return std::regex_search(each, made.wanted); });
  return m_patterns.emplace(text, std::move(made)).first->second;
}

std::string HostileObjects::reference(const Path& path) {
  static const std::map<std::string, Path, std::less<>> known{
      {"clusterRef", {"home", "home", "home", "far", "missing"}},
      {"virtualClusterRef", {"dev", "dev", "dev", "other", "missing"}},
      {"executor", {"trafficroute", "root", "missing", "destination", "evil"}},
      {"policyExecutor", {"trafficroute", "missing"}},
      {"kubeconfigSecretRef", {"secret", "kubeconfig", "missing"}},
      {"secretRef", {"secret", "kubeconfig", "missing"}}};
  static const std::map<std::string, Path, std::less<>> usual{
      {"destination", {"web"}},
      {"stable", {"v1"}},
      {"canary", {"v2"}},
      {"version", {"v1", "v2"}},
      {"route", {"web", "web-1", "web-2"}},
      {"routes", {"web", "web-1", "web-2"}}};
  const auto found = known.find(from_end(path, 1));
  if (found != known.end() && path.back() == "name" && !m_chance.one_in(10)) {
    return m_chance.of(found->second);
  }
  const auto word = usual.find(path.back());
  if (word != usual.end() && m_chance.percent(75)) {
    return m_chance.of(word->second);
  }
  const bool refers = path.back() == "dependsOn" || path.back() == "routes" ||
                      path.back() == "release" || path.back() == "gateways";
  if (!refers || m_others.empty() || m_chance.one_in(6)) {
    return {};
  }
  const std::string& other = m_chance.of(m_others);
  return path.back() == "dependsOn" ? other : other.substr(other.find('/') + 1);
}

Json HostileObjects::text(const Json& schema, const Path& path) {
  if (schema.contains("enum")) {
    const Json& words = schema["enum"];
    return words[m_chance.below(words.size())];
  }
  if (schema.value("format", "") == "date-time") {
    return hostile_time(m_chance);
  }
  std::string made = reference(path);
  if (const std::string wanted = schema.value("pattern", ""); !wanted.empty()) {
    made = made.empty() ? hostile_text_for(m_chance, path.back()) : made;
    const Pattern& held = pattern(wanted);
    const bool fits = made.size() < 500 && std::regex_search(made, held.wanted);
    made = fits || held.fitting.empty() ? made : m_chance.of(held.fitting);
  } else if (made.empty()) {
    made = hostile_text_for(m_chance, path.back());
  }
  made = shortened(std::move(made), schema.value("maxLength", std::size_t{1} << 20U));
  return made.empty() && schema.value("minLength", 0) > 0 ? "x" : made;
}

Json HostileObjects::number(const Json& schema) {
  const bool whole = schema.value("type", "") == "integer";
  const bool small = schema.value("format", "") == "int32";
  const double least = schema.value("minimum", small ? -2147483648.0 : -1e300);
  const double most = schema.value("maximum", small ? 2147483647.0 : 1e300);
  for (int tries = 0; tries < k_tries; ++tries) {
    Json made = hostile_number(m_chance);
    const double size = made.get<double>();
    if ((!whole || (made.is_number_integer() && size < 9.3e18)) && size >= least && size <= most &&
        !(whole && made.is_number_unsigned() && made.get<std::uint64_t>() >> 63U != 0)) {
      return made;
    }
  }
  const double some = std::max(least, std::min(most, 1.0));
  return whole ? Json(static_cast<std::int64_t>(some)) : Json(some);
}

}  // namespace kubist::testing
