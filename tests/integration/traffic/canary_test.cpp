// A CanaryRelease moves the weights of real routes: states, requests, and what is never lost. Pods
// are said to be ready; what the gateway does with weights is gateway_test's.
#include <csignal>

#include <kubist/util/fs.hpp>

#include "stage.hpp"
#include "support/fault_proxy.hpp"
#include "support/slice.hpp"

using namespace traffic_test;

namespace {

/// Stays at each weight until a person says how it goes on. With an hour between looks, one ends as
/// soon as there is nothing left to do but wait.
const char* const k_stay =
    "interval: 1h, bake: 0s, weights: [20, 50], policies: [{name: Timed, parameters: {step: 1h}}]";

std::string release_spec(const std::string& more) {
  return cat("{destination: web, stable: v1, canary: v2, routes: [web], ", more, "}");
}

/// A route that sends all to v1, and both versions ready.
class Canary {
 public:
  explicit Canary(const std::string& test) : stage(test) {
    stage.reconcile();
    for (const char* version : {"v1", "v2"}) {
      stage.ready_pod(cat("web-", version), {{"app", "web"}, {"version", version}});
    }
    stage.apply("Destination", "web", k_destination);
    stage.apply(
        "TrafficRoute", "web",
        "{hosts: [shop.example.com], routes: [{weights: [{destination: web, version: v1}]}]}");
    must(stage.reconcile());
    original = spec();
    REQUIRE(original.find("v1") != std::string::npos);
  }

  void release(const std::string& more) { stage.apply("CanaryRelease", "web", release_spec(more)); }
  CommandResult look(const std::string& timeout = "10s") {
    return run_kubist(stage.world().as_user(
        {"reconcile", "CanaryRelease/web", "-n", stage.project(), "--timeout=" + timeout}));
  }
  CommandResult canary(const std::string& verb, Words more = {}) {
    Words words{"canary", verb, "web", "-n", stage.project()};
    words.insert(words.end(), more.begin(), more.end());
    return run_kubist(stage.world().as_user(words));
  }
  /// Looks until the release is in this state, and says what it is then.
  std::string until(const std::string& wanted, const std::string& timeout = "10s") {
    eventually([&] { return state() == wanted || (look(timeout), state() == wanted); }, 60);
    return state();
  }
  std::string state() { return text_of(stage.node("canaryreleases", "web"), {"status", "state"}); }
  std::string reason() {
    return text_of(stage.node("canaryreleases", "web"), {"status", "reason"});
  }
  std::string weights() {
    return text_of(stage.node("trafficroutes", "web"), {"status", "weights"});
  }
  /// The live VirtualService's spec, to the byte.
  std::string spec() {
    const auto live = stage.live("virtualservices", "web");
    return live ? (*live)["spec"].dump() : "";
  }

  /// "20 50 100": the weights of this attempt, as its history has them.
  std::string steps() {
    std::string text;
    const auto release = stage.node("canaryreleases", "web");
    const auto attempt = data::int_at(*release, {"status", "attempt"});
    std::int64_t last = 0;
    for (const Json& entry : (*release)["status"]["history"]) {
      const auto weight = data::int_at(entry, {"weight"});
      if (data::int_at(entry, {"attempt"}) == attempt && weight != last) {
        last = weight;
        text += cat(text.empty() ? "" : " ", weight);
      }
    }
    return text;
  }
  /// All to v1 again, as another spec than before says: it wins over what a release left.
  void back_to_stable(int edit) {
    stage.apply("TrafficRoute", "web",
                cat("{hosts: [shop.example.com], routes: [{weights: [{destination: web, version: "
                    "v1, weight: ",
                    edit, "}]}]}"));
    must(stage.reconcile());
  }
  /// A look that is killed right after its k-th write; false: it made fewer.
  bool look_killed(FaultProxy& proxy, int k) {
    proxy.allow_writes(k);
    Background run(
        proxy.through({"reconcile", "CanaryRelease/web", "-n", stage.project(), "--timeout=60s"}));
    bool ended = false;
    const bool reached =
        eventually([&] { return proxy.reached(k, 0) || (ended = run.wait(0).has_value()); }, 60);
    run.signal(SIGKILL);
    run.wait(20);
    return reached && !ended;
  }

