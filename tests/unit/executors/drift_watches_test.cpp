// Whose node a mark of an owner wakes.
#include <set>

#include <doctest/doctest.h>

#include <kubist/executors/world.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "session/keepers.hpp"
#include "session/watch_room.hpp"
#include "session/watches.hpp"
#include "site.hpp"
#include "support/comes_true.hpp"
#include "support/no_threads.hpp"
#include "world/work.hpp"

using namespace site;
using namespace std::chrono_literals;

namespace {

/// Projects shop and blog, each with virtual clusters at home and far, by credentials of its own;
/// the watches follow their tree.
struct DriftSite : Site {
  DriftSite() {
    for (const char* name : {"shop", "blog"}) {
      make_project(name);
      virtual_cluster(name, "near");
      cluster(name, "far", kubeconfig(far->server(), {{"token", name}}));
      virtual_cluster(name, "away", Json::object(), "far");
      put("Destination", name, "web",
          {{"virtualClusterRef", {{"name", "near"}}}, {"ports", {{{"port", 80}}}}});
    }
    follow_run();
  }
  void follow_run() {
    executors::ReconcileOptions options;
    options.makes_as = [this](const auto& node, const auto& maker) {
      watches.makes_as(node, maker);
    };
    watches.follow(*run(options).graph);
  }
  Json mark(const std::string& owner) {
    return {{"metadata",
             {{"labels", {{"app.kubernetes.io/managed-by", "kubist"}}},
              {"annotations", {{resources::k_owner_annotation, cat(home->uid(), '/', owner)}}}}}};
  }
  /// A Service of that name, which is marked as `owner`'s, and then changed.
  void write_service(const std::shared_ptr<testing::FakeCluster>& where, const std::string& ns,
                     const std::string& name, const std::string& owner) {
    if (where->get("namespaces", ns).is_null()) {
      where->put(plain("Namespace", "", ns));
    }
    where->put(plain("Service", ns, name));
    where->patch("services", name, ns, kube::PatchType::merge, mark(owner));
    where->patch("services", name, ns, kube::PatchType::merge,
                 {{"metadata", {{"labels", {{"changed", "yes"}}}}}});
  }
  /// What it tells of until it tells of that owner, "NAMESPACE/NAME": of what a run made, too.
  std::set<std::string> told_until(const std::string& last, std::chrono::seconds most = 30s) {
    std::set<std::string> names;
    const auto end = std::chrono::steady_clock::now() + most;
    while (!names.contains(last) && std::chrono::steady_clock::now() < end) {
      for (const auto& [key, cause] : inbox.take(end, {})) {
        CHECK(cause == engine::Cause::drift);
        names.insert(cat(key.ns, '/', key.name));
      }
    }
    return names;
  }

  /// Changes the namespace until that is told: what the first listing of a watch shows is not.
  void await_watch(const std::shared_ptr<testing::FakeCluster>& where, const std::string& ns,
                   const std::string& node) {
    bool told = false;
    for (int turn = 0; !told && turn < 30; ++turn) {
      where->patch("namespaces", ns, "", kube::PatchType::merge,
                   {{"metadata", {{"labels", {{"turn", std::to_string(turn)}}}}}});
      told = told_until(node, 1s).contains(node);
    }
    REQUIRE(told);
  }

  executors::Inbox inbox;
  executors::Absences absences{[](const std::string&) {}, [](const executors::Sight&) {}};
  executors::WatchRoom room{absences};
  executors::WatchRoom cluster_room{absences};
  executors::DriftWatches watches{*session, {}, room, cluster_room, inbox, absences};
};

void check_honest(const std::set<std::string>& told, const std::string& wanted) {
  CHECK(told.contains(wanted));
  for (const std::string& each : told) {
    CHECK_MESSAGE(each.find("forged") == std::string::npos, each);
  }
}

}  // namespace

TEST_CASE("drift watches: a mark wakes no node of a project that keeps nothing there") {
  DriftSite s;
  s.write_service(s.home, "blog-near", "a", "Destination.kubist.io/shop/forged-at-home");
  s.write_service(s.home, "blog", "b", "VirtualCluster.kubist.io/shop/forged-in-project");
  s.write_service(s.home, "blog-near", "c", "Project.kubist.io//forged-project");
  s.write_service(s.home, "default", "d", "Destination.kubist.io/shop/forged-in-nobodys");
  s.write_service(s.home, "shop-near", "e", "Destination.kubist.io/shop/own");
  check_honest(s.told_until("shop/own"), "shop/own");

  s.write_service(s.far, "blog-away", "a", "Destination.kubist.io/shop/forged-far");
  s.write_service(s.far, "blog-away", "b", "Project.kubist.io//forged-project");
  s.write_service(s.far, "shop-near", "c", "Destination.kubist.io/shop/forged-namesake");
  s.write_service(s.far, "shop-away", "d", "Destination.kubist.io/shop/own-far");
  check_honest(s.told_until("shop/own-far"), "shop/own-far");
}

