// What the watch of a kind holds, and how much.
#include "session/kind_watch.hpp"

#include <set>

#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "site.hpp"

using namespace site;

namespace {

constexpr std::size_t k_text = 100'000;

/// The DeployItems of all namespaces, with room for two of them in each.
struct HeldItems {
  void put(const std::string& ns, const std::string& name, std::size_t bytes) {
    cluster.put({{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                 {"kind", "DeployItem"},
                 {"metadata", {{"name", name}, {"namespace", ns}}},
                 {"spec", {{"type", "x"}, {"config", {{"text", std::string(bytes, 'x')}}}}}});
  }
  HeldItems() {
    for (const char* ns : {"shop", "blog"}) {
      cluster.put(plain("Namespace", "", ns));
    }
  }
  /// "NAMESPACE/NAME" of each, with a ! where it is unreadable.
  std::set<std::string> held() {
    std::set<std::string> names;
    const auto objects = watch.objects("", {}, {});
    REQUIRE(objects);
    const auto add = [&](const Json& object, const char* mark) {
      const resources::ObjectView view(object);
      names.insert(cat(view.ns(), '/', view.name(), mark));
    };
    for (const auto& each : objects->items) {
      add(*each, "");
    }
    for (const auto& each : objects->unreadable) {
      add(*each.outline, "!");
    }
    return names;
  }
  bool becomes(const std::set<std::string>& wanted) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (held() != wanted && std::chrono::steady_clock::now() < end) {
      inbox.take(std::chrono::steady_clock::now() + std::chrono::milliseconds(20), {});
    }
    return held() == wanted;
  }

  testing::FakeCluster cluster;
  executors::Inbox inbox;
  executors::Absences absences;
  kube::Room room{k_text * 5 / 2};
  executors::KindWatch watch{cluster.connect(),
                             *resources::find_kind(resources::k_landscaper_group, "DeployItem"),
                             {""},
                             inbox,
                             absences,
                             room};
};

}  // namespace

TEST_CASE("kind watch: what a namespace has no room for is unreadable until there is room again") {
  HeldItems s;
  for (const char* name : {"a", "b", "c"}) {
    s.put("shop", name, k_text);
    CHECK(s.becomes(name[0] == 'a'   ? std::set<std::string>{"shop/a"}
                    : name[0] == 'b' ? std::set<std::string>{"shop/a", "shop/b"}
                                     : std::set<std::string>{"shop/a", "shop/b", "shop/c!"}));
  }
  s.put("blog", "a", k_text);
  CHECK(s.becomes({"blog/a", "shop/a", "shop/b", "shop/c!"}));
  SUBCASE("one goes") {
    s.cluster.remove("deployitems.landscaper.gardener.cloud", "a", "shop");
    CHECK(s.becomes({"blog/a", "shop/b", "shop/c"}));
  }
  SUBCASE("one gets smaller") {
    s.put("shop", "a", 10);
    CHECK(s.becomes({"blog/a", "shop/a", "shop/b", "shop/c"}));
  }
  SUBCASE("the same gets smaller") {
    s.put("shop", "c", 10);
    CHECK(s.becomes({"blog/a", "shop/a", "shop/b", "shop/c"}));
  }
  SUBCASE("one grows") {
    s.put("shop", "a", 2 * k_text);
    CHECK(s.becomes({"blog/a", "shop/a!", "shop/b", "shop/c"}));
  }
}

TEST_CASE(
    "kind watch: after a rest it holds the same, takes the same room, and sees what changes") {
  HeldItems s;
  for (const char* ns : {"shop", "blog"}) {
    s.put(ns, "a", 10);
    s.put(ns, "b", k_text);
  }
  REQUIRE(s.becomes({"blog/a", "blog/b", "shop/a", "shop/b"}));
  const Json before = *s.watch.objects("shop", {}, {})->items.front();
  s.watch.rest();
  s.watch.rest();
  CHECK(*s.watch.objects("shop", {}, {})->items.front() == before);
  CHECK(s.watch.objects("shop", {}, {})->items.size() == 2);
  CHECK(s.watch.objects("none", {}, {})->items.empty());
  s.watch.rest();
  s.inbox.take(std::chrono::steady_clock::now(), {});
  const auto next = [&] {
    const auto events =
        s.inbox.take(std::chrono::steady_clock::now() + std::chrono::seconds(10), {});
    return events.size() == 1 ? cat(events.front().first.ns, '/', events.front().first.name, ' ',
                                    to_string(events.front().second))
                              : cat(events.size(), " events");
  };
  s.put("shop", "a", 20);
  CHECK(next() == "shop/a changed");
  s.watch.rest();
  s.cluster.remove("deployitems.landscaper.gardener.cloud", "b", "shop");
  CHECK(next() == "shop/b deleted");
  s.watch.rest();
  s.put("shop", "c", 2 * k_text);  // the room of the one that went
  CHECK(s.becomes({"blog/a", "blog/b", "shop/a", "shop/c"}));
  s.put("shop", "d", k_text);
  CHECK(s.becomes({"blog/a", "blog/b", "shop/a", "shop/c", "shop/d!"}));
  s.watch.rest();
  CHECK(s.becomes({"blog/a", "blog/b", "shop/a", "shop/c", "shop/d!"}));
}

TEST_CASE("kind watch: an object of too many values costs its own project") {
  Site s;
  s.make_project("shop");
  s.make_project("evil");
  Json values = Json::array();
  for (int i = 0; i < 200'001; ++i) {
    values.push_back(0);
  }
  s.home->put({{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
               {"kind", "DeployItem"},
               {"metadata", {{"name", "big"}, {"namespace", "evil"}}},
               {"spec", {{"type", "kubist.io/mock"}, {"config", {{"values", values}}}}}});
  s.virtual_cluster("shop", "dev");
  const auto report = s.reconcile();
  CHECK(node_of(report, "DeployItem", "big").reason == "Unreadable");
  CHECK(node_of(report, "DeployItem", "big").message.find("more than 200000 values") !=
        std::string::npos);
  CHECK(condition(s.vc("shop", "dev")) == "True");
}
