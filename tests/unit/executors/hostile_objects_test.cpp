// Random hostile objects of every kind cost only the project that they are in.
#include <cstdlib>
#include <mutex>
#include <set>

#include <kubist/data/json_text.hpp>
#include <kubist/engine/report.hpp>
#include <kubist/resources/validate.hpp>
#include <kubist/runtimes/jsonnet.hpp>

#include "hostile_village.hpp"
#include "watch_site.hpp"

using namespace site;

/// Policies and templates in Jsonnet run in this program: see tests/unit/main.cpp.
int jsonnet_child() { return runtimes::jsonnet_child_main(); }

namespace {

constexpr int k_batches = 13;
constexpr std::size_t k_requests = 8000;  ///< of one run at most

/// What was really looked at.
struct Seen {
  std::size_t objects = 0, valid = 0, nodes = 0, ready = 0, traces = 0;
  std::set<std::string> kinds;
};

/// What an honest change writes where nobody is hostile.
const std::vector<std::string>& honest_writes() {
  static const std::vector<std::string> writes = [] {
    Village s;
    s.forget();
    s.change("a");
    s.run();
    return s.written_in_shop().first;
  }();
  return writes;
}

void count(const std::vector<Json>& made, Seen& seen) {
  for (const Json& each : made) {
    ++seen.objects;
    seen.kinds.insert(each["kind"].get<std::string>());
    seen.valid += resources::validate_object({each, {}, {}, {}}).empty() ? 1 : 0;
  }
}

void check_report(const executors::Run& run, Seen& seen) {
  CHECK_FALSE(run.report.stopped);
  for (const engine::NodeReport& node : run.report.nodes) {
    check_node(node);
    if (is_honest(node)) {
      CHECK_MESSAGE(node.ready, node.key.kind, '/', node.key.name, ": ", node.message);
      continue;
    }
    ++seen.nodes;
    seen.ready += node.ready ? 1 : 0;
  }
  for (const util::Error& error : run.report.status_errors()) {
    check_text(error.to_string());
  }
  for (const std::string& warning : run.warnings) {
    check_text(warning);
  }
  CHECK(Json::accept(data::to_json(engine::to_json(run.report))));
}

void check_written(const Village& s, const std::vector<Json>& made) {
  const auto [own, others] = s.written_in_shop();
  CHECK(util::join(own, "\n") == util::join(honest_writes(), "\n"));
  check_others(others, places_of(made));
  CHECK(s.home->log().size() < k_requests);
}

/// As `policy trace` of each does.
void trace(Village& s, const std::vector<Json>& made, Seen& seen) {
  for (const Json& each : made) {
    if (each["kind"] != "CanaryRelease" && each["kind"] != "Experiment") {
      continue;
    }
    const auto look = s.session->trace_policies(resources::ObjectView(each).ref(), {});
    if (!look) {
      check_text(look.error().to_string());
      continue;
    }
    for (const engine::PolicyVerdict& verdict : look->verdicts) {
      for (const engine::PolicyTrace& policy : verdict.trace) {
        check_text(data::to_json(engine::to_json(policy)));
        ++seen.traces;
      }
    }
  }
}

/// The deletion of the hostile project: whatever stays in it, the honest one stays.
void remove_evil(Village& s, const std::vector<Json>& made, Seen& seen) {
  auto options = only({key("Project", "", "evil")});
  options.mode = engine::Mode::remove;
  options.abandon = true;
  s.forget();
  for (int walk = 0; walk < 3; ++walk) {
    options.ignore_missing = true;
    check_report(s.run(options), seen);
  }
  const auto [own, others] = s.written_in_shop();
  CHECK(own.empty());
  check_others(others, places_of(made));
}

/// Those that came to a run, by their keys, with what a run says of each node checked.
class Reported {
 public:
  void add(const executors::Run& run) {
    const std::lock_guard lock(m_mutex);
    for (const engine::NodeReport& node : run.report.nodes) {
      check_node(node);
      if (!is_honest(node)) {
        m_keys.insert(node.key);
      }
    }
  }
  /// No run is added meanwhile.
  [[nodiscard]] std::unique_lock<std::mutex> hold() const { return std::unique_lock(m_mutex); }
  /// REQUIRES: hold().
  void forget() { m_keys.clear(); }
  std::size_t count() const {
    const std::lock_guard lock(m_mutex);
    return m_keys.size();
  }

