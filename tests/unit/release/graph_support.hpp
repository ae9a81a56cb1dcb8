#pragma once
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/engine/graph.hpp>

namespace kubist::testing {

inline data::Json yaml(std::string_view text) {
  auto document = data::read_document("---\n" + std::string(text), "test");
  REQUIRE_MESSAGE(document, (document ? "" : document.error().to_string()));
  return document->value;
}

/// An object of namespace shop on a virtual cluster (empty: none), as the graph has it.
inline engine::Node node(const std::string& kind, const std::string& name,
                         const std::string& target, const std::string& spec,
                         const std::string& status = "{}") {
  data::Json object{
      {"apiVersion", "kubist.io/v1alpha1"},
      {"kind", kind},
      {"metadata",
       {{"name", name}, {"namespace", "shop"}, {"uid", name + "-uid"}, {"generation", 1}}},
      {"spec", yaml(spec)},
      {"status", yaml(status)}};
  if (!target.empty()) {
    object["spec"]["virtualClusterRef"] = {{"name", target}};
  }
  return engine::make_node(std::move(object));
}

/// A TrafficRoute that sends all to v1, and is Ready; `status`: more of it.
inline engine::Node traffic_route(const std::string& name, const std::string& target,
                                  const std::string& status = "") {
  return node("TrafficRoute", name, target,
              "{routes: [{weights: [{destination: web, version: v1}]}]}",
              "{observedGeneration: 1, conditions: [{type: Ready, status: 'True'}]" +
                  (status.empty() ? "" : ", " + status) + "}");
}

/// The one node of that kind and name on the virtual cluster.
inline const engine::Node& node_of(const engine::Graph& graph, const std::string& kind,
                                   const std::string& name) {
  const auto found = graph.find({"kubist.io", kind, "shop", name});
  REQUIRE(!found.empty());
  return graph[found.front()];
}

}  // namespace kubist::testing