  Stage stage;
  std::string original;
};

}  // namespace

TEST_CASE(
    "canary: by the clock a version gets all the traffic, and keeps it until the spec is changed" *
    doctest::description("seed 1.6: policies release canaries")) {
  Canary canary("timed");
  canary.release(
      "interval: 1s, bake: 1s, weights: [20, 50], policies: [{name: Timed, parameters: {step: "
      "1s}}]");
  const CommandResult run = canary.look("120s");
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(canary.state() == "Succeeded");
  CHECK(canary.weights() == "web v1 0 %, web v2 100 %");
  CHECK(canary.canary("status").exit_code == 0);
  const std::string history = must(canary.canary("history"));
  CHECK(history.find("100 %") < history.find("Succeeded"));
  CHECK(history.find("Succeeded") != std::string::npos);
  // The user's spec is as it was; the weights stay, and nothing is written any more.
  const auto before = canary.stage.node("trafficroutes", "web");
  CHECK((*before)["spec"]["routes"][0]["weights"].size() == 1);
  CHECK(text_of(before, {"status", "override", "by"}) == "CanaryRelease/web");
  must(canary.stage.reconcile());
  CHECK((*canary.stage.node("trafficroutes", "web"))["metadata"]["resourceVersion"] ==
        (*before)["metadata"]["resourceVersion"]);
  // Then the spec wins.
  canary.stage.apply(
      "TrafficRoute", "web",
      "{hosts: [shop.example.com], routes: [{weights: [{destination: web, version: v2}]}]}");
  canary.stage.reconcile();
  CHECK(canary.weights() == "web v2 100 %");
  CHECK_FALSE((*canary.stage.node("trafficroutes", "web"))["status"].contains("override"));
}

TEST_CASE("canary: an abort gives the routes their own weights back, to the byte") {
  Canary canary("abort");
  canary.release(k_stay);
  CHECK(canary.until("Waiting") == "Waiting");
  CHECK(canary.weights() == "web v1 80 %, web v2 20 %");
  CHECK(canary.spec() != canary.original);
  const CommandResult run = canary.canary("abort", {"--wait", "--timeout=60s"});
  CHECK_MESSAGE(run.exit_code == 4, run.out, run.err);
  CHECK(run.out.find("web: Aborted") != std::string::npos);
  CHECK(canary.spec() == canary.original);
  const auto live = canary.stage.live("virtualservices", "web");
  CHECK_FALSE((*live)["metadata"]["annotations"].contains("kubist.io/override"));
  CHECK(canary.canary("status").exit_code == 4);
  // Final: an abort of what is over means nothing, a retry begins again.
  CHECK(canary.canary("abort").exit_code == 1);
  CHECK(canary.canary("retry").exit_code == 0);
  CHECK(canary.until("Waiting") == "Waiting");
  CHECK((*canary.stage.node("canaryreleases", "web"))["status"]["attempt"] == 2);
}

TEST_CASE("canary: a paused release stays where it is, and an edited route pauses it") {
  Canary canary("pause");
  canary.release(k_stay);
  CHECK(canary.until("Waiting") == "Waiting");
  CHECK(canary.canary("pause").exit_code == 0);
  CHECK(canary.state() == "Paused");
  const auto before = canary.stage.node("canaryreleases", "web");
  for (int i = 0; i < 3; ++i) {
    canary.look();
  }
  CHECK((*canary.stage.node("canaryreleases", "web"))["metadata"]["resourceVersion"] ==
        (*before)["metadata"]["resourceVersion"]);
  CHECK(canary.canary("resume").exit_code == 0);
  CHECK(canary.until("Waiting") == "Waiting");
  canary.stage.apply("TrafficRoute", "web",
                     "{hosts: [shop.example.com], routes: [{timeout: 3s, weights: [{destination: "
                     "web, version: v1}]}]}");
  CHECK(canary.until("Paused") == "Paused");
  CHECK(canary.reason() == "RouteChanged");
  CHECK(canary.canary("resume").exit_code == 0);
  CHECK(canary.until("Waiting") == "Waiting");
  const CommandResult run = canary.canary("promote", {"--full", "--wait", "--timeout=120s"});
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(canary.state() == "Succeeded");
}

