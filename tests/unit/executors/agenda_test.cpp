// What is to run when.
#include "session/agenda.hpp"

#include <algorithm>
#include <thread>

#include "site.hpp"

using namespace site;
using engine::Cause;

namespace {

const std::vector<engine::Key> k_all;
const engine::Key k_near = key("Cluster", "shop", "near"), k_far = key("Cluster", "other", "far");

std::shared_ptr<const engine::Graph> tree(bool with_far = true, bool other_goes = false) {
  std::vector<Json> objects{object("Project", "", "shop"), object("Cluster", "shop", "near"),
                            object("Project", "", "other")};
  if (other_goes) {
    objects.back()["metadata"]["deletionTimestamp"] = "2026-11-26T00:00:00Z";
  }
  if (with_far) {
    objects.push_back(object("Cluster", "other", "far"));
  }
  std::vector<engine::Node> nodes;
  for (Json& each : objects) {
    each["metadata"]["uid"] = each["metadata"]["name"];
    nodes.push_back(engine::make_node(each));
  }
  return std::make_shared<engine::Graph>(engine::Graph::build(std::move(nodes)));
}

/// An agenda over a tree in which both Clusters failed.
struct Failed {
  Failed() {
    agenda.see(graph);
    executors::Run run;
    run.graph = graph;
    for (const engine::Key& each : {k_near, k_far}) {
      engine::NodeReport node;
      node.id = graph->find(each).front();
      node.key = each;
      node.state = engine::NodeState::failed;
      run.report.nodes.push_back(node);
    }
    agenda.add(run);
  }
  std::vector<std::string> take_due() {
    std::vector<std::string> names;
    while (const auto at = agenda.next()) {
      std::this_thread::sleep_until(*at);
      for (const auto& due : agenda.take_due()) {
        CHECK(due.cause == Cause::retry);
        names.push_back(due.key.name);
      }
    }
    std::ranges::sort(names);
    return names;
  }

  std::shared_ptr<const engine::Graph> graph = tree();
  executors::Agenda agenda{k_all, std::chrono::milliseconds(0)};
};

}  // namespace

TEST_CASE("agenda: what is back asks for what failed in its projects, and in no others") {
  Failed s;
  s.agenda.retry_failed(std::set<std::string>{"shop"});
  CHECK(s.take_due() == std::vector<std::string>{"near"});
  s.agenda.retry_failed(std::set<std::string>{"elsewhere"});
  CHECK(!s.agenda.next());
}

TEST_CASE("agenda: home that is back asks for all that failed and is still there") {
  Failed s;
  SUBCASE("all") {
    s.agenda.retry_failed({});
    CHECK(s.take_due() == std::vector<std::string>{"far", "near"});
  }
  SUBCASE("but what is gone") {
    s.agenda.see(tree(false));
    s.agenda.see(s.graph);  // made anew, it has not failed
    s.agenda.retry_failed({});
    CHECK(s.take_due() == std::vector<std::string>{"near"});
  }
}

TEST_CASE("agenda: what becomes Ready asks for what failed beside it in other runs") {
  Failed s;
  std::string parent;
  std::vector<std::string> expected;
  SUBCASE("under the same parent") {
    parent = "other";
    expected = {"far"};
  }
  SUBCASE("but not elsewhere") { parent = "third"; }
  auto made = object("Cluster", parent, "late");
  made["metadata"]["uid"] = "late";
  auto project = object("Project", "", parent);
  project["metadata"]["uid"] = parent;
  executors::Run run;
  run.graph = std::make_shared<engine::Graph>(
      engine::Graph::build({engine::make_node(project), engine::make_node(made)}));
  engine::NodeReport node;
  node.key = key("Cluster", parent, "late");
  node.id = run.graph->find(node.key).front();
  node.state = engine::NodeState::ready;
  node.ready = true;
  run.report.nodes.push_back(node);
  s.agenda.add(run);
  CHECK(s.take_due() == expected);
}

TEST_CASE("agenda: what failed while something beside it became Ready in another run is retried") {
  const auto graph = tree();
  const auto run_of = [&](const engine::Key& key, engine::NodeState state) {
    executors::Run run;
    run.graph = graph;
    engine::NodeReport node;
    node.id = graph->find(key).front();
    node.key = key;
    node.state = state;
    node.ready = state == engine::NodeState::ready;
    run.report.nodes.push_back(node);
    return run;
  };
  executors::Agenda agenda{k_all, std::chrono::milliseconds(0)};
  agenda.see(graph);
  agenda.add(run_of(k_far, engine::NodeState::ready));
  auto failed = run_of(k_far, engine::NodeState::failed);
  bool expected = false;
  SUBCASE("it may have looked before") { expected = true; }
  SUBCASE("it began later") {
    failed.report.run.started_at = std::chrono::system_clock::now() + std::chrono::hours(1);
  }
  SUBCASE("it is elsewhere") { failed = run_of(k_near, engine::NodeState::failed); }
  agenda.add(failed);
  CHECK(agenda.next().has_value() == expected);
}

