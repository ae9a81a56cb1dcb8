// What is thrown on any thread of a run is an error of what the thread worked on, and of no more.
#include <atomic>
#include <new>
#include <thread>

#include <kubist/executors/followed_files.hpp>
#include <kubist/executors/lease.hpp>
#include <kubist/executors/replica.hpp>
#include <kubist/executors/watch_loop.hpp>
#include <kubist/util/fs.hpp>

#include "session/tree_keeper.hpp"
#include "site.hpp"
#include "support/comes_true.hpp"
#include "world/absences.hpp"

using namespace site;
using namespace std::chrono_literals;

namespace {

/// A network that throws at request number `at` (from 0) of those for that namespace, and its like.
class ThrowingNetwork : public http::Transport {
 public:
  ThrowingNetwork(std::shared_ptr<http::Transport> inner, std::string ns, int at)
      : m_inner(std::move(inner)), m_ns(std::move(ns)), m_at(at) {}
  http::Call start(http::Request request, http::Done done) override {
    if (request.url.find(m_ns) != std::string::npos && m_count++ == m_at) {
      thrown_at = request.url;
      throw std::bad_alloc();
    }
    return m_inner->start(std::move(request), std::move(done));
  }
  std::string thrown_at;

 private:
  std::shared_ptr<http::Transport> m_inner;
  std::string m_ns;
  int m_at;
  std::atomic<int> m_count = 0;
};

Json item(const std::string& ns, const std::string& name, Json spec) {
  Json made = object("DeployItem", ns, name, std::move(spec));
  made["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
  return made;
}

/// Projects shop and blog: a virtual cluster each, here and on a target whose Istio is checked, and
/// a manifest item whose objects are more than are read by name.
void make_projects(Site& s) {
  for (const std::string ns : {"shop", "blog"}) {
    s.make_project(ns);
    s.virtual_cluster(ns, "a");
    s.secret(ns, "far", Site::kubeconfig(s.far->server()));
    s.put("Cluster", ns, "far",
          {{"kubeconfigSecretRef", {{"name", "far"}}}, {"istio", {{"mode", "Check"}}}});
    Json manifests = Json::array();
    for (int i = 0; i < 20; ++i) {
      manifests.push_back(plain("ConfigMap", ns + "-a", cat("map-", i)));
    }
    s.home->put(item(ns, "maps",
                     {{"type", "kubist.io/manifest"},
                      {"target", {{"name", "a"}}},
                      {"config", {{"manifests", manifests}}}}));
  }
}

/// Names of nodes of that project that failed.
std::vector<std::string> failed_in(const engine::Report& report, const std::string& ns) {
  std::vector<std::string> names;
  for (const engine::NodeReport& node : report.nodes) {
    if (node.state == engine::NodeState::failed && (node.key.ns == ns || node.key.name == ns)) {
      names.push_back(cat(node.key.kind, '/', node.key.name, ": ", node.message));
    }
  }
  return names;
}

}  // namespace

TEST_CASE("thrown: whatever request for a project throws, it fails no other project's nodes") {
  bool is_thrown = true;
  int failed = 0;
  for (int at = 0; is_thrown; at += 10) {
    Site s;
    make_projects(s);
    const auto network = std::make_shared<ThrowingNetwork>(s.network, "blog", at);
    auto options = s.session_options();
    options.clients.transport = network;
    s.session = executors::Session::open(s.home->connect(network), options, {}).value();
    const auto report = s.reconcile();
    CHECK_MESSAGE(failed_in(report, "shop").empty(), network->thrown_at, "\n",
                  util::join(failed_in(report, "shop"), "\n"));
    CHECK(condition(s.vc("shop", "a")) == "True");
    CHECK(s.home->get("configmaps", "map-19", "shop-a").is_object());
    failed += report.summary.failed > 0 ? 1 : 0;
    is_thrown = !network->thrown_at.empty();
    s.open();
    CHECK(s.reconcile().summary.failed == 0);
  }
  CHECK(failed > 2);
}

TEST_CASE("thrown: an item that throws fails itself when several are run") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  s.settle();
  const Json mock{{"type", "kubist.io/mock"}, {"config", Json::object()}};
  s.home->put(item("shop", "good", mock));
  s.home->put(item("shop", "bad", mock));
  s.home->before("GET *deployitems/bad", [] { throw std::bad_alloc(); });
  const auto results =
      s.session->run_items({{"landscaper.gardener.cloud", "DeployItem", "shop", "good"},
                            {"landscaper.gardener.cloud", "DeployItem", "shop", "bad"}},
                           {}, [](const std::string&) {}, {});
  REQUIRE(results);
  CHECK((*results)[0].outcome);
  REQUIRE_FALSE((*results)[1].outcome);
  CHECK((*results)[1].outcome.error().message == "unexpected: std::bad_alloc");
}