 private:
  mutable std::mutex m_mutex;
  std::set<engine::Key> m_keys;
};

std::vector<Json> make_quick_batch(testing::HostileObjects& objects) {
  std::vector<Json> made = make_batch(objects, 0);
  for (Json& each : made) {
    keep_from_waiting(each);
  }
  return made;
}

void run_batch(testing::HostileObjects& objects, int batch, Seen& seen) {
  Village s;
  const std::vector<Json> made = make_batch(objects, batch);
  count(made, seen);
  for (const Json& each : made) {
    s.home->plant(each);
  }
  s.forget();
  executors::ReconcileOptions dry;
  dry.dry_run = kube::DryRun::client;
  check_report(s.run(dry), seen);
  CHECK(s.writes() == 0);
  for (Json each : made) {
    if (each["kind"] == "Execution" || each["kind"] == "DeployItem") {
      keep_from_waiting(each);
      s.home->plant(each);
    }
  }
  s.forget();
  s.change("a");
  check_report(s.run(), seen);
  check_written(s, made);
  if (batch % 4 == 0) {
    trace(s, made, seen);
  } else if (batch % 4 == 1) {
    remove_evil(s, made, seen);
  }
}

}  // namespace

TEST_CASE("hostile objects: a thousand of every kind fail themselves alone") {
  ::setenv("KUBIST_HELM", "/nonexistent/helm", 1);
  const auto seed = hostile_seed();
  CAPTURE(seed);
  testing::HostileObjects objects(seed);
  Seen seen;
  for (int batch = 0; batch < k_batches; ++batch) {
    CAPTURE(batch);
    run_batch(objects, batch, seen);
  }
  MESSAGE(seen.objects, " objects of ", seen.kinds.size(), " kinds, ", seen.valid,
          " as their schema wants; ", seen.nodes, " nodes looked at, ", seen.ready, " Ready; ",
          seen.traces, " policies traced");
  CHECK(seen.objects >= 1000);
  CHECK(seen.kinds.size() == resources::kinds().size() - 1);
  CHECK(seen.valid > seen.objects / 2);
  CHECK(seen.nodes > seen.objects / 2);
}

/// Under sanitizers, beside other programs.
constexpr std::chrono::seconds k_patience{180};

TEST_CASE("hostile objects: none that comes or changes while it watches holds up the others") {
  ::setenv("KUBIST_HELM", "/nonexistent/helm", 1);
  const auto seed = hostile_seed();
  CAPTURE(seed);
  testing::HostileObjects objects(seed);
  const std::vector<Json> made = make_quick_batch(objects);
  const std::vector<Json> changed = make_quick_batch(objects);  // of the same names
  Village s;
  s.forget();
  Reported reported;
  Watch watch(s, {}, [&](executors::WatchHooks& hooks) {
    hooks.finished = [&](const executors::Run& run) { reported.add(run); };
    hooks.turned = [&](const executors::LoopState&) { const auto held = reported.hold(); };
  });
  REQUIRE(testing::comes_true([&] { return reported.count() > 0; }));
  for (const std::vector<Json>& batch : {made, changed}) {
    {
      const auto held = reported.hold();  // all come in one turn of the loop, to few runs
      reported.forget();
      for (const Json& each : batch) {
        s.home->plant(each);
      }
    }
    const std::size_t half = batch.size() / 2;
    CHECK(testing::comes_true([&] { return reported.count() > half; }, k_patience));
  }
  s.change("a");
  s.put_item({{"phase", "Succeeded"}});
  CHECK(testing::comes_true([&] { return s.is_honest_ready("a"); }));
  watch.end();
  CHECK(watch.ended);
  for (const std::string& trouble : watch.troubles) {
    check_text(trouble);
  }
  const auto [own, others] = s.written_in_shop();
  for (const std::string& write : own) {
    CHECK_MESSAGE(
        (write == "patch namespaces shop-dev" || write == "patch virtualclusters shop/dev status" ||
         write == "patch projects shop status" || write == "patch deployitems shop/honest status"),
        write);
  }
  std::vector<Json> all = made;
  all.insert(all.end(), changed.begin(), changed.end());
  check_others(others, places_of(all));
  MESSAGE(reported.count(), " of ", made.size(), " came to a run");
}

TEST_CASE("hostile objects: any Root leaves every node Ready, or with a reason") {
  const auto seed = hostile_seed();
  CAPTURE(seed);
  testing::HostileObjects objects(seed);
  Village s;
  for (int turn = 0; turn < 30; ++turn) {
    CAPTURE(turn);
    s.home->plant(
        objects.make(*resources::find_kind("kubist.io", "Root"), "", "root", {"Project/shop"}));
    const executors::Run run = s.run();
    CHECK_FALSE(run.report.stopped);
    CHECK(run.report.summary.nodes > 10);
    for (const engine::NodeReport& node : run.report.nodes) {
      check_node(node);
    }
  }
}
