#pragma once
#include <cstddef>
#include <string>

#include <kubist/data/memory.hpp>
#include <kubist/istio/evidence.hpp>

/// What evidence takes of memory, in bytes: a server may be a member's, and fill it.
namespace kubist::istio {

template <class... Text>
std::size_t bytes_of_texts(const Text&... texts) {
  return (... + (sizeof(texts) + texts.size()));
}

inline std::size_t bytes_of(const std::string& name) { return bytes_of_texts(name); }
inline std::size_t bytes_of(const Crd& each) { return bytes_of_texts(each.name, each.reason); }
inline std::size_t selector_bytes(const Webhook& each) {
  return data::memory_of(each.namespace_selector) + data::memory_of(each.object_selector);
}
inline std::size_t bytes_of(const Webhook& each) {
  const WebhookTarget& target = each.target;
  return bytes_of_texts(each.name, target.url, target.ns, target.name, each.ca_bundle) +
         selector_bytes(each);
}
inline std::size_t bytes_of(const WebhookConfig& each) {
  std::size_t bytes = bytes_of_texts(each.name, each.revision, each.tag);
  for (const Webhook& webhook : each.webhooks) {
    bytes += bytes_of(webhook);
  }
  return bytes;
}
inline std::size_t bytes_of(const ControlPlane& each) {
  return bytes_of_texts(each.ns, each.name, each.revision, each.progress_reason, each.image_version,
                        each.label_version) +
         data::memory_of(each.selector);
}
inline std::size_t bytes_of(const ControlService& each) {
  return bytes_of_texts(each.ns, each.name, each.revision, each.external_name);
}
inline std::size_t bytes_of(const NodeAgent& each) {
  return bytes_of_texts(each.ns, each.name, each.image_version);
}
inline std::size_t bytes_of(const IstiodPod& each) {
  return bytes_of_texts(each.ns, each.name, each.revision, each.image_version, each.waiting,
                        each.message);
}
inline std::size_t bytes_of(const NamespaceLabels& each) {
  return bytes_of_texts(each.name, each.owner) + data::memory_of(each.labels);
}
inline std::size_t bytes_of(const SailObject& each) {
  return bytes_of_texts(each.kind, each.ns, each.name, each.state);
}
inline std::size_t bytes_of(const Proxy& each) {
  return bytes_of_texts(each.ns, each.pod, each.revision, each.version);
}

}  // namespace kubist::istio
