// When an object of an item is told to be drift.
#include "session/item_watches.hpp"

#include <future>
#include <set>

#include <doctest/doctest.h>

#include <kubist/apply/compare.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "support/comes_true.hpp"
#include "support/fake_cluster.hpp"

using namespace kubist;
using data::Json;
using kube::PatchType;

namespace {

/// ConfigMap `a` of item `u1`, which DeployItem/shop/app keeps.
struct Watched {
  Watched() {
    manager = std::string(deployers::k_item_manager) + "-x";
    make();
  }
  void make() {
    const Json object{{"apiVersion", "v1"},
                      {"kind", "ConfigMap"},
                      {"metadata",
                       {{"name", "a"},
                        {"namespace", "default"},
                        {"labels", {{deployers::k_managed_label, "u1"}}}}},
                      {"data", {{"key", "value"}}}};
    kube::ApplyOptions options;
    options.field_manager = manager;
    options.force = true;
    REQUIRE(client->run(kube::apply(kube::well_known::config_maps(), object, options)));
  }
  /// As a run that ends now has seen it.
  void keep() {
    const Json live = cluster.get("configmaps", "a", "default");
    deployers::Kept kept{{"", "ConfigMap", "default", "a"}, "v1", "", "", ""};
    if (!live.is_null()) {
      const resources::ObjectView view(live);
      kept.uid = view.uid();
      kept.fields = apply::applied_fields(live, manager);
      kept.resource_version = view.resource_version();
    }
    watches.keep(node, {"u1", manager, client, {kept}});
  }
  /// A tree with the node alone.
  engine::Graph tree() const {
    engine::Node found;
    found.key = node;
    found.object = std::make_shared<const Json>(Json::object());
    return engine::Graph::build({std::move(found)});
  }
  /// Items of a project in that many namespaces, with one object in each, which is gone.
  void keep_many(const std::string& project, int count) {
    for (int i = 0; i < count; ++i) {
      const std::string ns = util::cat(project, '-', i);
      watches.keep({"", "DeployItem", project, ns},
                   {ns, manager, client, {{{"", "ConfigMap", ns, "a"}, "v1", "u", "", ""}}});
    }
  }
  /// How many nodes of such projects are told of, of as many at least.
  std::size_t told_of(const std::string& project, std::size_t least) {
    std::set<std::string> names;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (names.size() < least && std::chrono::steady_clock::now() < until) {
      for (const auto& [key, cause] : inbox.take(until, {})) {
        CHECK(key.ns.starts_with(project));
        names.insert(key.name);
      }
    }
    return names.size();
  }
  /// An item of that name, whose object in the namespace is not there.
  void keep_in(const std::string& ns, const std::string& item,
               const std::shared_ptr<kube::Client>& as) {
    watches.keep({"", "DeployItem", "shop", item},
                 {item, manager, as, {{{"", "ConfigMap", ns, "b"}, "v1", "", "", ""}}});
  }
  void change(const Json& patch) {
    cluster.patch("configmaps", "a", "default", PatchType::merge, patch);
  }
  /// The next node that is asked for; empty: none within a moment.
  std::string next(std::chrono::milliseconds patience = std::chrono::seconds(10)) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < until) {
      const auto events = inbox.take(until, {});
      if (!events.empty()) {
        CHECK(events.size() == 1);
        CHECK(events.front().second == engine::Cause::drift);
        return events.front().first.name;
      }
    }
    return {};
  }
  /// All that came before this has been told.
  void settle() {
    const std::string marker = util::cat("marker", ++markers);
    cluster.put({{"apiVersion", "v1"},
                 {"kind", "ConfigMap"},
                 {"metadata",
                  {{"name", marker},
                   {"namespace", "default"},
                   {"labels", {{deployers::k_managed_label, "u2"}}}}}});
    watches.keep({"", "DeployItem", "shop", marker},
                 {util::cat("of-", marker),
                  manager,
                  client,
                  {{{"", "ConfigMap", "default", marker}, "v1", "", "", ""}}});
    CHECK(next() == marker);
  }

  testing::FakeCluster cluster;
  std::shared_ptr<kube::Client> client = cluster.connect();
  std::string manager;
  int markers = 0;
  const engine::Key node{"landscaper.gardener.cloud", "DeployItem", "shop", "app"};
  executors::Inbox inbox;
  executors::Absences absences;
  executors::WatchRoom room{absences};
  executors::ItemWatches watches{room, inbox, absences};
};

}  // namespace