TEST_CASE("agenda: an item that fails again waits longer, and no longer after a success") {
  using std::chrono::milliseconds;
  std::vector<engine::Node> nodes;
  nodes.push_back(engine::make_node(object("Project", "", "shop")));
  Json item = object("DeployItem", "shop", "job");
  item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
  nodes.push_back(engine::make_node(item));
  executors::Run run;
  run.graph = std::make_shared<engine::Graph>(engine::Graph::build(std::move(nodes)));
  engine::NodeReport node;
  node.key = {"landscaper.gardener.cloud", "DeployItem", "shop", "job"};
  node.id = run.graph->find(node.key).front();
  node.state = engine::NodeState::failed;
  node.requeue_after = milliseconds(700);
  run.report.nodes.push_back(node);
  executors::Agenda agenda(k_all, milliseconds(0));
  agenda.see(run.graph);
  const auto pause = [&] {
    const auto before = std::chrono::steady_clock::now();
    agenda.add(run);
    return std::chrono::ceil<milliseconds>(agenda.next().value() - before);
  };
  CHECK(pause() <= milliseconds(1010));
  std::this_thread::sleep_until(*agenda.next());
  REQUIRE(agenda.take_due().size() == 1);
  CHECK(pause() >= milliseconds(1000));  // 1 to 2 s
  run.report.nodes.front().state = engine::NodeState::done;
  run.report.nodes.front().requeue_after.reset();
  agenda.add(run);
  run.report.nodes.front() = node;
  CHECK(pause() <= milliseconds(1010));
}

TEST_CASE("agenda: what somebody has to mend is not tried again by itself") {
  Site s;
  s.make_project("shop");
  Json item = object("DeployItem", "shop", "job", {{"type", "kubist.io/mock"}});
  item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
  item["spec"]["config"] = {{"phase", "Failed"}};
  for (const bool bogus : {false, true}) {
    if (bogus) {
      item["spec"]["config"]["bogus"] = 1;
    }
    s.home->put(item);
    const engine::Report report = s.reconcile();
    CHECK(report.summary.failed == 1);
    const auto job =
        std::ranges::find(report.nodes, "job", [](const auto& node) { return node.key.name; });
    REQUIRE(job != report.nodes.end());
    CHECK(job->requeue_after.has_value() == !bogus);
  }
}

TEST_CASE("agenda: what waits for a child's end goes on when a tree lacks the child") {
  executors::Agenda agenda{k_all, std::chrono::milliseconds(0)};
  const auto due = [&] {
    std::vector<std::string> names;
    while (const auto at = agenda.next()) {
      std::this_thread::sleep_until(*at);
      for (const auto& each : agenda.take_due()) {
        names.push_back(each.key.name);
      }
    }
    std::ranges::sort(names);
    return names;
  };
  SUBCASE("its event comes later") {
    agenda.see(tree(true, true));
    agenda.see(tree(false, true));
    agenda.add({{k_far, Cause::deleted}});
    CHECK(due() == std::vector<std::string>{"far", "other"});
  }
  SUBCASE("but not where nothing waits") {
    agenda.see(tree(true, false));
    agenda.see(tree(false, false));
    CHECK(due().empty());
  }
}

TEST_CASE("agenda: of drift of what no tree has there is a limit, until a tree comes") {
  std::vector<std::string> said;
  executors::Agenda agenda{k_all, std::chrono::milliseconds(0),
                           [&](std::string line) { said.push_back(std::move(line)); }};
  agenda.see(tree(false));
  for (int i = 0; i < 9'999; ++i) {
    agenda.add({{key("Destination", "shop", std::to_string(i)), Cause::drift}});
    agenda.add({{key("Destination", "shop", "0"), Cause::drift}});
  }
  CHECK_FALSE(agenda.wants_tree());
  agenda.add({{k_far, Cause::drift}});
  CHECK(agenda.wants_tree());
  agenda.add({{k_far, Cause::drift}});
  CHECK(said.empty());  // nothing is lost
  for (const char* name : {"late", "later"}) {
    agenda.add({{key("Destination", "shop", name), Cause::drift}});
  }
  CHECK(said == std::vector<std::string>{
                    "changes by others of objects whose owners kubist has not read yet, beyond "
                    "10000 owners, are noticed only by the resync (docs/reference/limits.md)"});
  agenda.see(tree());
  CHECK_FALSE(agenda.wants_tree());
  CHECK(agenda.schedule().size() == 1);
}

TEST_CASE("agenda: drift has a pace by its runs, not by its changes") {
  const auto graph = tree();
  executors::Agenda agenda{k_all, std::chrono::milliseconds(0)};
  agenda.see(graph);
  const auto wait = [&] { return *agenda.next() - std::chrono::steady_clock::now(); };
  const auto take = [&] {
    std::this_thread::sleep_until(*agenda.next());
    return agenda.take_due().size();
  };
  for (int i = 0; i < 30; ++i) {
    agenda.add({{k_near, Cause::drift}});
  }
  REQUIRE(take() == 1);
  agenda.begin({{k_near, Cause::drift}});
  agenda.add({{k_near, Cause::drift}});
  CHECK(wait() < std::chrono::seconds(5));
  REQUIRE(take() == 1);
  for (int i = 0; i < 20; ++i) {
    agenda.begin({{k_near, Cause::drift}});
  }
  agenda.add({{k_near, Cause::drift}});
  CHECK(wait() > std::chrono::seconds(1));
}

TEST_CASE("watch loop: what changes before any run's tree has it is asked for") {
  const std::vector<engine::Key> everything;
  const engine::Key made = key("VirtualCluster", "shop", "new");
  for (const Cause cause : {Cause::created, Cause::changed, Cause::deleted, Cause::requested}) {
    executors::Agenda agenda(everything, std::chrono::milliseconds(0));
    agenda.see(std::make_shared<const engine::Graph>());
    agenda.add({{made, cause}});
    CHECK_MESSAGE(agenda.schedule().size() == 1, engine::to_string(cause));
    agenda.add({{key("Approval", "shop", "yes"), cause}, {made, Cause::drift}});
    CHECK(agenda.schedule().size() == 1);
  }
}