TEST_CASE("thrown: a policy's image whose call throws fails its node, not that of others") {
  Site s;
  s.make_project("shop");
  s.home->put(object(
      "ClusterPolicyDefinition", "", "image",
      {{"runtime",
        {{"container", {{"image", "registry.example/x@sha256:" + std::string(64, 'a')}}}}}}));
  s.virtual_cluster("shop", "bad", {{"policies", {{{"name", "image"}}}}});
  s.virtual_cluster("shop", "good");
  s.home->before(
      "* *deployitems/fn-*", [] { throw std::bad_alloc(); }, 100);
  const auto report = s.reconcile();
  const auto& bad = node_of(report, "VirtualCluster", "bad");
  CHECK(bad.state == engine::NodeState::failed);
  CHECK_MESSAGE(bad.message.find("unexpected: std::bad_alloc") != std::string::npos, bad.message);
  CHECK(condition(s.vc("shop", "good")) == "True");
}

TEST_CASE("thrown: a lock is renewed again after a renewal that throws") {
  Site s;
  s.home->put(plain("Namespace", "", "shop"));
  executors::ProjectLocks::Options options;
  options.identity = "me@test";
  options.clock = &s.clock;
  options.times.retry = 1ms;
  executors::ProjectLocks locks(s.home->connect(), options);
  REQUIRE(locks.before_write("shop", {}));
  std::atomic<int> renewals = 0;
  s.home->before("PUT *leases*", [&] {
    ++renewals;
    throw std::bad_alloc();
  });
  s.home->before(
      "PUT *leases*",
      [&] {
        ++renewals;
        renewals.notify_all();
      },
      1000);
  s.clock.advance(100ms);
  renewals.wait(0);
  while (renewals < 2) {
    std::this_thread::yield();
  }
  CHECK(locks.before_write("shop", {}));
}

TEST_CASE("thrown: a lock that cannot be freed for an exception ends nothing") {
  Site s;
  s.home->put(plain("Namespace", "", "shop"));
  executors::ProjectLocks::Options options;
  options.identity = "me@test";
  options.clock = &s.clock;
  {
    executors::ProjectLocks locks(s.home->connect(), options);
    REQUIRE(locks.before_write("shop", {}));
    s.home->before("PUT *leases*", [] { throw std::bad_alloc(); });
  }
  CHECK(s.home->get("leases", "kubist", "shop")["spec"]["holderIdentity"] == "me@test");
}

TEST_CASE("thrown: lines of watches are told after one that throws") {
  std::atomic<int> told = 0;
  executors::Absences absences([&](const std::string&) {
    ++told;
    told.notify_all();
    throw std::bad_alloc();
  });
  const auto past = std::chrono::steady_clock::now() - 10s;
  absences.trouble("a", util::make_error(util::ErrorKind::unavailable, "gone"), past);
  told.wait(0);
  absences.trouble("b", util::make_error(util::ErrorKind::unavailable, "gone"), past);
  told.wait(1);
  CHECK(told == 2);
}

