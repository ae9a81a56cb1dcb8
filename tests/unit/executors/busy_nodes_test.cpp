// Two runs are never at work on one node.
#include "session/busy_nodes.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "site.hpp"

using namespace site;
using engine::Cause;
using Asked = std::vector<std::pair<std::string, Cause>>;

namespace {

struct Tree {
  Tree() {
    put("Project", "", "shop");
    put("Cluster", "shop", "home");
    for (const char* name : {"a", "b"}) {
      put("VirtualCluster", "shop", name, {{"clusterRef", {{"name", "home"}}}});
    }
    put("Execution", "shop", "job", {{"virtualClusterRef", {{"name", "a"}}}});
  }
  void put(const std::string& kind, const std::string& ns, const std::string& name,
           const Json& spec = Json::object()) {
    objects[name] = object(kind, ns, name, spec);
    objects[name]["metadata"]["uid"] = name;
  }
  engine::Graph graph() const {
    std::vector<engine::Node> nodes;
    for (const auto& [name, each] : objects) {
      nodes.push_back(engine::make_node(each));
    }
    return engine::Graph::build(std::move(nodes));
  }
  std::vector<std::string> take(int run, const engine::Graph& graph,
                                const std::vector<engine::Key>& tops) {
    std::vector<engine::NodeId> ids;
    for (const engine::Key& top : tops) {
      ids.push_back(graph.find(top).at(0));
    }
    std::vector<std::string> names;
    for (const engine::NodeId id : busy.take(run, graph, ids)) {
      names.push_back(graph[id].key.name);
    }
    return names;
  }

  std::map<std::string, Json> objects;
  Asked asked;
  executors::BusyNodes busy{
      [this](const engine::Key& key, Cause cause) { asked.emplace_back(key.name, cause); }};
};

const engine::Key k_shop = key("Project", "", "shop");
const engine::Key k_job = key("Execution", "shop", "job");
const std::vector<std::string> k_none;

}  // namespace

TEST_CASE("busy nodes: what another run has is left out, and asked for when it has ended") {
  Tree tree;
  const engine::Graph graph = tree.graph();
  CHECK(tree.take(1, graph, {k_shop}) == k_none);
  tree.busy.ended(1, k_shop);
  tree.busy.ended(1, key("Cluster", "shop", "home"));
  tree.busy.ended(1, key("VirtualCluster", "shop", "a"));
  CHECK(tree.take(2, graph, {k_shop}) == std::vector<std::string>{"job", "b"});
  CHECK(tree.asked.empty());
  tree.busy.ended(1, k_job);
  CHECK(tree.asked == Asked{{"job", Cause::changed}});
  tree.busy.ended(1);
  CHECK(tree.asked == Asked{{"job", Cause::changed}, {"b", Cause::changed}});
}

TEST_CASE("busy nodes: who asks for a node that is busy hears when it has ended") {
  Tree tree;
  const engine::Graph graph = tree.graph();
  CHECK_FALSE(tree.busy.await(graph, k_job, Cause::drift));
  CHECK(tree.take(1, graph, {k_job}) == k_none);
  CHECK(tree.busy.await(graph, k_job, Cause::drift));
  CHECK_FALSE(tree.busy.await(graph, k_shop, Cause::drift));
  tree.busy.ended(1);
  CHECK(tree.asked == Asked{{"job", Cause::drift}});
  CHECK_FALSE(tree.busy.await(graph, k_job, Cause::drift));
}

TEST_CASE("busy nodes: a run that plans anew has what it had") {
  Tree tree;
  const engine::Graph graph = tree.graph();
  CHECK(tree.take(1, graph, {k_shop}) == k_none);
  CHECK(tree.take(1, graph, {k_shop}) == k_none);
}