TEST_CASE("item watches: a changed field of the item's, and a deletion, is drift of its node") {
  Watched s;
  s.keep();
  s.settle();
  s.change({{"data", {{"key", "theirs"}}}});
  CHECK(s.next() == "app");
  s.make();
  s.keep();
  s.settle();
  s.cluster.remove("configmaps", "a", "default");
  CHECK(s.next() == "app");
}

TEST_CASE("item watches: after a rest drift is told once as before") {
  Watched s;
  s.keep();
  s.settle();
  s.watches.rest();
  s.change({{"data", {{"key", "theirs"}}}});
  CHECK(s.next() == "app");
  s.watches.rest();
  s.change({{"metadata", {{"annotations", {{"note", "x"}}}}}});
  s.settle();  // the same drift is told no second time
  s.make();
  s.keep();
  s.watches.rest();
  s.cluster.remove("configmaps", "a", "default");
  CHECK(s.next() == "app");
}

TEST_CASE("item watches: an object with more managers of items than are read counts as changed") {
  Watched s;
  s.keep();
  s.settle();
  for (int i = 0; i < 66; ++i) {
    kube::ApplyOptions options;
    options.field_manager = util::cat(deployers::k_item_manager, '-', i);
    const Json object{{"apiVersion", "v1"},
                      {"kind", "ConfigMap"},
                      {"metadata", {{"name", "a"}, {"namespace", "default"}}},
                      {"data", {{util::cat("key", i), "theirs"}}}};
    REQUIRE(s.client->run(kube::apply(kube::well_known::config_maps(), object, options)));
    if (i == 62) {
      s.settle();  // 64 with its own
    }
  }
  CHECK(s.next() == "app");
  s.settle();  // once
}

namespace {

/// Holds up what comes to it until it is opened.
struct Gate {
  ~Gate() { open(); }
  std::function<void()> waiter() {
    return [this, opened = opened] {  // which it may still look at when this has gone
      arrived.set_value();
      opened.wait();
    };
  }
  void open() {
    if (!is_open) {
      is_open = true;
      promise.set_value();
    }
  }
  bool is_open = false;
  std::promise<void> promise, arrived;
  std::shared_future<void> opened = promise.get_future().share();
};

bool ends(const std::future<void>& work) {
  return work.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
}

}  // namespace

TEST_CASE("item watches: what a watch is doing keeps nobody waiting for its end") {
  Watched s;
  Gate gate;
  s.cluster.before("GET *namespaces/silent/configmaps*", gate.waiter());
  s.keep_in("silent", "app", s.client);
  REQUIRE(ends(gate.arrived.get_future()));
  auto work = std::async(std::launch::async, [&] { s.watches.follow({s.client}, {}); });
  CHECK(ends(work));
  gate.open();
}

TEST_CASE("item watches: who waits for one of them holds up no use of another") {
  Watched s;
  Gate gate;
  s.keep_in("default", "warm", s.client);
  const char* listing = "GET *namespaces/silent/configmaps*";
  s.cluster.fail(listing, 403);
  s.cluster.before(listing, gate.waiter());
  s.keep_in("silent", "app", s.client->as("me"));
  REQUIRE(ends(gate.arrived.get_future()));
  std::promise<void> begins;
  // By another client of the same credential, in place of one that had trouble.
  auto waits = std::async(std::launch::async, [&] {
    begins.set_value();
    s.keep_in("silent", "app", s.client->as("me"));
  });
  REQUIRE(ends(begins.get_future()));
  auto others = std::async(std::launch::async, [&] {
    for (int i = 0; i < 1000; ++i) {
      s.keep_in("default", util::cat("other", i), s.client);
    }
  });
  CHECK(ends(others));
  CHECK(waits.wait_for(std::chrono::seconds(0)) == std::future_status::timeout);
  gate.open();
}

TEST_CASE("item watches: what was changed before the watch stood is drift, too") {
  Watched s;
  const Json live = s.cluster.get("configmaps", "a", "default");
  deployers::Kept kept{{"", "ConfigMap", "default", "a"},
                       "v1",
                       live["metadata"]["uid"],
                       apply::applied_fields(live, s.manager),
                       live["metadata"]["resourceVersion"]};
  s.change({{"data", {{"key", "theirs"}}}});
  s.watches.keep(s.node, {"u1", s.manager, s.client, {kept}});
  CHECK(s.next() == "app");
}

