// What is left of a kubist that was killed, of an agent that was, and several kubists at once: one
// pod a job, state and exports right.
#include <algorithm>
#include <csignal>
#include <fstream>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/state/head.hpp>
#include <kubist/state/mark.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "write_gate.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;
namespace state = kubist::state;
namespace fs = std::filesystem;

/// Counts its runs in its state, beside 3 MiB of noise: several chunks, which must fit together.
/// The second run takes long enough to be seen while it runs.
constexpr const char* k_count = R"sh(
cd $STATE
test ! -e sums || sha256sum -c sums || exit 9
n=$(($(cat n 2> /dev/null || echo 0) + 1)); echo $n > n
dd if=/dev/urandom of=noise bs=1048576 count=3 2> /dev/null
sha256sum n noise > sums
test $n != 2 || sleep 5
echo "count: $n" > $EXPORT_PATH
)sh";

void make_item(const std::string& project, const std::string& script, const Json& more = {}) {
  Json config{{"image", "localhost/busybox:1"}, {"script", script}};
  config.update(more.is_null() ? Json::object() : more);
  put("home", {Json{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                    {"kind", "DeployItem"},
                    {"metadata", {{"name", "count"}, {"namespace", project}}},
                    {"spec", {{"type", "kubist.io/script"}, {"config", config}}}}});
}

/// The names of the pods that were made, each as often as it was.
std::multiset<std::string> pods_made(Audit& audit, const std::string& user) {
  std::multiset<std::string> names;
  for (const AuditedWrite& write : audit.writes(user)) {
    if (write.resource == "pods" && write.verb == "create" && write.subresource.empty()) {
      names.insert(write.name);
    }
  }
  return names;
}

void check_pods(Audit& audit, const World& world, std::size_t jobs) {
  const auto pods = pods_made(audit, world.user());
  CHECK(pods.size() == jobs);
  CHECK(std::set<std::string>(pods.begin(), pods.end()).size() == pods.size());
}

std::string exports(const World& world) {
  return must(run_kubist({"deployitem", "exports", "count", "--show", "-n", world.name()}));
}

/// What API readers see of the item at one moment.
struct Seen {
  explicit Seen(const World& world) {
    item = *get("home", k_items, "count", world.name());
    for (auto [type, objects] : {std::pair{"pods", &pods}, {"secrets", &secrets}}) {
      for (const Json& object : list("home", type, world.name())) {
        (*objects)[std::string(data::string_at(object, {"metadata", "name"}))] = object;
      }
    }
  }
  std::string status(const std::string& field) const {
    return std::string(data::string_at(item, {"status", field}));
  }
  bool pending() const { return status("jobID") != status("jobIDFinished"); }
  /// The pod of the job under way, which names it once it is written down.
  const Json* pod() const {
    const auto found =
        pods.find(std::string(data::string_at(item, {"status", "providerStatus", "pod"})));
    return found == pods.end() || !pending() ? nullptr : &found->second;
  }
  /// "waiting", "running", "terminated", or "".
  std::string workload() const {
    const Json* all =
        pod() == nullptr ? nullptr : data::find_path(*pod(), {"status", "containerStatuses"});
    if (all == nullptr || all->empty() || !(*all)[0].contains("state")) {
      return {};
    }
    return (*all)[0]["state"].begin().key();
  }
  /// The agent's Secret whose name ends so.
  const Json& secret(const std::string& ending) const {
    for (const auto& [name, object] : secrets) {
      if (name.ends_with(ending) && name != "count-export") {
        return object;
      }
    }
    FAIL("no Secret *" << ending);
    return item;
  }
  bool marked() const {
    const auto mark = state::mark_of(secret("-export"));
    return mark && mark->job == status("jobID");
  }
  state::Head head() const { return state::head_of_secret(secret("-state")).value(); }

  Json item;
  std::map<std::string, Json> pods, secrets;
};

