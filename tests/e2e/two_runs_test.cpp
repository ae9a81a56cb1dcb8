// Two kubists on one job, and a kubist that is stopped or killed over it: the statuses tell what
// happened, and the job runs once. KUBIST_TWO_RUNS: how many rounds two of them have, 4 by default.
#include <algorithm>
#include <csignal>
#include <cstdlib>

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/support.hpp"
#include "support/slice.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Seconds that no test waits for: the words of no other sleep.
std::string nap() { return cat(3'000'000 + ::getpid()); }

/// Part of a script: it goes on when the test wakes it.
std::string long_sleep() { return cat("sleep ", nap(), " || true"); }

void wake() {
  std::optional<pid_t> sleeper;
  REQUIRE(eventually([&] {
    sleeper = process_with({cat("sleep", '\0', nap(), '\0')});
    return sleeper.has_value();
  }));
  REQUIRE(::kill(*sleeper, SIGKILL) == 0);
}

/// A reconciled project with a place to run in, and Executions of one script each.
class Place {
 public:
  explicit Place(const std::string& test) : world(test) {
    world.make_project(world.name());
    put("home", {object("Cluster", world.name(), "home", {{"home", true}}),
                 virtual_cluster(world.name(), "dev", "home", world.name("dev"))});
    must(run_kubist({"reconcile", "Project/" + world.name(), "--timeout=60s"}));
    audit.emplace("home");
  }
  /// Its script does this work and exports how often it has run.
  void make(const std::string& execution, const std::string& work) {
    Json made =
        object("Execution", world.name(), execution, {{"virtualClusterRef", {{"name", "dev"}}}});
    made["spec"]["items"] = Json::array(
        {{{"name", "make"},
          {"type", "Script"},
          {"image", "localhost/busybox:1"},
          {"script", cat("test \"$OPERATION\" != DELETE || exit 0\n"
                         "n=$(($(cat $STATE/n 2>/dev/null || echo 0) + 1)); echo $n > $STATE/n\n",
                         work, "; echo \"count: $n\" > $EXPORT_PATH\n")}}});
    made["spec"]["exports"] =
        Json::array({{{"name", "count"}, {"item", "make"}, {"public", true}}});
    put("home", {made});
  }
  Words words(const std::string& execution) const {
    return world.as_user(
        {"reconcile", "Execution/" + execution, "-n", world.name(), "--lock-timeout=60s"});
  }
  std::optional<Json> item(const std::string& execution) const {
    return get("home", "deployitem", execution + "-make", world.name());
  }
  std::string item_status(const std::string& execution, const std::string& field) const {
    const auto found = item(execution);
    return found ? std::string(data::string_at(*found, {"status", field})) : std::string();
  }
  /// The pod of the job under way, once its workload runs.
  std::optional<std::string> running_pod(const std::string& execution) const {
    const auto found = item(execution);
    const std::string name(found ? data::string_at(*found, {"status", "providerStatus", "pod"})
                                 : std::string_view());
    const auto pod = name.empty() ? std::nullopt : get("home", "pod", name, world.name("dev"));
    const Json* containers = pod ? data::find_path(*pod, {"status", "containerStatuses"}) : nullptr;
    const bool runs = containers != nullptr && !containers->empty() &&
                      data::find_path((*containers)[0], {"state", "running"}) != nullptr;
    return runs ? std::make_optional(name) : std::nullopt;
  }
  std::string wait_for_pod(const std::string& execution, const Background& run) const {
    std::optional<std::string> pod;
    REQUIRE_MESSAGE(eventually([&] { return (pod = running_pod(execution)).has_value(); }, 60),
                    run.output());
    return *pod;
  }
  /// How often a pod was made for it, by whomever.
  long pods_made(const std::string& execution) {
    const auto writes = audit->writes(world.user());
    return std::count_if(writes.begin(), writes.end(), [&](const AuditedWrite& write) {
      return write.resource == "pods" && write.verb == "create" && write.subresource.empty() &&
             write.name.starts_with(execution + "-make-");
    });
  }
  /// No object of the tree says that something was lost or cut off.
  void check_no_lie(const std::string& execution) const {
    const std::string& project = world.name();
    const std::pair<const char*, std::string> all[]{{"deployitem", execution + "-make"},
                                                    {"execution", execution},
                                                    {"kvc", "dev"},
                                                    {"clusters.kubist.io", "home"},
                                                    {"kproj", project}};
    for (const auto& [type, name] : all) {
      const auto object = get("home", type, name, type == std::string("kproj") ? "" : project);
      REQUIRE(object);
      const std::string status = data::to_json(object->value("status", Json::object()));
      CAPTURE(name);
      CAPTURE(status);
      for (const char* lie : {"PodVanished", "deleted by somebody", "ancelled", "Failed"}) {
        CHECK_FALSE(has(status, lie));
      }
    }
  }
  /// It has succeeded, after that many runs in all.
  void check_done(const std::string& execution, int runs) {
    CHECK(item_status(execution, "phase") == "Succeeded");
    CHECK(item_status(execution, "jobID") == item_status(execution, "jobIDFinished"));
    const auto live = get("home", "execution", execution, world.name());
    CHECK(condition(live, "Ready") == "True");
    CHECK(data::int_at(*live, {"status", "exports", "value", "count"}) == runs);
    CHECK(pods_made(execution) == runs);
    check_no_lie(execution);
  }