TEST_CASE("drift watches: a namespace wakes whose it is, at a target nobody else") {
  DriftSite s;
  s.await_watch(s.far, "shop-away", "shop/away");
  s.far->patch("namespaces", "blog-away", "", kube::PatchType::merge,
               s.mark("VirtualCluster.kubist.io/shop/forged"));
  s.far->remove("namespaces", "blog-away");
  s.far->remove("namespaces", "shop-away");
  check_honest(s.told_until("shop/away"), "shop/away");
  s.home->remove("namespaces", "shop");
  CHECK(s.told_until("/shop").contains("/shop"));
}

TEST_CASE("drift watches: an object whose mark is overwritten wakes whom it named") {
  DriftSite s;
  s.write_service(s.home, "shop-near", "a", "Destination.kubist.io/shop/own");
  REQUIRE(s.told_until("shop/own").contains("shop/own"));
  s.home->patch("services", "a", "shop-near", kube::PatchType::merge,
                s.mark("Destination.kubist.io/blog/theirs"));
  CHECK(s.told_until("shop/own").contains("shop/own"));
}

TEST_CASE("drift watches: what the owner's node writes of its own wakes nobody") {
  DriftSite s;
  const std::string owner = "Destination.kubist.io/shop/own";
  s.write_service(s.home, "shop-near", "a", owner);
  REQUIRE(s.told_until("shop/own").contains("shop/own"));
  s.write_service(s.home, "shop-near", "m", "Destination.kubist.io/shop/between");
  REQUIRE(s.told_until("shop/between").contains("shop/between"));  // all of before is told
  kube::Writer::Rules rules;
  rules.field_manager = executors::field_manager(cat(s.home->uid(), '/', owner));
  Json service = plain("Service", "shop-near", "a");
  service["metadata"]["labels"] = {{"own", "yes"}};
  const auto home = s.home->connect();
  REQUIRE(kube::Writer(rules).apply({*home}, kube::well_known::services(), service));
  s.write_service(s.home, "shop-near", "b", "Destination.kubist.io/shop/next");
  const auto told = s.told_until("shop/next");
  CHECK(told.contains("shop/next"));
  CHECK_FALSE(told.contains("shop/own"));  // others may be, where the far cluster is listed late

  SUBCASE("but what somebody else adds") {
    s.home->patch("services", "a", "shop-near", kube::PatchType::merge,
                  {{"metadata", {{"labels", {{"added", "yes"}}}}}});
  }
  SUBCASE("but what somebody else takes away") {
    s.home->patch("services", "a", "shop-near", kube::PatchType::merge,
                  {{"metadata", {{"labels", {{"own", nullptr}}}}}});
  }
  CHECK(s.told_until("shop/own").contains("shop/own"));
}

TEST_CASE("drift watches: a mark with a name that no object has is nobody's") {
  DriftSite s;
  const std::string longest(kube::k_longest_name, 'x');
  s.write_service(s.home, "shop-near", "a", cat("Destination.kubist.io/shop/forged", longest));
  s.write_service(s.home, "shop-near", "b", cat("Destination.kubist.io/shop/", longest));
  const auto told = s.told_until("shop/" + longest);
  check_honest(told, "shop/" + longest);
}

TEST_CASE(
    "drift watches: a kind is watched by what a status says only where an executor is named") {
  const auto kinds_of = [](const Json& spec) {
    Json node = object("Destination", "shop", "web", spec);
    node["status"]["inventory"] = {{{"group", ""}, {"kind", "Secret"}}};
    node["status"]["executor"]["inventory"] = {{{"group", ""}, {"kind", "Event"}}};
    std::vector<engine::Node> nodes;
    nodes.push_back(engine::make_node(node));
    std::set<std::string> kinds;
    const auto graph = engine::Graph::build(std::move(nodes));
    for (const auto& [kind, projects] : executors::kept_kinds(graph)) {
      CHECK(projects == (kind.second == "Secret" || kind.second == "Event"
                             ? std::set<std::string>{"shop"}
                             : std::set<std::string>{}));
      kinds.emplace(kind.second);
    }
    return kinds;
  };
  CHECK(kinds_of(Json::object()) == std::set<std::string>{"DestinationRule", "Service"});
  CHECK(kinds_of({{"executor", {{"name", "theirs"}}}}) ==
        std::set<std::string>{"DestinationRule", "Event", "Secret", "Service"});
}

