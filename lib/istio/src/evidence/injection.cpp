#include "evidence/injection.hpp"

#include <algorithm>
#include <set>

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/istio/labels.hpp>
#include <kubist/resources/selector.hpp>
#include <kubist/util/text.hpp>

namespace kubist::istio {

using data::Json;
using resources::LabelSelector;
using util::cat;

namespace {

// Every combination of values of two labels; "" leaves the label out.
std::vector<Json> combinations(const char* first, const std::set<std::string>& first_values,
                               const char* second, const std::set<std::string>& second_values) {
  std::vector<Json> all;
  for (const std::string& a : first_values) {
    for (const std::string& b : second_values) {
      Json labels = Json::object();
      if (!a.empty()) {
        labels[first] = a;
      }
      if (!b.empty()) {
        labels[second] = b;
      }
      all.push_back(std::move(labels));
    }
  }
  return all;
}

std::set<std::string> revisions_of(const std::vector<WebhookConfig>& injectors) {
  std::set<std::string> revisions{"", std::string(k_default_revision)};
  for (const WebhookConfig& config : injectors) {
    revisions.insert(config.revision);
    revisions.insert(config.tag);
  }
  return revisions;
}

// Labels of namespaces that the selectors ask for; the name by itself tells no two injectors apart.
void add_real(const std::vector<NamespaceLabels>& namespaces,
              const std::vector<Injection::Matcher>& matchers, std::vector<Json>& labels) {
  std::set<std::string> keys;
  for (const auto& matcher : matchers) {
    for (const auto& requirement : matcher.namespaces.requirements()) {
      keys.insert(requirement.key);
    }
  }
  keys.erase("kubernetes.io/metadata.name");
  std::set<Json> seen(labels.begin(), labels.end());
  for (const NamespaceLabels& each : namespaces) {
    Json projected = Json::object();
    for (const std::string& key : keys) {
      if (const auto value = each.labels.find(key); value != each.labels.end()) {
        projected[key] = *value;
      }
    }
    if (seen.insert(projected).second) {
      labels.push_back(std::move(projected));
    }
  }
}

/// What one label set is held against.
std::size_t steps_of(const std::vector<Injection::Matcher>& matchers) {
  std::size_t steps = 0;
  for (const auto& matcher : matchers) {
    for (const auto* selector : {&matcher.namespaces, &matcher.objects}) {
      for (const auto& requirement : selector->requirements()) {
        steps += 1 + requirement.values.size();
      }
    }
    ++steps;
  }
  return steps;
}

}  // namespace

// A selector that does not parse cannot have come from an API server: it takes nothing.
Injection::Injection(const std::vector<WebhookConfig>& injectors) {
  const Json all = Json::object();
  for (const WebhookConfig& config : injectors) {
    for (const Webhook& webhook : config.webhooks) {
      if (!webhook.name.ends_with(".istio.io")) {
        continue;
      }
      auto namespaces = LabelSelector::from_json(
          webhook.namespace_selector.is_null() ? all : webhook.namespace_selector);
      auto objects = LabelSelector::from_json(
          webhook.object_selector.is_null() ? all : webhook.object_selector);
      if (namespaces && objects) {
        m_matchers.push_back({&config, std::move(*namespaces), std::move(*objects)});
      }
    }
  }
}

std::vector<const WebhookConfig*> Injection::takers(const Json& namespace_labels) const {
  std::vector<const WebhookConfig*> found;
  const Json plain = Json::object();
  for (const Matcher& matcher : m_matchers) {
    if (matcher.takes(namespace_labels, plain) &&
        std::find(found.begin(), found.end(), matcher.config) == found.end()) {
      found.push_back(matcher.config);
    }
  }
  return found;
}

std::optional<std::vector<Overlap>> overlaps(const std::vector<WebhookConfig>& injectors,
                                             const std::vector<NamespaceLabels>& namespaces) {
  constexpr std::size_t k_most_steps = 200'000'000;  // a second or two
  const Injection injection(injectors);
  const auto& matchers = injection.matchers();
  const auto revisions = revisions_of(injectors);
  const std::size_t steps = steps_of(matchers);
  if (steps * namespaces.size() > k_most_steps) {
    return std::nullopt;
  }
  auto in_namespaces =
      combinations(k_injection_label, {"", "enabled", "disabled"}, k_revision_label, revisions);
  add_real(namespaces, matchers, in_namespaces);
  const auto on_pods =
      combinations(k_inject_label, {"", "true", "false"}, k_revision_label, revisions);
  if (steps * in_namespaces.size() * on_pods.size() > k_most_steps) {
    return std::nullopt;
  }
  std::vector<Overlap> found;
  std::set<std::pair<std::string, std::string>> told;
  for (const Json& where : in_namespaces) {
    for (const Json& pod : on_pods) {
      const Injection::Matcher* first = nullptr;
      for (const auto& matcher : matchers) {
        if (!matcher.takes(where, pod)) {
          continue;
        }
        if (first != nullptr && told.emplace(first->config->name, matcher.config->name).second) {
          found.push_back({first->config->name, matcher.config->name,
                           cat("a pod with labels ", data::to_json(pod),
                               " in a namespace with labels ", data::to_json(where))});
        }
        first = first == nullptr ? &matcher : first;
      }
    }
  }
  return found;
}

}  // namespace kubist::istio
