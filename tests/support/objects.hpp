#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/engine/node.hpp>
#include <kubist/util/base64.hpp>

/// Objects as tests of executors write them, and what they read of those that kubist wrote: on the
/// fake cluster and on real ones.
namespace kubist::testing {

using data::Json;

/// One YAML document as JSON; fails the test when it does not parse.
inline Json yaml(const std::string& text) {
  auto document = data::read_document("---\n" + text, "test");
  REQUIRE_MESSAGE(document, (document ? "" : document.error().to_string()));
  return document->value;
}

/// One of kubist's kinds.
inline Json object(const std::string& kind, const std::string& ns, const std::string& name,
                   Json spec = Json::object()) {
  Json made{{"apiVersion", "kubist.io/v1alpha1"},
            {"kind", kind},
            {"metadata", {{"name", name}}},
            {"spec", std::move(spec)}};
  if (!ns.empty()) {
    made["metadata"]["namespace"] = ns;
  }
  return made;
}

/// One of Kubernetes' core kinds, without a spec.
inline Json plain(const std::string& kind, const std::string& ns, const std::string& name) {
  Json made = object(kind, ns, name);
  made["apiVersion"] = "v1";
  made.erase("spec");
  return made;
}

/// A VirtualCluster on `cluster` that keeps namespace `where`.
inline Json virtual_cluster(const std::string& ns, const std::string& name,
                            const std::string& cluster, const std::string& where,
                            const Json& more = Json::object()) {
  Json spec{{"clusterRef", {{"name", cluster}}}, {"namespace", where}};
  spec.update(more);
  return object("VirtualCluster", ns, name, std::move(spec));
}

/// Of a VirtualCluster: its namespace has the label istio-injection.
inline Json in_the_mesh() { return {{"injection", {{"mode", "Sidecar"}}}}; }

/// A Secret with one entry, `value`.
inline Json secret(const std::string& ns, const std::string& name, const std::string& value) {
  Json made = plain("Secret", ns, name);
  made["data"] = {{"value", util::base64_encode(value)}};
  return made;
}

/// A minimal kubeconfig as JSON, for changing.
inline Json small_kubeconfig(const std::string& server, const Json& user = {{"token", "none"}}) {
  return {{"apiVersion", "v1"},
          {"kind", "Config"},
          {"current-context", "it"},
          {"clusters", Json::array({{{"name", "it"}, {"cluster", {{"server", server}}}}})},
          {"users", Json::array({{{"name", "it"}, {"user", user}}})},
          {"contexts",
           Json::array({{{"name", "it"}, {"context", {{"cluster", "it"}, {"user", "it"}}}}})}};
}

/// A part of a condition of the object's status; "" where there is no such condition.
inline std::string condition_part(const Json& live, const std::string& type,
                                  std::string_view part) {
  const Json* status = data::find_path(live, {"status"});
  const Json* found = status != nullptr ? engine::find_condition(*status, type) : nullptr;
  return found != nullptr ? std::string(data::string_at(*found, {part})) : std::string();
}
/// "True", "False", "Unknown", or "".
inline std::string condition(const Json& live, const std::string& type = "Ready") {
  return condition_part(live, type, "status");
}
inline std::string reason(const Json& live, const std::string& type = "Ready") {
  return condition_part(live, type, "reason");
}
inline std::string message(const Json& live, const std::string& type = "Ready") {
  return condition_part(live, type, "message");
}

}  // namespace kubist::testing
