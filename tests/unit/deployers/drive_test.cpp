// How a job that is driven here ends: by its deployer, by another kubist, or not yet, after a stop.
#include <algorithm>
#include <atomic>
#include <future>
#include <latch>
#include <thread>
#include <utility>

#include <doctest/doctest.h>

#include <kubist/data/json_patch.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/handshake.hpp>
#include <kubist/deployers/runner.hpp>

#include "item/session.hpp"
#include "support/fake_transport.hpp"

using namespace kubist;
using namespace kubist::deployers;

namespace {

Progress progress_of(Progress::State state, std::string reason) {
  Progress progress;
  progress.state = state;
  progress.operation = "RunWorkload";
  progress.reason = std::move(reason);
  progress.message = "of the deployer";
  return progress;
}

/// A DeployItem with a job that is under way, in a server of its own.
struct Fixture {
  explicit Fixture(const std::string& ns = "ns") {
    const std::string path =
        "/apis/landscaper.gardener.cloud/v1alpha1/namespaces/" + ns + "/deployitems/x";
    item = {
        {"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
        {"kind", "DeployItem"},
        {"metadata", {{"name", "x"}, {"namespace", ns}, {"uid", "u"}, {"resourceVersion", "1"}}},
        {"spec", {{"type", "kubist.io/mock"}, {"config", {{"phase", "Succeeded"}}}}}};
    const auto now = std::chrono::system_clock::now();
    item["status"] = taken_up(triggered(Json::object(), "job", now), 1, false, now);
    job.id = "job";
    job.started = now;
    fake->handle("GET", path, [this](const http::Request&) { return answer(200, item); });
    fake->handle("PATCH", path + "/status", [this](const http::Request& request) {
      const Json patch = Json::parse(*request.body);
      if (patch["metadata"]["resourceVersion"] != item["metadata"]["resourceVersion"]) {
        return answer(409, {{"kind", "Status"}, {"code", 409}, {"reason", "Conflict"}});
      }
      change(patch["status"]);
      return answer(200, item);
    });
    kube::ClusterAccess access;
    access.server = "http://fake";
    kube::ClientOptions options;
    options.transport = fake;
    world.home = *kube::Client::connect(std::move(access), std::move(options));
    world.stop = source.get_token();
    world.writer = kube::Writer(kube::Writer::Rules{.before = [this]() -> util::Result<> {
      ++locks;
      if (on_lock) {
        std::exchange(on_lock, nullptr)();
      }
      return {};
    }});
    world.progress = [this](const std::string& text) { said.push_back(text); };
  }
  static util::Result<http::Response> answer(int status, const Json& body) {
    return testing::FakeTransport::answer(status, data::to_json(body));
  }
  void change(const Json& status) {
    item["status"] = data::apply_merge_patch(item["status"], status);
    item["metadata"]["resourceVersion"] = std::to_string(++version);
  }
  /// Another kubist ends the job.
  void end_elsewhere(Progress::State state = Progress::State::done) {
    change(finished(item["status"], false, progress_of(state, "Theirs"), "hash", {}, {}));
  }
  Session open() {
    return Session::open(world, std::string(resources::ObjectView(item).ns()), "x").value();
  }
  long count(const std::string& method) const {
    const auto log = fake->log();
    return std::count_if(log.begin(), log.end(),
                         [&](const std::string& line) { return line.starts_with(method + ' '); });
  }

  std::shared_ptr<testing::FakeTransport> fake = std::make_shared<testing::FakeTransport>();
  std::stop_source source;
  World world;
  Job job;
  Json item;
  int version = 1;
  int locks = 0;
  std::function<void()> on_lock;  ///< while the lock is waited for; once
  std::vector<std::string> said;
};

/// Does what it is told to.
struct ToldDeployer : Deployer {
  util::Result<> check(const Item&, const Settings&) const override { return {}; }
  Json identity(const Item&, const Settings&) const override { return {}; }
  Uninstall uninstall(const Item&) const override { return {}; }
  util::Result<Progress> advance(World& world, const Item&, const Job&) const override {
    return on_advance(world);
  }
  util::Result<Progress> stop(World&, const Item&, const Job&) const override {
    return progress_of(Progress::State::done, "");
  }
  util::Result<Progress> clean_up(World&, const Item&, const Job&) const override {
    return progress_of(Progress::State::done, "");
  }
  std::function<util::Result<Progress>(World&)> on_advance;
};

}  // namespace

TEST_CASE("drive: a pod that is gone since another kubist ended the job has not vanished") {
  Fixture f;
  ToldDeployer deployer;
  Session session = f.open();
  SUBCASE("the end is written: no lock is taken") {
    deployer.on_advance = [&](World&) {
      f.end_elsewhere();
      return progress_of(Progress::State::failed, "PodVanished");
    };
    REQUIRE(drive(f.world, session, deployer, f.job, false));
    CHECK(f.locks == 0);
    CHECK(is_over(session.status(), "job"));
    CHECK(data::string_at(session.status(), {"phase"}) == "Succeeded");
  }
  SUBCASE("the end is written before the lock is free") {
    f.on_lock = [&] { f.end_elsewhere(Progress::State::failed); };
    deployer.on_advance = [&](World&) {
      return progress_of(Progress::State::failed, "PodVanished");
    };
    REQUIRE(drive(f.world, session, deployer, f.job, false));
    CHECK(is_over(session.status(), "job"));
    CHECK(data::string_at(session.status(), {"lastError", "reason"}) == "Theirs");
  }
  SUBCASE("nobody has ended it: it has") {
    deployer.on_advance = [&](World&) {
      return progress_of(Progress::State::failed, "PodVanished");
    };
    const auto end = drive(f.world, session, deployer, f.job, false);
    REQUIRE(end);
    CHECK(end->reason == "PodVanished");
    CHECK(f.locks == 1);
    CHECK_FALSE(is_over(session.status(), "job"));
  }
  CHECK(f.count("PATCH") == 0);
}

TEST_CASE("drive: what a member's server says is told cut") {
  Fixture f;
  ToldDeployer deployer;
  Session session = f.open();
  Progress::State state{};
  deployer.on_advance = [&](World&) {
    Progress progress = progress_of(state, std::string(100'000, 'r'));
    progress.message = std::string(100'000, 'm');
    return progress;
  };
  for (const auto each : {Progress::State::running, Progress::State::failed}) {
    state = each;
    const auto end = drive(f.world, session, deployer, f.job, false);
    REQUIRE(end);
    CHECK(end->message == std::string(16'384, 'm') + " ... (cut)");
    CHECK(end->reason.size() < 300);
  }
  REQUIRE(f.said.size() == 1);
  CHECK(f.said[0].size() < 17'000);
  CHECK(data::to_json(f.item).size() < 20'000);
}

TEST_CASE("drive: nothing is started by what was known before the lock was taken") {
  Fixture f;
  ToldDeployer deployer;
  Session session = f.open();
  int asked = 0;
  int started = 0;
  deployer.on_advance = [&](World& world) -> util::Result<Progress> {
    ++asked;
    KUBIST_CHECK(world.writer.rules().before());
    ++started;
    return progress_of(Progress::State::done, "Succeeded");
  };
  SUBCASE("the job is over by then") {
    f.on_lock = [&] { f.end_elsewhere(); };
    REQUIRE(drive(f.world, session, deployer, f.job, false));
    CHECK(started == 0);
    CHECK(is_over(session.status(), "job"));
  }
  SUBCASE("the item is another by then: the deployer is asked again") {
    f.on_lock = [&] { f.change({{"providerStatus", {{"pod", "p"}}}}); };
    REQUIRE(drive(f.world, session, deployer, f.job, false));
    CHECK(asked == 2);
    CHECK(started == 1);
  }
  SUBCASE("the item is as it was") {
    REQUIRE(drive(f.world, session, deployer, f.job, false));
    CHECK(asked == 1);
    CHECK(started == 1);
  }
  SUBCASE("what the run was planned on has changed: it ends with that error") {
    f.world.writer = f.world.writer.with_before([]() -> util::Result<> {
      util::Error error = util::make_error(util::ErrorKind::conflict, "planned on something else");
      error.reason = "PlanChanged";
      return util::fail(std::move(error));
    });
    const auto end = drive(f.world, session, deployer, f.job, false);
    REQUIRE_FALSE(end);
    CHECK(end.error().reason == "PlanChanged");
    CHECK(started == 0);
  }
}

TEST_CASE("drive: deployers that throw do not take the turns of others with them") {
  Fixture f;
  ToldDeployer deployer;
  Session session = f.open();
  deployer.on_advance = [](World&) -> util::Result<Progress> { throw std::bad_alloc(); };
  for (int i = 0; i < 100; ++i) {  // waits for ever where a turn is lost
    CHECK_THROWS_AS(static_cast<void>(drive(f.world, session, deployer, f.job, false)),
                    std::bad_alloc);
  }
}

TEST_CASE("drive: items of one project that get no answer keep no other project's, and no stop") {
  Fixture hostile("hostile");
  ToldDeployer hangs;
  std::latch taken(16);  // all that one project may have
  std::promise<void> let_go;
  std::atomic<bool> in_time = true;
  hangs.on_advance = [&, gone = let_go.get_future().share()](World&) {
    taken.count_down();
    in_time = gone.wait_for(std::chrono::seconds(10)) == std::future_status::ready && in_time;
    return progress_of(Progress::State::done, "Succeeded");
  };
  const auto hang = [&] {
    Session session = hostile.open();
    Job job = hostile.job;
    static_cast<void>(drive(hostile.world, session, hangs, job, false));
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back(hang);
    }
    taken.wait();
    ToldDeployer deployer;
    deployer.on_advance = [](World&) { return progress_of(Progress::State::done, "Succeeded"); };
    Fixture other;
    Session session = other.open();
    const auto end = drive(other.world, session, deployer, other.job, false);
    CHECK(end.value().reason == "Succeeded");

    Fixture stopped("hostile");
    Session waiting = stopped.open();
    stopped.source.request_stop();
    CHECK(drive(stopped.world, waiting, deployer, stopped.job, false).value().message ==
          "kubist was stopped before it was done");
    let_go.set_value();
  }
  CHECK(in_time);
}

TEST_CASE("drive: items side by side tell of their writes one at a time") {
  Fixture f;
  std::atomic<int> inside = 0;
  std::atomic<bool> overlapped = false;
  f.world.writer = kube::Writer(kube::Writer::Rules{.told = [&](const kube::Write&) {
    overlapped = ++inside != 1 || overlapped;
    std::this_thread::yield();
    --inside;
  }});
  std::latch both(2);
  ToldDeployer deployer;
  deployer.on_advance = [&](World& world) {
    both.arrive_and_wait();
    for (int i = 0; i < 50; ++i) {
      world.writer.tell({});
    }
    return progress_of(Progress::State::done, "Succeeded");
  };
  const auto run = [&] {
    Session session = f.open();
    Job job = f.job;
    static_cast<void>(drive(f.world, session, deployer, job, false));
  };
  {
    const std::jthread other(run);
    run();
  }
  CHECK_FALSE(overlapped);
}

TEST_CASE("drive: who works under the lock reads the item no second time when all goes well") {
  Fixture f;
  ToldDeployer deployer;
  Session session = f.open();
  REQUIRE(session.write_status([](Json status) {
    status["deployer"]["identity"] = "us";
    return status;
  }));
  const long reads = f.count("GET");
  deployer.on_advance = [&](World& world) -> util::Result<Progress> {
    KUBIST_CHECK(world.writer.rules().before());
    return progress_of(Progress::State::done, "Succeeded");
  };
  const auto end = drive(f.world, session, deployer, f.job, false);
  REQUIRE(end);
  CHECK(end->reason == "Succeeded");
  CHECK(f.count("GET") == reads);
}

TEST_CASE("drive: a stop leaves the job as it is, and says once what runs on") {
  Fixture f;
  ToldDeployer deployer;
  Session session = f.open();
  SUBCASE("in the middle of a request") {
    deployer.on_advance = [&](World&) -> util::Result<Progress> {
      f.source.request_stop();
      return util::fail(util::ErrorKind::cancelled, "GET /x: cancelled");
    };
    const auto end = drive(f.world, session, deployer, f.job, true);
    REQUIRE(end);
    CHECK(end->state == Progress::State::running);
    CHECK(end->message == "kubist was stopped before it was done");
    CHECK(f.said ==
          std::vector<std::string>{
              "stopped: DeployItem ns/x is not done; the next reconcile goes on with it"});
    CHECK(f.count("PATCH") == 0);
  }
  SUBCASE("while its pod runs") {
    deployer.on_advance = [&](World&) -> util::Result<Progress> {
      f.source.request_stop();
      Progress running = progress_of(Progress::State::running, "Running");
      running.provider_status = {{"pod", "p"}, {"podNamespace", "there"}};
      return running;
    };
    const auto end = drive(f.world, session, deployer, f.job, true);
    REQUIRE(end);
    CHECK(end->state == Progress::State::running);
    REQUIRE_FALSE(f.said.empty());
    CHECK(f.said.back() ==
          "stopped waiting: pod there/p runs on; the next reconcile sees it to its end");
    CHECK(std::count(f.said.begin(), f.said.end(), f.said.back()) == 1);
    CHECK(data::string_at(f.item, {"status", "phase"}) == "Progressing");
  }
  CHECK(data::to_json(f.item).find("ancelled") == std::string::npos);
}

TEST_CASE("session: after a stop no failure is written, whoever found it") {
  Fixture f;
  Session session = f.open();
  f.source.request_stop();
  const auto written = session.write_status([](Json status) {
    return finished(std::move(status), false, progress_of(Progress::State::failed, "Timeout"), "",
                    {}, {});
  });
  REQUIRE_FALSE(written);
  CHECK(written.error().kind == util::ErrorKind::cancelled);
  CHECK(f.count("PATCH") == 0);
  CHECK(session.write_status([](Json status) {
    return finished(std::move(status), false, progress_of(Progress::State::done, "Succeeded"),
                    "hash", {}, {});
  }));
  CHECK(data::string_at(f.item, {"status", "phase"}) == "Succeeded");
}

TEST_CASE("run: the outcome of a job is that of the kubist that ended it") {
  Fixture f;
  f.world.place_of = [&](const std::string& ns, const std::string&) -> util::Result<Place> {
    return Place{f.world.home, ns, ""};
  };
  f.item["metadata"]["finalizers"] = Json::array({k_finalizer});
  f.item["spec"]["config"]["phase"] = "Failed";  // what this kubist would say of it
  f.on_lock = [&] { f.end_elsewhere(); };
  const auto outcome = run_item(f.world, "ns", "x");
  REQUIRE_MESSAGE(outcome, outcome.error().to_string());
  CHECK(outcome->state == Progress::State::done);
  CHECK(outcome->phase == "Succeeded");
  CHECK(f.count("PATCH") == 0);
}