TEST_CASE("busy nodes: what a changed plan left undone waits for no execution of its run") {
  Tree tree;
  const engine::Graph graph = tree.graph();
  CHECK(tree.take(1, graph, {k_shop}) == k_none);
  const engine::Key a = key("VirtualCluster", "shop", "a");
  tree.busy.ended(1, k_shop);
  tree.busy.ended(1, key("Cluster", "shop", "home"));
  tree.busy.ended(1, a, true);
  CHECK(tree.busy.take_outdated().empty());  // b is still worked on
  tree.busy.ended(1, key("VirtualCluster", "shop", "b"));
  CHECK(tree.busy.take_outdated() == std::vector{a});
  CHECK(tree.busy.take_outdated().empty());
  tree.busy.ended(1, k_job);
  tree.busy.ended(1);

  CHECK(tree.take(2, graph, {a}) == k_none);
  tree.busy.ended(2, a, true);
  CHECK(tree.take(2, graph, {a}) == k_none);  // it has planned anew
  tree.busy.ended(2, a);
  CHECK(tree.busy.take_outdated().empty());
}

TEST_CASE("busy nodes: of what goes, nothing is taken while something below is busy") {
  Tree tree;
  CHECK(tree.take(1, tree.graph(), {k_job}) == k_none);
  tree.objects["a"]["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  const engine::Graph graph = tree.graph();
  CHECK(tree.take(2, graph, {k_shop}) == std::vector<std::string>{"a"});
  CHECK(tree.take(3, graph, {key("VirtualCluster", "shop", "b")}) == std::vector<std::string>{"b"});
  tree.busy.ended(1);
  CHECK(tree.asked == Asked{{"a", Cause::deleted}});
  CHECK(tree.take(4, graph, {key("VirtualCluster", "shop", "a")}) == k_none);
}

TEST_CASE("busy nodes: of projects that others have nothing is taken, and nobody waits for it") {
  Tree tree;
  const engine::Graph graph = tree.graph();
  tree.busy.share();
  CHECK(tree.take(1, graph, {k_shop}) == std::vector<std::string>{"shop"});
  CHECK(tree.take(1, graph, {k_job}) == std::vector<std::string>{"job"});
  CHECK_FALSE(tree.busy.is_allowed(graph, k_job));
  CHECK(tree.busy.is_allowed(graph, key("Project", "", "unknown")));
  tree.busy.allow("shop");
  CHECK(tree.busy.is_allowed(graph, k_shop));
  CHECK(tree.take(1, graph, {k_shop}) == k_none);
  CHECK_FALSE(tree.busy.disallow("shop", {k_shop}));
  CHECK(tree.busy.is_allowed(graph, k_job));
  tree.busy.ended(1);
  CHECK(tree.asked.empty());
  CHECK(tree.busy.disallow("shop", {k_shop}));
  CHECK(tree.take(2, graph, {k_shop}) == std::vector<std::string>{"shop"});
}

TEST_CASE("busy nodes: what waits for a node of another run is asked for when that has ended") {
  Tree tree;
  const engine::Key home = key("Cluster", "shop", "home");
  const engine::Key a = key("VirtualCluster", "shop", "a");
  tree.objects.erase("a");
  tree.objects.erase("job");
  const engine::Graph before = tree.graph();
  tree.put("VirtualCluster", "shop", "a", {{"clusterRef", {{"name", "home"}}}});
  const engine::Graph graph = tree.graph();
  CHECK(tree.take(1, before, {home}) == k_none);
  CHECK(tree.take(2, graph, {a}) == k_none);
  tree.busy.ended(2);
  CHECK(tree.asked.empty());
  tree.busy.ended(1, home);
  CHECK(tree.asked == Asked{{"a", Cause::changed}});
  tree.busy.ended(1);
  // Its end may be later than what the run read of the tree, and sooner than its plan.
  tree.asked.clear();
  CHECK(tree.take(3, before, {home}) == k_none);
  tree.busy.begin(4);
  tree.busy.ended(3);
  CHECK(tree.take(4, graph, {a}) == k_none);
  CHECK(tree.asked == Asked{{"a", Cause::changed}});
  tree.busy.ended(4);
  // One that is ready lets it go on at once.
  tree.asked.clear();
  tree.objects["home"]["status"] = {{"conditions", {{{"type", "Ready"}, {"status", "True"}}}}};
  CHECK(tree.take(5, before, {home}) == k_none);
  CHECK(tree.take(6, tree.graph(), {a}) == k_none);
  tree.busy.ended(5);
  CHECK(tree.asked.empty());
}

TEST_CASE("busy nodes: a project has its share of the runs, and what is asked for some more") {
  Tree tree;
  const engine::Key b = key("VirtualCluster", "shop", "b");
  tree.put("Project", "", "other");
  std::vector<engine::Key> places;
  for (int i = 0; i < 33; ++i) {
    const std::string name = "place" + std::to_string(i);
    tree.put("VirtualCluster", "shop", name, {{"clusterRef", {{"name", "home"}}}});
    places.push_back(key("VirtualCluster", "shop", name));
  }
  const engine::Graph graph = tree.graph();
  for (int i = 0; i < 16; ++i) {
    REQUIRE_FALSE(tree.busy.await(graph, b, Cause::changed));
    REQUIRE(tree.take(i + 1, graph, {places[i]}) == k_none);
  }
  CHECK(tree.busy.await(graph, b, Cause::changed));
  CHECK_FALSE(tree.busy.await(graph, key("Project", "", "other"), Cause::changed));
  for (int i = 16; i < 32; ++i) {
    CHECK_FALSE(tree.busy.await(graph, b, i < 24 ? Cause::due : Cause::requested));
    REQUIRE(tree.take(i + 1, graph, {places[i]}) == k_none);
    REQUIRE((i < 23 || tree.busy.await(graph, key("Cluster", "shop", "home"), Cause::due)));
  }
  CHECK(tree.busy.await(graph, places[32], Cause::requested));
  // Whatever the run was asked for.
  CHECK(tree.take(33, graph, {key("VirtualCluster", "shop", "a")}) ==
        std::vector<std::string>{"a"});
  CHECK(tree.take(34, graph, {key("Project", "", "other")}) == k_none);
  CHECK(tree.asked.empty());
  tree.busy.ended(1, places[0]);
  CHECK(tree.asked == Asked{{"place32", Cause::requested}});
  tree.asked.clear();
  for (int i = 1; i < 9; ++i) {
    tree.busy.ended(i + 1);
  }
  CHECK(tree.asked == Asked{{"home", Cause::due}});
  tree.asked.clear();
  for (int i = 9; i < 17; ++i) {
    tree.busy.ended(i + 1);
  }
  CHECK(tree.asked == Asked{{"a", Cause::changed}, {"b", Cause::changed}});
}

TEST_CASE("busy nodes: what goes is taken with all below it, however many runs wait for items") {
  Tree tree;
  tree.put("VirtualCluster", "shop", "c", {{"clusterRef", {{"name", "home"}}}});
  for (int i = 0; i < 80; ++i) {
    tree.put("Execution", "shop", "job" + std::to_string(i),
             {{"virtualClusterRef", {{"name", "b"}}}});
  }
  tree.put("Execution", "shop", "last", {{"virtualClusterRef", {{"name", "c"}}}});
  tree.objects["c"]["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  const engine::Graph graph = tree.graph();
  for (int i = 0; i < 80; ++i) {
    REQUIRE(tree.take(i + 1, graph, {key("Execution", "shop", "job" + std::to_string(i))}) ==
            k_none);
  }
  REQUIRE(tree.busy.await(graph, key("Execution", "shop", "last"), Cause::requested));
  CHECK(tree.take(100, graph, {key("VirtualCluster", "shop", "c")}) == k_none);
}

TEST_CASE("busy nodes: runs that only wait for items have a share of their own") {
  Tree tree;
  const engine::Key b = key("VirtualCluster", "shop", "b");
  std::vector<engine::Key> jobs;
  for (int i = 0; i < 65; ++i) {
    const std::string name = "job" + std::to_string(i);
    tree.put("Execution", "shop", name, {{"virtualClusterRef", {{"name", "b"}}}});
    jobs.push_back(key("Execution", "shop", name));
  }
  const engine::Graph graph = tree.graph();
  for (int i = 0; i < 64; ++i) {
    REQUIRE_FALSE(tree.busy.await(graph, jobs[i], Cause::changed));
    REQUIRE(tree.take(i + 1, graph, {jobs[i]}) == k_none);
  }
  CHECK(tree.busy.await(graph, jobs[64], Cause::changed));
  CHECK_FALSE(tree.busy.await(graph, b, Cause::changed));
  // One with something else to do is at work, until that is done.
  for (int i = 0; i < 16; ++i) {
    REQUIRE_FALSE(tree.busy.await(graph, b, Cause::changed));
    const std::string name = "place" + std::to_string(i);
    tree.put("VirtualCluster", "shop", name, {{"clusterRef", {{"name", "home"}}}});
    tree.put("Execution", "shop", name + "-job", {{"virtualClusterRef", {{"name", name}}}});
    REQUIRE(tree.take(100 + i, tree.graph(), {key("VirtualCluster", "shop", name)}) == k_none);
  }
  CHECK(tree.busy.await(graph, b, Cause::drift));
  tree.busy.ended(100, key("VirtualCluster", "shop", "place0"));
  CHECK(tree.asked == Asked{{"b", Cause::drift}});
  tree.asked.clear();
  tree.busy.ended(1, jobs[0]);
  CHECK(tree.asked.empty());  // that run has come to wait instead
  tree.busy.ended(2, jobs[1]);
  CHECK(tree.asked == Asked{{"job64", Cause::changed}});
}

TEST_CASE("busy nodes: where many projects have runs, one that has none gets one") {
  Tree tree;
  std::vector<engine::Key> jobs;
  for (int i = 0; i < 160; ++i) {
    const std::string project = "p" + std::to_string(i / 16);
    tree.put("Project", "", project);
    tree.put("Execution", project, "job" + std::to_string(i));
    jobs.push_back(key("Execution", project, "job" + std::to_string(i)));
  }
  const engine::Graph graph = tree.graph();
  int run = 0;
  for (const engine::Key& job : jobs) {
    if (!tree.busy.await(graph, job, Cause::changed)) {
      tree.busy.begin(++run);
      tree.take(run, graph, {job});
    }
  }
  CHECK(run == 8 * 16 + 2);  // half of all, and one of each other project
  tree.asked.clear();
  tree.busy.ended(1);
  CHECK(tree.asked.empty());  // still more than half
  tree.busy.ended(2);
  tree.busy.ended(3);
  CHECK_FALSE(tree.asked.empty());
}

TEST_CASE("busy nodes: an end of a run asks for room once, however many keys wait for it") {
  Tree tree;
  tree.put("Project", "", "other");
  std::vector<engine::Key> jobs;
  for (int i = 0; i < 80; ++i) {
    tree.put("Execution", "shop", cat("job", i), {{"virtualClusterRef", {{"name", "b"}}}});
    jobs.push_back(key("Execution", "shop", cat("job", i)));
  }
  const engine::Graph graph = tree.graph();
  for (int i = 0; i < 80; ++i) {
    REQUIRE(tree.take(i + 1, graph, {jobs[i]}) == k_none);
  }
  constexpr std::array causes{Cause::changed, Cause::due, Cause::requested};
  int waiting = 0;
  for (int i = 0; i < 99'999; ++i) {
    waiting +=
        tree.busy.await(graph, key("DeployItem", "shop", cat("item", i)), causes[i % 3]) ? 1 : 0;
  }
  REQUIRE(waiting == 99'999);
  for (int i = 0; i < 100; ++i) {
    REQUIRE(tree.take(1000 + i, graph, {key("Project", "", "other")}) == k_none);
    tree.busy.ended(1000 + i);
  }
  CHECK(tree.asked.empty());
  int run = 0;
  std::set<std::string> told;
  const auto end_runs = [&](int last, Cause cause) {
    while (run < last) {
      REQUIRE(tree.asked.empty());
      tree.busy.ended(++run);
    }
    CHECK(tree.asked.size() == 33'333);
    CHECK(std::all_of(tree.asked.begin(), tree.asked.end(),
                      [&](const auto& each) { return each.second == cause; }));
    for (const auto& each : std::exchange(tree.asked, {})) {
      told.insert(each.first);
    }
  };
  end_runs(1, Cause::requested);
  end_runs(9, Cause::due);
  end_runs(17, Cause::changed);
  CHECK(told.size() == 99'999);
}