TEST_CASE("canary: what was released goes into git, and nothing moves then") {
  Canary canary("git");
  kubist::util::TempDir folder("git");
  const std::string file = (folder.path() / "routes.yaml").string();
  const std::string manifest = cat("# ours\napiVersion: kubist.io/v1alpha1\nkind: TrafficRoute\n",
                                   "metadata: {name: web, namespace: ", canary.stage.project(),
                                   "}\nspec:\n  virtualClusterRef: {name: dev}\n",
                                   "  routes:\n  - weights: [{destination: web, version: v1}]\n",
                                   "  hosts: [shop.example.com]  # and ours too\n");
  REQUIRE(kubist::util::write_file(file, manifest));
  canary.release(
      "interval: 1s, bake: 1s, weights: [50], policies: [{name: Timed, parameters: "
      "{step: 1s}}]");
  CHECK(canary.canary("promote", {"--write", file}).exit_code == 1);
  CHECK(canary.until("Succeeded") == "Succeeded");
  CHECK(condition(canary.stage.node("trafficroutes", "web"), "SpecBehind") == "True");
  const std::string released = canary.spec();
  must(canary.canary("promote", {"--write", file}));
  const std::string written = *kubist::util::read_file(file);
  CHECK(
      written.find("- destination: web\n        version: v2\n  hosts: [shop.example.com]  # and") !=
      std::string::npos);
  CHECK(written.find("v1\n") == std::string::npos);
  must(kubectl("home", {"apply", "--server-side", "--force-conflicts", "-f", file}));
  must(canary.stage.reconcile());
  const auto route = canary.stage.node("trafficroutes", "web");
  CHECK(condition(route, "SpecBehind") == "False");
  CHECK_FALSE((*route)["status"].contains("override"));
  CHECK(canary.weights() == "web v2 100 %");
  // Said once it is said.
  CHECK(must(canary.canary("promote", {"--write", file})).find("says so already") !=
        std::string::npos);
  CHECK(*kubist::util::read_file(file) == written);
  CHECK(released.find("v2") != std::string::npos);
}

TEST_CASE("canary: statuses that are lost cost no weights; a person says how it goes on") {
  Canary canary("lost");
  canary.release(k_stay);
  CHECK(canary.until("Waiting") == "Waiting");
  const std::string moved = canary.spec();
  const auto lose = [&] {
    for (const char* kind : {"canaryreleases", "trafficroutes"}) {
      must(kubectl("home", {"patch", cat(kind, ".kubist.io"), "web", "-n", canary.stage.project(),
                            "--subresource=status", "--type=merge", "-p", R"({"status":null})"}));
    }
  };
  lose();
  CHECK(canary.until("Paused") == "Paused");
  CHECK(canary.reason() == "StatusLost");
  CHECK(canary.weights() == "web v1 80 %, web v2 20 %");
  CHECK(canary.spec() == moved);
  must(canary.canary("promote", {"--full"}));
  CHECK(canary.until("Succeeded") == "Succeeded");
  const std::string promoted = canary.spec();
  lose();
  CHECK(canary.until("Paused") == "Paused");
  CHECK(canary.spec() == promoted);
  CHECK(canary.canary("abort", {"--wait"}).exit_code == 4);
  CHECK(canary.spec() == canary.original);
}