  World world;
  std::optional<Audit> audit;
};

}  // namespace

TEST_CASE("two runs: both tell what happened, however far apart they begin") {
  Place place("two");
  const char* asked = std::getenv("KUBIST_TWO_RUNS");
  const int rounds = std::max(2, asked != nullptr ? std::atoi(asked) : 4);
  for (int round = 0; round < rounds; ++round) {
    if (!kubist::testing::in_slice(round)) {
      continue;
    }
    const std::string name = cat("r", round);
    const std::chrono::milliseconds apart(5000 * round / (rounds - 1));
    CAPTURE(apart.count());
    place.make(name, "sleep 3");
    Background first(place.words(name));
    kubist::util::sleep_for(apart, {});  // the distance is what is tested
    Background second(place.words(name));
    CHECK_MESSAGE(first.wait(60) == 0, first.output());
    CHECK_MESSAGE(second.wait(60) == 0, second.output());
    place.check_done(name, 1);
  }
}

TEST_CASE("two runs: one is stopped or killed, the other sees the job to its end") {
  Place place("one-ends");
  int round = 0;
  for (const int signal : {SIGINT, SIGKILL}) {
    for (const bool first_ends : {true, false}) {
      const std::string name = cat("s", round++);
      CAPTURE(signal);
      CAPTURE(first_ends);
      place.make(name, long_sleep());
      Background first(place.words(name));
      place.wait_for_pod(name, first);
      Background second(place.words(name));
      CHECK_MESSAGE(eventually([&] { return has(second.output(), "waiting for the workload"); }),
                    second.output());
      Background& victim = first_ends ? first : second;
      Background& other = first_ends ? second : first;
      victim.signal(signal);
      CHECK_MESSAGE(victim.wait(20) == 128 + signal, victim.output());
      place.check_no_lie(name);
      wake();
      CHECK_MESSAGE(other.wait(60) == 0, other.output());
      place.check_done(name, 1);
      const CommandResult next = run_kubist(place.words(name));
      CHECK_MESSAGE(next.exit_code == 0, next.out, next.err);
      place.check_done(name, 1);
    }
  }
}

TEST_CASE("two runs: Ctrl-C, SIGTERM and --timeout end the waiting, not the job") {
  Place place("stop");
  const std::string name = "job";
  place.make(name, "true");
  must(run_kubist(place.words(name)));  // so that there are exports of before
  place.check_done(name, 1);
  place.make(name, long_sleep());
  std::string pod;
  for (const int signal : {SIGINT, SIGTERM}) {
    CAPTURE(signal);
    Background run(place.words(name));
    pod = place.wait_for_pod(name, run);
    CHECK_MESSAGE(eventually([&] { return has(run.output(), "waiting for the workload"); }),
                  run.output());
    run.signal(signal);
    CHECK_MESSAGE(run.wait(20) == 128 + signal, run.output());
    const std::string told = cat("stopped waiting: pod ", place.world.name("dev"), "/", pod,
                                 " runs on; the next reconcile sees it to its end");
    const std::string output = run.output();
    CHECK_MESSAGE(has(output, told), output);
    CHECK(output.find(told) == output.rfind(told));
    CHECK_FALSE(has(output, "ancelled"));
    place.check_no_lie(name);
    CHECK(place.item_status(name, "phase") == "Progressing");
    CHECK(condition(get("home", "execution", name, place.world.name()), "Stalled") != "True");
  }
  Words hurried = place.words(name);
  hurried.push_back("--timeout=2s");
  const CommandResult late = run_kubist(hurried);
  CHECK_MESSAGE(late.exit_code == 3, late.out, late.err);
  place.check_no_lie(name);
  CHECK(place.running_pod(name) == pod);
  Background next(place.words(name));
  CHECK_MESSAGE(eventually([&] { return has(next.output(), "waiting for the workload"); }),
                next.output());
  wake();
  CHECK_MESSAGE(next.wait(60) == 0, next.output());
  place.check_done(name, 2);
}