TEST_CASE("drift watches: of a status so much counts, and what its executor made only with one") {
  DriftSite s;
  executors::Absences absences;
  executors::DriftWatches watches{*s.session, {}, s.room, s.cluster_room, s.inbox, absences};
  const auto keepers_of = [&](const Json& spec) {
    Json node = object("Destination", "shop", "web", spec);
    Json made = Json::array();
    for (int i = 0; i < 3000; ++i) {
      made.push_back({{"kind", "Namespace"}, {"name", cat("ns", i)}});
    }
    node["status"]["executor"]["inventory"] = made;
    std::vector<engine::Node> nodes;
    nodes.push_back(engine::make_node(node));
    const auto graph = engine::Graph::build(std::move(nodes));
    watches.follow(graph);
    watches.follow(graph);  // nothing is told twice
    return executors::find_keepers(graph, *s.session)[s.session->home_client().get()].size();
  };
  CHECK(keepers_of(Json::object()) == 0);
  CHECK(absences.take({}).empty());
  CHECK(keepers_of({{"executor", {{"name", "theirs"}}}}) == 2000);
  CHECK(
      absences.take({}) ==
      std::vector<std::string>{
          "Destination.kubist.io/shop/web: changes by others of what its inventory has beyond 2000 "
          "objects are noticed only by the resync (docs/reference/limits.md)"});
}

TEST_CASE("drift watches: a project has places for its clusters, and others have their own") {
  DriftSite s;
  executors::Absences absences;
  executors::WatchRoom room{absences};
  executors::WatchRoom cluster_room{absences, {1, 10, "kinds and clusters"}};
  executors::DriftWatches watches{*s.session, {}, room, cluster_room, s.inbox, absences};
  watches.follow(*s.run().graph);
  const auto told = [](const std::string& project) {
    return cat("project namespace ", project,
               ": changes by others of objects beyond 1 kinds and clusters of one project are "
               "noticed only by the resync (docs/reference/limits.md)");
  };
  std::vector<std::string> lines = absences.take({});
  std::ranges::sort(lines);
  CHECK(lines == std::vector<std::string>{told("blog"), told("shop")});
}

TEST_CASE("drift watches: one of several projects pays for a watch only while it is among them") {
  DriftSite s;
  executors::WatchRoom room{s.absences};
  executors::WatchRoom cluster_room{s.absences};
  executors::DriftWatches watches{*s.session, {}, room, cluster_room, s.inbox, s.absences};
  // What each has left of 64 places.
  const auto left = [](executors::WatchRoom& at, const char* project) {
    std::vector<executors::WatchRoom::Seat> seats;
    while (seats.empty() || seats.back()) {
      seats.push_back(at.take(project));
    }
    return seats.size() - 1;
  };
  const auto follow = [&] {
    const auto graph = s.run().graph;
    s.session->keep_only(*graph);
    watches.follow(*graph);
  };
  s.cluster("blog", "far", Site::kubeconfig(s.far->server(), {{"token", "shop"}}));
  follow();
  const std::size_t unpaid = left(cluster_room, "blog");
  REQUIRE(unpaid < 64);
  REQUIRE(left(cluster_room, "shop") == 64);
  SUBCASE("its Cluster has gone") {
    s.home->remove("virtualclusters.kubist.io", "away", "blog");
    s.home->remove("clusters.kubist.io", "far", "blog");
    s.settle();
    follow();
    CHECK(testing::comes_true([&] { return left(cluster_room, "blog") == 64; }));
  }
  SUBCASE("its Cluster leads there by credentials of its own") {
    s.cluster("blog", "far", Site::kubeconfig(s.far->server(), {{"token", "blog"}}));
    follow();
  }
  CHECK(left(cluster_room, "shop") == unpaid);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("drift watches: where no thread can be made for a new one, the others go on") {
  DriftSite s;
  s.await_watch(s.far, "shop-away", "shop/away");
  s.await_watch(s.far, "blog-away", "blog/away");
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    s.cluster("shop", name, Site::kubeconfig(s.far->server(), {{"token", name}}));
  }
  const auto graph = s.run().graph;
  {
    const testing::NoThreads none;
    CHECK_THROWS(s.watches.follow(*graph));
  }
  s.await_watch(s.far, "shop-away", "shop/away");
  s.await_watch(s.far, "blog-away", "blog/away");
}
#endif