TEST_CASE("canary: a step waits for a person's yes, writes nothing while it waits, and goes on") {
  Canary canary("approval");
  const std::string gated =
      "weights: [20, 50], policies: [{name: Approval, parameters: {before: [50]}}]";
  canary.release(cat("interval: 1h, ", gated));
  const auto is_asked = [&] {
    canary.look();
    return canary.reason() == "ApprovalNeeded";
  };
  REQUIRE(eventually(is_asked, 60));
  CHECK(canary.state() == "Waiting");
  CHECK(canary.weights() == "web v1 80 %, web v2 20 %");
  const CommandResult status = canary.canary("status");
  CHECK(status.out.find(cat("kubist canary approve web -n ", canary.stage.project(),
                            " --weight 50")) != std::string::npos);
  CHECK(status.exit_code == 3);
  // One that is for another build does not count, and waiting is silent.
  Json stale = object("Approval", canary.stage.project(), "stale",
                      {{"release", "web"}, {"target", "v2/other"}, {"weight", 50}});
  put("home", {stale});
  canary.look();
  Audit audit("home");
  for (int i = 0; i < 2; ++i) {
    canary.look();
  }
  const auto writes = audit.writes(canary.stage.world().user());
  CHECK_MESSAGE(writes.empty(), (writes.empty() ? "" : writes.front().to_string()));
  const CommandResult approved = canary.canary("approve", {"--reason", "load test passed"});
  CHECK_MESSAGE(approved.exit_code == 0, approved.out, approved.err);
  const auto yes = get("home", "kappr", "web-1-50", canary.stage.project());
  REQUIRE(yes);
  CHECK((*yes)["spec"]["by"] == canary.stage.world().user());
  CHECK(text_of(yes, {"spec", "target"}) ==
        text_of(canary.stage.node("canaryreleases", "web"), {"status", "target"}));
  must(canary.canary("approve"));  // the same yes again
  canary.release(cat("interval: 1s, bake: 1s, ", gated));
  const CommandResult run = canary.look("120s");
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(canary.state() == "Succeeded");
  CHECK(canary.canary("approve").exit_code == 1);  // no step is to come
}

TEST_CASE("canary: with --watch a person's yes counts at once, long before the next look") {
  Canary canary("approved");
  canary.release(
      "interval: 10m, weights: [50], policies: [{name: Approval, parameters: {before: [50]}}]");
  Background watch(
      canary.stage.world().as_user({"reconcile", "Project/" + canary.stage.project(), "--watch"}));
  REQUIRE_MESSAGE(eventually([&] { return canary.reason() == "ApprovalNeeded"; }, 60),
                  watch.output());
  must(canary.canary("approve"));
  CHECK_MESSAGE(eventually([&] { return canary.weights() == "web v1 50 %, web v2 50 %"; }, 60),
                watch.output());
}

TEST_CASE("canary: killed after every single write, it goes on at the right step" *
          doctest::skip()) {
  Canary canary("kill");
  FaultProxy proxy;
  const std::string timed = "policies: [{name: Timed, parameters: {step: 0s}}]";
  int kills = 0;
  for (bool reached = true; reached; ++kills) {
    if (!kubist::testing::in_slice(kills)) {
      continue;
    }
    INFO("after write ", kills + 1);
    canary.release(cat("interval: 1s, bake: 1s, weights: [20, 50], ", timed));
    reached = canary.look_killed(proxy, kills + 1);
    const CommandResult next = canary.look("120s");
    CHECK_MESSAGE(next.exit_code == 0, next.out, next.err);
    CHECK(canary.state() == "Succeeded");
    CHECK(canary.steps() == "20 50 100");
    CHECK(canary.weights() == "web v1 0 %, web v2 100 %");
    must(kubectl("home", {"delete", "canaryreleases", "web", "-n", canary.stage.project()}));
    canary.back_to_stable(kills + 1);
    REQUIRE(canary.spec() == canary.original);
  }
  MESSAGE((kills - 1) << " kills");
  CHECK(kills > 10);
}

TEST_CASE(
    "canary: killed after every single write of an abort, the weights come back to the byte") {
  Canary canary("killabort");
  FaultProxy proxy;
  int kills = 0;
  for (bool reached = true; reached; ++kills) {
    if (!kubist::testing::in_slice(kills)) {
      continue;
    }
    INFO("after write ", kills + 1);
    canary.release(k_stay);
    REQUIRE(canary.until("Waiting") == "Waiting");
    CHECK(canary.spec() != canary.original);
    must(kubectl("home", {"annotate", "canaryreleases", "web", "-n", canary.stage.project(),
                          cat("kubist.io/request=abort@", kills), "--overwrite"}));
    reached = canary.look_killed(proxy, kills + 1);
    const CommandResult next = canary.look("60s");
    CHECK_MESSAGE(next.exit_code == 4, next.out, next.err);
    CHECK(canary.state() == "Aborted");
    CHECK(canary.spec() == canary.original);
    must(kubectl("home", {"delete", "canaryreleases", "web", "-n", canary.stage.project()}));
    must(canary.stage.reconcile());
  }
  MESSAGE((kills - 1) << " kills");
  CHECK(kills > 2);
}