/// An item, the gate before its writes, and kubists that are killed over it.
class Runs {
 public:
  explicit Runs(const std::string& test) : world(test) {
    world.make_project(world.name());
    make_item(world.name(), k_count, {{"state", {{"limit", "4Mi"}}}});
    gate.emplace(world.name());
  }
  std::string agents() const { return cat("system:serviceaccount:", world.name(), ':'); }
  Words words() const {
    return world.as_user(
        {"deployitem", "reconcile", "count", "-n", world.name(), "--lock-timeout=60s"});
  }
  Words forced() const {
    Words all = words();
    all.push_back("--force");
    return all;
  }
  /// The state as people get it; its own sums hold.
  void check_state(int count) {
    const kubist::util::TempDir folder{"state"};
    const std::string file = folder.path() / "state.tar.gz";
    must(run_kubist({"deployitem", "state", "get", "count", file, "-n", world.name()}));
    kubist::util::Command command;
    command.args = {"sh", "-c",
                    cat("cd ", folder.path().string(),
                        " && tar xzf state.tar.gz && sha256sum -c sums > /dev/null && cat n")};
    const auto read = kubist::util::run_command(command);
    REQUIRE(read);
    CHECK(read->out == cat(count, "\n"));
  }
  /// The next kubist, which nobody kills.
  CommandResult next(const Words& words) { return run_kubist(words); }

  World world;
  std::optional<WriteGate> gate;
};

/// Where a kubist is killed.
struct Phase {
  std::string name;
  WriteGate::Holds holds;  ///< the write that is not made before the kill
  std::function<bool(const Seen&)> shows;
  bool of_agent = false;  ///< that write, which goes on when kubist is dead
};

std::vector<Phase> phases(const std::string& user, const std::string& agents) {
  const auto writes = [user](const std::string& resource, const std::string& phase) {
    return [user, resource, phase](const GatedWrite& write) {
      return write.user == user && write.resource == resource &&
             data::string_at(write.object, {"status", "phase"}) == phase;
    };
  };
  const auto by_agent = [agents](const std::string& ending) {
    return [agents, ending](const GatedWrite& write) {
      return write.user.starts_with(agents) && write.name.ends_with(ending);
    };
  };
  return {
      {"running", by_agent(""), [](const Seen& seen) { return seen.workload() == "running"; },
       true},
      {"Init",
       [user](const GatedWrite& write) {
         return write.user == user && (write.resource == "secrets" || write.resource == "pods") &&
                write.operation != "DELETE";
       },
       [](const Seen& seen) {
         return seen.status("phase") == "Init" && seen.pending() && seen.workload().empty();
       }},
      {"pod created", writes("deployitems", "Progressing"),
       [](const Seen& seen) {
         return seen.status("phase") == "Init" && seen.pending() && seen.pods.size() == 1;
       }},
      {"workload ended", by_agent(""),
       [](const Seen& seen) { return seen.workload() == "terminated" && !seen.marked(); }, true},
      {"state half written", by_agent("-state"),
       [](const Seen& seen) {
         const state::Head head = seen.head();
         const std::string part(
             data::string_at(seen.secret(head.set == "a" ? "-state-b0" : "-state-a0"),
                             {"data", state::k_part_key}));
         const std::string text = kubist::util::base64_decode(part).value_or("");
         return seen.workload() == "terminated" && !seen.marked() &&
                text.find(cat(head.generation + 1)) != std::string::npos;
       },
       true},
      {"exports written",
       [user](const GatedWrite& write) {
         return write.user == user && write.name == "count-export";
       },
       [](const Seen& seen) { return seen.marked() && seen.pending(); }},
      {"final write", writes("deployitems", "Succeeded"),
       [](const Seen& seen) {
         return seen.status("phase") == "Progressing" && seen.pending() &&
                data::string_at(seen.secrets.at("count-export"), {"data", "config"}) ==
                    data::string_at(seen.secret("-export"), {"data", "config"});
       }},
      {"pod to be removed",
       [user](const GatedWrite& write) {
         return write.user == user && write.resource == "pods" && write.operation == "DELETE";
       },
       [](const Seen& seen) { return seen.status("phase") == "Succeeded" && !seen.pending(); }},
  };
}

}  // namespace

