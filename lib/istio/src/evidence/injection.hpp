#pragma once
#include <optional>
#include <string>
#include <vector>

#include <kubist/istio/evidence.hpp>
#include <kubist/resources/selector.hpp>

namespace kubist::istio {

/// The selectors of all injectors, parsed once. The configurations must outlive it.
class Injection {
 public:
  explicit Injection(const std::vector<WebhookConfig>& injectors);
  /// The configurations whose injector takes a pod without labels of its own in such a namespace.
  std::vector<const WebhookConfig*> takers(const data::Json& namespace_labels) const;

  struct Matcher {
    const WebhookConfig* config;
    resources::LabelSelector namespaces, objects;
    bool takes(const data::Json& namespace_labels, const data::Json& object_labels) const {
      return namespaces.matches(namespace_labels) && objects.matches(object_labels);
    }
  };
  const std::vector<Matcher>& matchers() const { return m_matchers; }

 private:
  std::vector<Matcher> m_matchers;
};

/// Two webhooks that take the same pod, which would be injected twice.
struct Overlap {
  std::string first, second;  ///< names of their configurations
  std::string example;        ///< labels of such a pod and its namespace
};
/// Nothing: there is too much to try. At most one a pair of configurations. As istioctl's analyzer
/// does (webhook.go), every combination of the labels that injection goes by is tried, and those of
/// the namespaces that exist.
std::optional<std::vector<Overlap>> overlaps(const std::vector<WebhookConfig>& injectors,
                                             const std::vector<NamespaceLabels>& namespaces);

}  // namespace kubist::istio
