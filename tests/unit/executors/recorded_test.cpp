// A run that keeps its calls has every request of it but the locks' and the statuses'; a dry run,
// those that the run sends.
#include <kubist/util/text.hpp>

#include "site.hpp"
#include "support/sent_writes.hpp"

using namespace site;
using testing::Writes;

namespace {

/// A session whose writes are listened to.
struct Recorder {
  Recorder() {
    executors::Session::Options options = s.session_options();
    s.session = executors::Session::open(s.home->connect(sent), std::move(options), {}).value();
  }
  engine::Report run(kube::DryRun dry_run, bool keep_calls = true) {
    executors::ReconcileOptions options;
    options.dry_run = dry_run;
    options.keep_calls = keep_calls;
    options.parallelism = 1;
    sent->take();
    return s.reconcile(options);
  }
  /// In the order of the tree.
  static Writes kept(const engine::Report& report) {
    std::vector<kube::ApiCall> calls;
    for (const engine::NodeReport& node : report.nodes) {
      for (const engine::Write& write : node.writes) {
        if (write.call) {
          calls.push_back(*write.call);
        }
      }
    }
    return testing::writes_of(calls);
  }
  /// But what is no node's own: locks, statuses, Events.
  Writes taken() {
    Writes writes = sent->take();
    std::erase_if(writes, [](const std::string& write) {
      const std::string_view path = std::string_view(write).substr(0, write.find_first_of("?\n"));
      return path.ends_with("/status") || path.find("/leases") != std::string_view::npos ||
             path.find("/events") != std::string_view::npos;
    });
    return writes;
  }

  Site s;
  std::shared_ptr<testing::SentWrites> sent = std::make_shared<testing::SentWrites>(*s.home);
};

}  // namespace

TEST_CASE("recorded: a run has the requests that it sent, in order") {
  Recorder r;
  r.s.put("Project", "", "shop");
  const auto report = r.run(kube::DryRun::none);
  CHECK(report.summary.failed == 0);
  const Writes sent = r.taken();
  CHECK(sent.size() > 2);
  CHECK(testing::difference(r.kept(report), sent) == "");
}

TEST_CASE("recorded: a dry run has the requests of the run") {
  Recorder r;
  r.s.make_project("shop");
  r.s.reconcile();
  r.s.virtual_cluster("shop", "a");
  const auto planned = r.run(kube::DryRun::client);
  CHECK(r.sent->take().empty());
  const auto report = r.run(kube::DryRun::none);
  CHECK(report.summary.ready == 3);
  const Writes sent = r.taken();
  CHECK(sent.size() > 1);
  CHECK(testing::difference(r.kept(planned), sent) == "");
  CHECK(testing::difference(r.kept(report), sent) == "");
}

TEST_CASE("recorded: calls are kept where they are asked for") {
  Recorder r;
  r.s.put("Project", "", "shop");
  const auto report = r.run(kube::DryRun::none, false);
  CHECK(report.summary.writes > 2);
  CHECK(r.kept(report).empty());
}