TEST_CASE("thrown: what is thrown in reading the tree anew, or in telling of it, ends nothing") {
  std::atomic<int> read = 0, told = 0;
  {
    executors::TreeKeeper keeper(
        [&](const std::stop_token&) -> util::Result<executors::TreeKeeper::Tree> {
          ++read;
          return executors::TreeKeeper::Tree();
        },
        [&](const executors::TreeKeeper::Tree&) {
          ++told;
          told.notify_all();
          throw std::bad_alloc();
        });
    keeper.ask();
    told.wait(0);
  }
  CHECK(read == 1);

  std::atomic<int> asked = 0;
  executors::TreeKeeper broken(
      [&](const std::stop_token&) -> util::Result<executors::TreeKeeper::Tree> {
        ++asked;
        asked.notify_all();
        throw std::bad_alloc();
      },
      [](const executors::TreeKeeper::Tree&) {});
  broken.ask();
  asked.wait(0);
}

TEST_CASE(
    "thrown: a replica renews its Lease after a renewal that throws, and so does its telling") {
  Site s;
  s.home->put(plain("Namespace", "", "kubist-system"));
  std::atomic<int> told = 0;
  executors::Replica::Options options;
  options.ns = "kubist-system";
  options.identity = "one@test";
  options.clock = &s.clock;
  options.times.retry = 1ms;
  options.tell = [&](const std::string&) {
    ++told;
    throw std::bad_alloc();
  };
  executors::Replica replica(s.home->connect(), options);
  REQUIRE(replica.start({}));
  std::atomic<int> renewals = 0;
  s.home->before("PUT *leases*", [&] {
    ++renewals;
    throw std::bad_alloc();
  });
  s.home->before(
      "PUT *leases*", [&] { ++renewals; }, 1000);
  CHECK(testing::comes_true([&] { return renewals > 2; }));
  CHECK(told == 1);
  CHECK(replica.joined());
}

TEST_CASE("thrown: a watch that throws is told and begins again, the loop goes on") {
  Site s;
  s.put("Project", "", "shop");
  s.home->before("GET *kubist.io/v1alpha1/projects?*watch=*", [] { throw std::bad_alloc(); });
  std::stop_source stop;
  executors::WatchHooks hooks;
  hooks.starting = [](const auto&, const auto&) {};
  hooks.finished = [](const executors::Run&) {};
  hooks.trouble = [](const util::Error&) {};
  std::string told;
  hooks.away = [&](const std::string& line) {
    told = line;
    stop.request_stop();
  };
  engine::Observer observer;
  CHECK(executors::watch_and_reconcile(*s.session, {}, observer, hooks, stop.get_token()));
  CHECK(told ==
        "the watch of projects.kubist.io is away, trying again: unexpected: std::bad_alloc");
}

TEST_CASE("thrown: input that throws is refused; a telling that throws ends the loop, nodes done") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  const util::TempDir folder("followed");
  const auto change = [&] { CHECK(util::write_file(folder.path() / "a.yaml", "kind: A")); };
  auto followed = executors::FollowedFiles::start({folder.path()}, false);
  REQUIRE(followed);

  std::vector<std::string> refused;
  executors::FileHooks files;
  files.read = [&]() -> util::Result<std::vector<resources::Manifest>> { throw std::bad_alloc(); };
  files.refused = [&](const util::Error& error) {
    refused.push_back(error.message);
    if (refused.size() == 2) {
      throw std::bad_alloc();
    }
    change();
  };
  executors::WatchHooks hooks;
  hooks.starting = [](const auto&, const auto&) {};
  hooks.finished = [&](const executors::Run&) { change(); };
  hooks.trouble = [](const util::Error&) {};
  hooks.away = [](const std::string&) {};
  engine::Observer observer;
  const auto ended = followed->watch(*s.session, {}, observer, hooks, files, {});
  const std::string thrown = "unexpected: std::bad_alloc";
  CHECK(refused == std::vector{thrown, thrown});
  REQUIRE_FALSE(ended);
  CHECK(ended.error().message == "the files of -f are not watched any more: " + thrown);
  CHECK(ended.error().kind == util::ErrorKind::internal);
  CHECK(condition(s.vc("shop", "a")) == "True");
}