TEST_CASE("resume: in whatever phase a kubist is killed, the next one finishes its job" *
          doctest::description("seed 2.11: items may be processed several times")) {
  Runs runs("killed");
  Audit audit("home");
  must(run_kubist(runs.words()));
  int count = 1;
  for (const Phase& phase : phases(runs.world.user(), runs.agents())) {
    CAPTURE(phase.name);
    ++count;
    // A job waits for the pod of the one before, which nobody waits for at its end.
    REQUIRE(eventually([&] { return list("home", "pods", runs.world.name()).empty(); }, 120));
    runs.gate->hold(phase.holds);
    {
      Background driver(runs.forced());
      const bool shown =
          phase.name == "running"
              ? eventually([&] { return phase.shows(Seen(runs.world)); }, 120)
              : runs.gate->held() && eventually([&] { return phase.shows(Seen(runs.world)); }, 20);
      CHECK_MESSAGE(shown, Seen(runs.world).item.dump(), driver.output());
      driver.signal(SIGKILL);
      REQUIRE(driver.wait(10) == 128 + SIGKILL);
    }
    runs.gate->let_go(phase.of_agent);
    const CommandResult run = runs.next(runs.words());
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
    const Seen seen(runs.world);
    CHECK(seen.status("phase") == "Succeeded");
    CHECK_FALSE(seen.pending());
    CHECK(exports(runs.world) == cat("count: ", count, "\n"));
    runs.check_state(count);
    check_pods(audit, runs.world, static_cast<std::size_t>(count));
  }
}

TEST_CASE("resume: an agent that is killed while it saves leaves the old state; a run repairs") {
  Runs runs("agent");
  Audit audit("home");
  must(run_kubist(runs.words()));
  const state::Head before = Seen(runs.world).head();
  const auto all = phases(runs.world.user(), runs.agents());
  const Phase& half = *std::find_if(all.begin(), all.end(), [](const Phase& phase) {
    return phase.name == std::string("state half written");
  });
  for (std::size_t round = 1; round <= 2; ++round) {
    CAPTURE(round);
    runs.gate->hold(half.holds);
    Background driver(runs.forced());
    REQUIRE(runs.gate->held());
    CHECK(eventually([&] { return half.shows(Seen(runs.world)); }, 20));
    const Seen seen(runs.world);
    runs.check_state(1);
    const auto agent = process_with({std::string("agent\0collect\0", 14), seen.status("jobID")});
    REQUIRE(agent);
    REQUIRE(::kill(*agent, SIGKILL) == 0);
    runs.gate->let_go(false);
    CHECK(driver.wait(120) == 1);
    CHECK_MESSAGE(driver.output().find("sidecar") != std::string::npos, driver.output());
    CHECK(Seen(runs.world).status("phase") == "Failed");
    CHECK(Seen(runs.world).head() == before);
    CHECK(exports(runs.world) == "count: 1\n");
    runs.check_state(1);
  }
  const CommandResult run = runs.next(runs.forced());
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(exports(runs.world) == "count: 2\n");
  runs.check_state(2);
  check_pods(audit, runs.world, 4);
}

TEST_CASE("resume: two kubists at once make one pod a job, and tell of no conflict") {
  World world("two");
  world.make_project(world.name());
  make_item(world.name(),
            "n=$(($(cat $STATE/n 2>/dev/null || echo 0) + 1)); echo $n > $STATE/n\n"
            "sleep 0.5; echo \"count: $n\" > $EXPORT_PATH\n");
  must(run_kubist(world.as_user({"reconcile", "Project/" + world.name(), "--timeout=60s"})));
  Audit audit("home");
  const Words words = world.as_user(
      {"reconcile", "Project/" + world.name(), "--timeout=60s", "--lock-timeout=60s"});
  constexpr std::size_t k_rounds = 4;
  for (std::size_t round = 0; round < k_rounds; ++round) {
    must(kubectl("home", {"annotate", k_items, "count", "-n", world.name(), "--overwrite",
                          cat("kubist.io/request=reconcile@", round)}));
    Background one(words);
    Background two(words);
    CHECK_MESSAGE(one.wait(60) == 0, one.output());
    CHECK_MESSAGE(two.wait(60) == 0, two.output());
    CHECK(one.output().find("conflict") == std::string::npos);
    CHECK(two.output().find("conflict") == std::string::npos);
  }
  check_pods(audit, world, k_rounds);
  CHECK(exports(world) == cat("count: ", k_rounds + 1, "\n"));
}
