// Runs that go on side by side under --watch.
#include <condition_variable>
#include <thread>

#include <kubist/executors/watch_loop.hpp>

#include "site.hpp"

using namespace site;

namespace {

/// Lets the test wait for what other threads do to the clusters.
bool eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!holds() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return holds();
}

/// --watch over the site, until it is ended.
class Watch {
 public:
  explicit Watch(Site& site, executors::ReconcileOptions options = {}) {
    m_hooks.away = [](const std::string&) {};
    m_hooks.starting = [](const auto&) {};
    m_hooks.finished = [this](const executors::Run&) { ++finished; };
    m_hooks.trouble = [this](const util::Error& error) {
      const std::lock_guard lock(m_mutex);
      troubles.push_back(error.to_string());
    };
    m_thread = std::jthread([this, &site, options = std::move(options)] {
      ended = executors::watch_and_reconcile(*site.session, options, m_observer, m_hooks,
                                             m_stop.get_token());
    });
  }
  ~Watch() { end(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  void end() {
    m_stop.request_stop();
    if (m_thread.joinable()) {
      m_thread.join();
    }
  }

  std::atomic<int> finished = 0;
  std::vector<std::string> troubles;
  util::Result<> ended;

 private:
  std::mutex m_mutex;
  std::stop_source m_stop;
  engine::Observer m_observer;
  executors::WatchHooks m_hooks;
  std::jthread m_thread;
};

/// The first such request, or the `nth`, gets no answer before it is let go.
class Gate {
 public:
  Gate(testing::FakeCluster& cluster, const std::string& pattern, int nth = 1) : m_left(nth) {
    const auto hold = [this] {
      std::unique_lock lock(m_mutex);
      reached = --m_left == 0;
      m_changed.wait(lock, [this] { return m_open || m_left > 0; });
    };
    cluster.before(pattern, hold, nth);
  }
  void open() {
    const std::lock_guard lock(m_mutex);
    m_open = true;
    m_changed.notify_all();
  }
  std::atomic<bool> reached = false;

 private:
  std::mutex m_mutex;
  std::condition_variable m_changed;
  bool m_open = false;
  int m_left;
};

bool is_ready(Site& s, const std::string& name) { return condition(s.vc("shop", name)) == "True"; }

}  // namespace

TEST_CASE("watch loop: what hangs at one cluster holds up no other node") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near");
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.virtual_cluster("shop", "away", Json::object(), "far");
  Gate gate(*s.far, "* /version*");
  Watch watch(s);
  REQUIRE(eventually([&] { return is_ready(s, "near") && gate.reached; }));
  const Json made = s.namespace_at(s.home, "shop-near");
  s.home->remove("namespaces", "shop-near");
  CHECK(eventually([&] {
    const Json again = s.namespace_at(s.home, "shop-near");
    return !again.is_null() && again["metadata"]["uid"] != made["metadata"]["uid"];
  }));
  s.virtual_cluster("shop", "late");
  CHECK(eventually([&] { return is_ready(s, "late"); }));
  CHECK_FALSE(is_ready(s, "away"));
  gate.open();
  CHECK(eventually([&] { return is_ready(s, "away"); }));
  const auto is_whole = [&] { return condition(s.project("shop"), "TreeReady") == "True"; };
  CHECK(eventually(is_whole));
  watch.end();
  CHECK(watch.ended);
  CHECK(watch.troubles.empty());
  CHECK(s.home->get("leases", "kubist", "shop")["spec"]["holderIdentity"] == "");
}

TEST_CASE("watch loop: drift is seen however late the namespaces are listed") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near");
  const std::string lists = "GET /api/v1/namespaces?*limit=*";
  int nth = 1;
  SUBCASE("the first time") {}
  SUBCASE("again, as the watch was refused") {
    s.home->fail("GET /api/v1/namespaces?*watch=1*", 403);
    nth = 2;
  }
  Gate gate(*s.home, lists, nth);
  Watch watch(s);
  REQUIRE(eventually([&] { return is_ready(s, "near") && gate.reached; }));
  const auto is_injected = [&] {
    return s.namespace_at(s.home, "shop-near")["metadata"]["labels"].value("istio-injection", "") ==
           "enabled";
  };
  REQUIRE(is_injected());
  s.home->patch("namespaces", "shop-near", "", kube::PatchType::merge,
                {{"metadata", {{"labels", {{"istio-injection", nullptr}}}}}});
  gate.open();
  CHECK(eventually(is_injected));
}

TEST_CASE("watch loop: a change is seen however late its kind is listed") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near");
  Gate gate(*s.home, "GET */virtualclusters?*limit=*");
  Watch watch(s);
  REQUIRE(eventually([&] { return is_ready(s, "near") && gate.reached; }));
  s.virtual_cluster("shop", "near", {{"labels", {{"tier", "one"}}}});
  gate.open();
  CHECK(eventually([&] {
    return s.namespace_at(s.home, "shop-near")["metadata"]["labels"].value("tier", "") == "one";
  }));
}

TEST_CASE("watch loop: an unchanged tree is not written by runs side by side") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near");
  s.settle();
  s.forget();
  Watch watch(s);
  REQUIRE(eventually([&] { return watch.finished > 0; }));
  watch.end();
  CHECK(s.written().empty());
}

TEST_CASE("watch loop: what watches hold is not listed again") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near");
  s.settle();
  Watch watch(s);
  REQUIRE(eventually([&] { return watch.finished > 0; }));
  for (const char* tier : {"one", "two", "three"}) {
    s.forget();
    s.clock.advance(std::chrono::seconds(1));  // a plan as old as the lock is checked again
    s.virtual_cluster("shop", "near", {{"labels", {{"tier", tier}}}});
    const auto is_labelled = [&] {
      return s.namespace_at(s.home, "shop-near")["metadata"]["labels"].value("tier", "") == tier;
    };
    CHECK(eventually(is_labelled));
  }
  watch.end();
  std::vector<std::string> listed;
  for (const LoggedRequest& each : s.home->log()) {
    if (each.verb == "list" && each.target.find("kubist.io") != std::string::npos) {
      listed.push_back(each.target);
    }
  }
  CHECK_MESSAGE(listed.empty(), util::join(listed, "\n"));
}