TEST_CASE("item watches: what others add, and a status, is no drift") {
  Watched s;
  s.keep();
  s.settle();
  s.change({{"data", {{"more", "theirs"}}}, {"metadata", {{"labels", {{"tier", "web"}}}}}});
  s.settle();
}

TEST_CASE("item watches: what a run has left as it is is not told again") {
  Watched s;
  s.keep();
  s.settle();
  s.change({{"data", {{"key", "theirs"}}}});
  CHECK(s.next() == "app");
  s.keep();
  s.settle();
  s.change({{"metadata", {{"labels", {{std::string(deployers::k_managed_label), nullptr}}}}}});
  CHECK(s.next() == "app");  // no longer among those that are watched
  s.keep();
  s.settle();
  s.cluster.end_watches();
  s.settle();
}

TEST_CASE("item watches: an item that is gone, or whose node is, asks for nothing") {
  Watched s;
  s.keep();
  s.settle();
  s.watches.keep(s.node, {"u1", s.manager, s.client, {}});
  s.change({{"data", {{"key", "theirs"}}}});
  s.settle();
  s.keep();
  s.watches.follow({s.client}, engine::Graph());
  s.change({{"data", {{"key", "more"}}}});
  s.settle();
}

TEST_CASE("item watches: a project has 64 of them, what is beyond is told of once") {
  Watched s;
  const auto told = [&](const std::string& project) {
    return std::vector<std::string>{util::cat(
        "project namespace ", project,
        ": changes by others of objects beyond 64 kinds and "
        "namespaces of one project are noticed only by the resync (docs/reference/limits.md)")};
  };
  s.keep_many("blog", 70);
  CHECK(s.told_of("blog", 64) == 64);
  CHECK(s.absences.take({}) == told("blog"));
  s.keep_many("blog", 70);
  CHECK(s.absences.take({}).empty());
  s.settle();  // the next project has its own
  s.watches.follow({s.client}, engine::Graph());
  CHECK(testing::comes_true([&] {  // its places are free once the watches have ended
    const auto a = s.room.take("blog");
    const auto b = s.room.take("blog");
    const auto c = s.room.take("blog");
    return a && b && c;
  }));
  s.keep_many("blog", 3);
  CHECK(s.told_of("blog", 3) == 3);
}

TEST_CASE("item watches: all projects have 512 of them") {
  Watched s;
  for (int i = 0; i < 9; ++i) {
    s.keep_many(util::cat("p", i), 60);
  }
  CHECK(s.told_of("p", 512) == 512);
  CHECK(s.absences.take({}) ==
        std::vector<std::string>{
            "project namespace p8: changes by others of objects beyond 512 "
            "kinds and namespaces of all "
            "projects are noticed only by the resync (docs/reference/limits.md)"});
}

TEST_CASE("item watches: each credential has its own, of what leads to the same address, too") {
  testing::FakeCluster other;  // by the same URL; its watches end before it
  const auto there = other.connect();
  Watched s;
  s.keep();
  s.settle();
  const Json map{{"apiVersion", "v1"},
                 {"kind", "ConfigMap"},
                 {"metadata",
                  {{"name", "b"},
                   {"namespace", "default"},
                   {"labels", {{deployers::k_managed_label, "u2"}}}}}};
  const std::string uid = other.put(map)["metadata"]["uid"];
  s.watches.keep(
      {"", "DeployItem", "shop", "far"},
      {"u2", s.manager, there, {{{"", "ConfigMap", "default", "b"}, "v1", uid, "", ""}}});
  s.settle();
  other.remove("configmaps", "b", "default");
  CHECK(s.next() == "far");
}

TEST_CASE("item watches: those of a credential that is no more end, and its items are asked for") {
  Watched s;
  s.keep();
  s.settle();
  s.watches.follow({s.cluster.connect()}, s.tree());
  CHECK(s.next() == "app");
  CHECK(testing::comes_true([&] { return s.cluster.watches() == 0; }));
}

TEST_CASE("item watches: Secrets are not watched") {
  Watched s;
  s.watches.keep(
      s.node, {"u1", s.manager, s.client, {{{"", "Secret", "default", "s"}, "v1", "x", "y", "1"}}});
  s.settle();
  for (const testing::LoggedRequest& each : s.cluster.log()) {
    CHECK(each.resource != "secrets");
  }
}
