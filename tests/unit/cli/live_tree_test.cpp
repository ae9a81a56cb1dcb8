// `kubist tree --watch`: the lines of a tree that changes.
#include "terminal/live_tree.hpp"

#include <doctest/doctest.h>

#include <kubist/engine/graph.hpp>
#include <kubist/util/text.hpp>

using namespace kubist;
using namespace kubist::cli;
using data::Json;
using util::cat;

namespace {

Json object_that_is(const std::string& kind, const std::string& name, const std::string& ready,
                    Json spec = Json::object()) {
  Json made{{"apiVersion", "kubist.io/v1alpha1"},
            {"kind", kind},
            {"metadata", {{"name", name}, {"uid", cat(kind, name)}, {"generation", 1}}},
            {"spec", std::move(spec)},
            {"status",
             {{"observedGeneration", 1},
              {"conditions", Json::array({{{"type", "Ready"},
                                           {"status", ready},
                                           {"reason", ready == "True" ? "Ready" : "Unreachable"},
                                           {"message", ready == "True" ? "" : "no answer"}}})}}}};
  if (kind != "Project") {
    made["metadata"]["namespace"] = "shop";
  }
  return made;
}

/// A project with a cluster, and these virtual clusters on it.
engine::Graph tree_with(const std::vector<std::pair<std::string, std::string>>& places) {
  std::vector<engine::Node> nodes{
      engine::make_node(object_that_is("Project", "shop", "True")),
      engine::make_node(object_that_is("Cluster", "home", "True", {{"home", true}}))};
  for (const auto& [name, ready] : places) {
    nodes.push_back(engine::make_node(
        object_that_is("VirtualCluster", name, ready, {{"clusterRef", {{"name", "home"}}}})));
  }
  return engine::Graph::build(std::move(nodes));
}

/// What is written for each state of the tree.
std::vector<std::string> live_texts(const std::vector<engine::Graph>& states,
                                    std::function<TerminalSize()> size = {}) {
  std::vector<std::string> texts;
  StringSink out;
  LiveTree live(out, false, std::move(size));
  std::size_t before = 0;
  for (const engine::Graph& graph : states) {
    live.show(graph, tree_rows(graph, graph.roots()));
    texts.push_back(out.text().substr(before));
    before = out.text().size();
  }
  return texts;
}

}  // namespace

TEST_CASE("live tree: elsewhere than on a terminal the tree once, then the lines that change") {
  const auto texts = live_texts(
      {tree_with({{"a", "True"}, {"b", "True"}}), tree_with({{"a", "True"}, {"b", "True"}}),
       tree_with({{"a", "True"}, {"b", "False"}}), tree_with({{"b", "False"}, {"c", "True"}})});
  CHECK(texts[0] ==
        "NAME                    READY  TREE  REASON  MESSAGE\n"
        "Project/shop            True   -\n"
        "└─ Cluster/home         True   -\n"
        "   ├─ VirtualCluster/a  True   -\n"
        "   └─ VirtualCluster/b  True   -\n");
  CHECK(texts[1].empty());
  CHECK(texts[2] == "VirtualCluster/shop/b  False  -  Unreachable  no answer\n");
  CHECK(texts[3] ==
        "VirtualCluster/shop/c  True  -\n"
        "VirtualCluster/shop/a  -     -  Deleted\n");
}

TEST_CASE("live tree: on a terminal it is drawn in place, cut to width and height") {
  TerminalSize size{30, 24};
  const auto texts =
      live_texts({tree_with({{"a", "True"}}), tree_with({{"a", "False"}})}, [&] { return size; });
  CHECK(texts[1].starts_with("\r\x1b[4A\x1b[JNAME"));
  CHECK(texts[1].find("   └─ VirtualCluster/a  False \n") != std::string::npos);

  std::vector<std::pair<std::string, std::string>> many;
  for (int i = 0; i < 20; ++i) {
    many.emplace_back(cat("vc", i + 10), i == 17 ? "False" : "True");
  }
  size = {80, 9};
  const std::string text = live_texts({tree_with(many)}, [&] { return size; })[0];
  CHECK(std::count(text.begin(), text.end(), '\n') == 8);
  CHECK(text.find("VirtualCluster/vc27") != std::string::npos);
  CHECK(text.find("VirtualCluster/vc26") == std::string::npos);
  CHECK(text.ends_with("and 16 more lines\n"));
}
