// In which order the DeployItems of an Execution go, whatever anybody has written into them.
#include "execution/removal_order.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"
#include "support/fake_cluster.hpp"

using namespace kubist;
using namespace kubist::deployers;

namespace {

using WaitsFor = std::vector<std::set<std::size_t>>;

/// A DeployItem of Execution `e`.
Json item_to_go(const std::string& name, const std::string& depends_on = {}) {
  Json item{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
            {"kind", "DeployItem"},
            {"metadata",
             {{"name", util::replace_all("e-" + name, "/", "-")},
              {"namespace", "default"},
              {"labels", {{"kubist.io/execution", "e"}}},
              {"annotations", {{"kubist.io/item", name}}}}},
            {"spec", {{"type", "kubist.io/mock"}, {"config", {{"phase", "Succeeded"}}}}}};
  if (!depends_on.empty()) {
    item["metadata"]["annotations"]["kubist.io/depends-on"] = depends_on;
  }
  return item;
}

/// The items that each one waits for, not by way of another item.
WaitsFor direct(const Order& order, std::size_t items) {
  WaitsFor all(items);
  for (std::size_t i = 0; i < items; ++i) {
    for (const std::size_t before : order[i]) {
      if (before < items) {
        all[i].insert(before);
      } else {
        all[i].insert(order[before].begin(), order[before].end());
      }
    }
  }
  return all;
}

WaitsFor gone_before(const std::vector<Json>& items) {
  return direct(removal_order(items, {}).value(), items.size());
}

std::size_t edges_of(const Order& order) {
  return std::accumulate(
      order.begin(), order.end(), std::size_t{0},
      [](std::size_t sum, const auto& waits_for) { return sum + waits_for.size(); });
}

/// Execution `e` with an item, two items after it, and two parts of a template, which one follows.
struct ToGo {
  ToGo() {
    const Json execution = cluster.put(
        {{"apiVersion", "kubist.io/v1alpha1"},
         {"kind", "Execution"},
         {"metadata", {{"name", "e"}, {"namespace", "default"}}},
         {"spec",
          {{"items", Json::array({{{"name", "a"}, {"type", "Script"}, {"script", "true"}}})}}}});
    for (Json item : {item_to_go("a"), item_to_go("b", "a"), item_to_go("c", "a,b"),
                      item_to_go("t/x"), item_to_go("t/y"), item_to_go("after", "t")}) {
      item["metadata"]["ownerReferences"] = Json::array({execution_owner(execution)});
      items.push_back(cluster.put(item));
    }
    world.home = cluster.connect();
    world.place_of = [this](const std::string& ns, const std::string&) {
      return Place{world.home, ns, ""};
    };
    world.writer = kube::Writer(kube::Writer::Rules{});
    input_object = execution;
    cluster.forget_log();
  }
  ExecutionInput input() const { return {.object = input_object, .spec = input_object["spec"]}; }
  std::vector<std::string> deleted() const {
    std::vector<std::string> names;
    for (const auto& request : cluster.log()) {
      if (request.verb == "delete" && request.resource == "deployitems") {
        names.push_back(request.name);
      }
    }
    return names;
  }
  bool goes_before(const std::string& first, const std::string& then) const {
    const auto names = deleted();
    const auto at = std::find(names.begin(), names.end(), first);
    return at != names.end() && std::find(at, names.end(), then) != names.end();
  }

  testing::FakeCluster cluster{"home"};
  std::vector<Json> items;
  Json input_object;
  World world;
};

}  // namespace

TEST_CASE("removal order: an item waits for those that name it, or the template that it is of") {
  CHECK(gone_before({}).empty());
  CHECK(gone_before({item_to_go("a"), item_to_go("b", "a"), item_to_go("c", "b,a,b,nobody,,")}) ==
        WaitsFor{{1, 2}, {2}, {}});
  CHECK(gone_before({item_to_go("t/x"), item_to_go("t/y", "t/x"), item_to_go("tea"),
                     item_to_go("after", "t,t/x")}) == WaitsFor{{1, 3}, {3}, {}, {}});
  // A name that it has itself is that of the others.
  CHECK(gone_before({item_to_go("a", "a")}) == WaitsFor{{}});
  CHECK(gone_before({item_to_go("t/x", "t,t/x"), item_to_go("t/y"), item_to_go("b", "t")}) ==
        WaitsFor{{2}, {0, 2}, {}});
}

