#include "keep/label_limits.hpp"

#include <algorithm>
#include <array>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using util::cat;

namespace {

constexpr std::array<std::string_view, 5> k_descriptive{
    "app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/version",
    "app.kubernetes.io/component", "app.kubernetes.io/part-of"};
/// Without a domain, and yet webhooks of admission pass by a namespace that has it.
constexpr std::string_view k_unchecked = "control-plane";

bool is_below(std::string_view domain, std::string_view parent) {
  return domain == parent || domain.ends_with(cat(".", parent));
}

std::string_view domain_of(std::string_view key) {
  const auto slash = key.find('/');
  return slash == std::string_view::npos ? std::string_view{} : key.substr(0, slash);
}

bool is_free_key(std::string_view key) {
  const bool plain = key.find('/') == std::string_view::npos && key != k_unchecked;
  return plain || std::find(k_descriptive.begin(), k_descriptive.end(), key) != k_descriptive.end();
}

bool is_granted_key(const Json* patterns, std::string_view key) {
  return patterns != nullptr && !is_below(domain_of(key), "kubist.io") &&
         std::any_of(patterns->begin(), patterns->end(), [&](const Json& pattern) {
           const std::string text = pattern.is_string() ? pattern.get<std::string>() : "";
           return domain_of(text).empty() == domain_of(key).empty() && util::glob_match(text, key);
         });
}

std::string hint_for_keys(const engine::Node* project, const std::vector<std::string>& domains) {
  std::string hint =
      project == nullptr
          ? "Leave them out."
          : cat("Leave them out. An administrator can allow keys in spec.home.labels of Project ",
                project->key.name, '.');
  const auto any = [&](const char* parent) {
    return std::any_of(domains.begin(), domains.end(),
                       [&](const std::string& domain) { return is_below(domain, parent); });
  };
  if (any("istio.io")) {
    hint += " spec.injection sets Istio's labels.";
  }
  if (any("kubist.io")) {
    hint += " Those of kubist.io nobody can allow.";
  }
  return hint;
}

}  // namespace

util::Result<> check_home_labels(const engine::Node* project, const Json& spec) {
  const Json* patterns =
      project == nullptr ? nullptr : data::find_path(*project->object, {"spec", "home", "labels"});
  std::vector<std::string> refused_keys;
  std::vector<std::string> domains;
  for (const char* field : {"labels", "annotations"}) {
    for (const auto& [key, value] : data::object_at(spec, {field}).items()) {
      if (!is_free_key(key) && !is_granted_key(patterns, key)) {
        refused_keys.push_back(cat("spec.", field, "[\"", key, "\"]"));
        domains.emplace_back(domain_of(key));
      }
    }
  }
  if (refused_keys.empty()) {
    return {};
  }
  return util::fail(util::make_error(
      util::ErrorKind::invalid,
      cat(util::join(refused_keys, ", "),
          ": such keys can have power on the home cluster, and the Project does not allow ",
          refused_keys.size() == 1 ? "this one" : "these"),
      hint_for_keys(project, domains), "LabelNotAllowed"));
}

}  // namespace kubist::executors