TEST_CASE("removal order: items that wait for each other go side by side, and so do all others") {
  CHECK(gone_before({item_to_go("a", "b"), item_to_go("b", "a"), item_to_go("c", "b")}) ==
        WaitsFor(3));
  CHECK(gone_before({item_to_go("t/x", "t"), item_to_go("t/y", "t"), item_to_go("c", "t")}) ==
        WaitsFor(3));
  CHECK(gone_before({item_to_go("t/x", "b"), item_to_go("t/y"), item_to_go("b", "t")}) ==
        WaitsFor(3));
}

TEST_CASE("removal order: names of nothing cost no more than their text") {
  constexpr std::size_t k_many = 300;
  std::string unknown;
  for (int i = 0; i < 20'000; ++i) {
    unknown += ",u" + std::to_string(i);
  }
  std::vector<Json> items;
  WaitsFor chain(k_many);
  for (std::size_t i = 0; i < k_many; ++i) {
    items.push_back(item_to_go(util::cat("i", i), util::cat("i", i + 1, unknown)));
    if (i > 0) {
      chain[i] = {i - 1};
    }
  }
  const auto order = removal_order(items, {});
  REQUIRE(order);
  CHECK(direct(*order, k_many) == chain);
  CHECK(edges_of(*order) <= 2 * k_many);
}

TEST_CASE("removal order: a name that many have and many depend on takes no edges between all") {
  constexpr std::size_t k_many = 5'000;
  std::vector<Json> items;
  for (std::size_t i = 0; i < k_many; ++i) {
    items.push_back(item_to_go("many"));
    items.push_back(item_to_go("after", "many"));
  }
  const auto order = removal_order(items, {});
  REQUIRE(order);
  CHECK(edges_of(*order) == 2 * k_many);
  REQUIRE(order->size() == 2 * k_many + 1);
  CHECK(order->back().size() == k_many);
  CHECK(order->front() == std::vector<std::size_t>{2 * k_many});
}

TEST_CASE("removal order: a stop is heard before anything goes") {
  ToGo s;
  std::stop_source stop;
  stop.request_stop();
  s.world.stop = stop.get_token();
  const auto order = removal_order(s.items, s.world.stop);
  REQUIRE_FALSE(order);
  CHECK(order.error().kind == util::ErrorKind::cancelled);
  const auto runs = remove_items(s.world, s.items, {});
  REQUIRE_FALSE(runs);
  CHECK(runs.error().kind == util::ErrorKind::cancelled);
  CHECK(s.deleted().empty());
}

TEST_CASE("removal: each item goes after those that depend on it") {
  ToGo s;
  const auto outcome = remove_execution(s.world, s.input());
  REQUIRE_MESSAGE(outcome, (outcome ? "" : outcome.error().to_string()));
  CHECK_MESSAGE(outcome->state == ExecutionOutcome::State::ready, outcome->message);
  CHECK(s.deleted().size() == s.items.size());
  CHECK(s.goes_before("e-c", "e-b"));
  CHECK(s.goes_before("e-b", "e-a"));
  CHECK(s.goes_before("e-after", "e-t-x"));
  CHECK(s.goes_before("e-after", "e-t-y"));
}

TEST_CASE("removal: what waits for an item that does not go says for which one") {
  ToGo s;
  s.cluster.fail("DELETE *deployitems/e-c*", 403);
  s.cluster.fail("DELETE *deployitems/e-after*", 403);
  const auto runs = remove_items(s.world, s.items, {});
  REQUIRE_MESSAGE(runs, (runs ? "" : runs.error().to_string()));
  std::vector<std::string> told;
  for (const ItemRun& run : *runs) {
    told.push_back(util::cat(run.name, ": ", run.outcome ? run.outcome->message : "failed"));
  }
  CHECK(told == std::vector<std::string>{
                    "a: waits for DeployItem e-b to go", "b: waits for DeployItem e-c to go",
                    "c: failed", "t/x: waits for DeployItem e-after to go",
                    "t/y: waits for DeployItem e-after to go", "after: failed"});
}
