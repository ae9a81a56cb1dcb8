// Runs that go on side by side under --watch.
#include <condition_variable>
#include <thread>

#include <kubist/data/pointer.hpp>
#include <kubist/executors/watch_loop.hpp>

#include "site.hpp"
#include "support/comes_true.hpp"

using namespace site;

namespace {

/// --watch over the site, until it is ended.
class Watch {
 public:
  explicit Watch(Site& site, executors::ReconcileOptions options = {}) {
    m_hooks.away = [this](const std::string&) { ++away; };
    m_hooks.starting = [this](const auto&, const auto& due) {
      const std::lock_guard lock(m_mutex);
      for (const auto& entry : due) {
        asked.insert(entry.key.name);
      }
    };
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

  bool is_asked(const std::string& name) {
    const std::lock_guard lock(m_mutex);
    return asked.contains(name);
  }

  std::atomic<int> finished = 0, away = 0;
  std::vector<std::string> troubles;
  std::set<std::string> asked;  ///< names of the nodes that a run was asked for
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

/// An item that keeps an object `a` with `data.key`.
void keep_object(Site& s, const std::string& name, const std::string& kind,
                 const std::string& target = {}) {
  Json item{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
            {"kind", "DeployItem"},
            {"metadata", {{"name", name}, {"namespace", "shop"}}},
            {"spec",
             {{"type", "kubist.io/manifest"},
              {"config",
               {{"manifests",
                 {{{"apiVersion", "v1"},
                   {"kind", kind},
                   {"metadata", {{"name", "a"}}},
                   {"data", {{"key", "dmFsdWU="}}}}}}}}}}};
  if (!target.empty()) {
    item["spec"]["target"]["name"] = target;
  }
  s.home->put(item);
}
bool has_succeeded(Site& s, const std::string& name) {
  const Json item = s.home->get("deployitems.landscaper.gardener.cloud", name, "shop");
  return data::string_at(item, {"status", "phase"}) == "Succeeded";
}
const Json k_changed{{"data", {{"key", "dGhlaXJz"}}}};
bool is_mended(const std::shared_ptr<testing::FakeCluster>& where, const std::string& plural,
               const std::string& ns) {
  const Json live = where->get(plural, "a", ns);
  return data::string_at(live, {"data", "key"}) == "dmFsdWU=";
}

bool is_ready(Site& s, const std::string& name, const std::string& project = "shop") {
  return condition(s.vc(project, name)) == "True";
}

}  // namespace

TEST_CASE("watch loop: what hangs at one cluster holds up no other node") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near");
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.virtual_cluster("shop", "away", Json::object(), "far");
  Gate gate(*s.far, "* /version*");
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return is_ready(s, "near") && gate.reached; }));
  const Json made = s.namespace_at(s.home, "shop-near");
  s.home->remove("namespaces", "shop-near");
  CHECK(testing::comes_true([&] {
    const Json again = s.namespace_at(s.home, "shop-near");
    return !again.is_null() && again["metadata"]["uid"] != made["metadata"]["uid"];
  }));
  s.virtual_cluster("shop", "late");
  CHECK(testing::comes_true([&] { return is_ready(s, "late"); }));
  CHECK_FALSE(is_ready(s, "away"));
  gate.open();
  CHECK(testing::comes_true([&] { return is_ready(s, "away"); }));
  const auto is_whole = [&] { return condition(s.project("shop"), "TreeReady") == "True"; };
  CHECK(testing::comes_true(is_whole));
  watch.end();
  CHECK(watch.ended);
  CHECK(watch.troubles.empty());
  CHECK(s.home->get("leases", "kubist", "shop")["spec"]["holderIdentity"] == "");
}

TEST_CASE("watch loop: drift is seen however late the namespaces are listed") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near", testing::in_the_mesh());
  const std::string lists = "GET /api/v1/namespaces?*limit=*";
  int nth = 1;
  SUBCASE("the first time") {}
  SUBCASE("again, as the watch was refused") {
    s.home->fail("GET /api/v1/namespaces?*watch=1*", 403);
    nth = 2;
  }
  Gate gate(*s.home, lists, nth);
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return is_ready(s, "near") && gate.reached; }));
  const auto is_injected = [&] {
    return s.namespace_at(s.home, "shop-near")["metadata"]["labels"].value("istio-injection", "") ==
           "enabled";
  };
  REQUIRE(is_injected());
  s.home->patch("namespaces", "shop-near", "", kube::PatchType::merge,
                {{"metadata", {{"labels", {{"istio-injection", nullptr}}}}}});
  gate.open();
  CHECK(testing::comes_true(is_injected));
}

TEST_CASE("watch loop: a change is seen however late its kind is listed") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near");
  Gate gate(*s.home, "GET */virtualclusters?*limit=*");
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return gate.reached.load(); }));
  s.virtual_cluster("shop", "near", {{"labels", {{"tier", "one"}}}});
  gate.open();
  REQUIRE(testing::comes_true([&] { return is_ready(s, "near"); }));
  CHECK(testing::comes_true([&] {
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
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  watch.end();
  CHECK(s.written().empty());
}

TEST_CASE("watch loop: what watches hold is not listed again") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near");
  s.settle();
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  for (const char* tier : {"one", "two", "three"}) {
    s.forget();
    s.clock.advance(std::chrono::seconds(1));  // a plan as old as the lock is checked again
    s.virtual_cluster("shop", "near", {{"labels", {{"tier", tier}}}});
    const auto is_labelled = [&] {
      return s.namespace_at(s.home, "shop-near")["metadata"]["labels"].value("tier", "") == tier;
    };
    CHECK(testing::comes_true(is_labelled));
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

TEST_CASE("watch loop: what was refused is tried again when a watch that was refused is back") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near");
  s.settle();
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  s.home->fail("P* /api/v1/namespaces*shop-late*", 403);
  s.virtual_cluster("shop", "late");
  REQUIRE(
      testing::comes_true([&] { return condition(s.vc("shop", "late"), "Stalled") == "True"; }));
  s.home->fail("GET /api/v1/namespaces?*", 403, 3);
  s.home->cut_watches();
  CHECK(testing::comes_true([&] { return is_ready(s, "late"); }));
}

TEST_CASE("watch loop: what is made while a kind is missing is ready when that is back") {
  Site s;
  s.make_project("shop");
  s.settle();
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  s.home->fail("GET /apis/kubist.io/v1alpha1/*executions?*", 404, 5);
  s.home->cut_watches();
  REQUIRE(testing::comes_true([&] { return watch.away > 0; }));
  for (const char* name : {"one", "two"}) {
    s.virtual_cluster("shop", name);
    REQUIRE(testing::comes_true([&] { return watch.is_asked(name); }));
  }
  CHECK(testing::comes_true([&] { return is_ready(s, "one") && is_ready(s, "two"); }));
  watch.end();
  REQUIRE(watch.troubles.size() == 1);  // told once
  CHECK(watch.troubles[0].find("cannot list executions: ") == 0);
}

TEST_CASE("watch loop: what changed at a target that was off is mended when it is back") {
  Site s;
  s.make_project("shop");
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.virtual_cluster("shop", "away", testing::in_the_mesh(), "far");
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return is_ready(s, "away"); }));
  s.network->remove("far");
  s.far->cut_watches();
  s.virtual_cluster("shop", "late", Json::object(), "far");
  // Its own request fails, or its Cluster's did before.
  REQUIRE(testing::comes_true([&] {
    const std::string ready = condition(s.vc("shop", "late"));
    return ready == "False" || ready == "Unknown";
  }));
  s.far->patch("namespaces", "shop-away", "", kube::PatchType::merge,
               {{"metadata", {{"labels", {{"istio-injection", nullptr}}}}}});
  s.network->add(s.far);
  CHECK(testing::comes_true([&] {
    return s.namespace_at(s.far, "shop-away")["metadata"]["labels"].contains("istio-injection");
  }));
  CHECK(testing::comes_true([&] { return is_ready(s, "late"); }));
}

TEST_CASE("watch loop: what others change of an item's objects is mended, also at a target") {
  Site s;
  s.make_project("shop");
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.virtual_cluster("shop", "away", Json::object(), "far");
  keep_object(s, "near", "ConfigMap");
  keep_object(s, "remote", "ConfigMap", "away");
  Watch watch(s);
  REQUIRE(
      testing::comes_true([&] { return has_succeeded(s, "near") && has_succeeded(s, "remote"); }));
  s.home->patch("configmaps", "a", "shop", kube::PatchType::merge, k_changed);
  CHECK(testing::comes_true([&] { return is_mended(s.home, "configmaps", "shop"); }));
  s.far->remove("configmaps", "a", "shop-away");
  CHECK(testing::comes_true([&] { return is_mended(s.far, "configmaps", "shop-away"); }));
  watch.end();
  CHECK(watch.troubles.empty());
}

TEST_CASE("watch loop: what no watch tells of is found when all is looked at again") {
  Site s;
  s.make_project("shop");
  keep_object(s, "near", "Secret");
  executors::ReconcileOptions options;
  options.resync = std::chrono::milliseconds(500);
  Watch watch(s, options);
  REQUIRE(testing::comes_true([&] { return has_succeeded(s, "near"); }));
  s.home->patch("secrets", "a", "shop", kube::PatchType::merge, k_changed);
  CHECK(testing::comes_true([&] { return is_mended(s.home, "secrets", "shop"); }));
}

TEST_CASE("watch loop: a Secret that a node reads asks for that node, and for no other") {
  Site s;
  s.make_project("shop");
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.virtual_cluster("shop", "near");
  s.settle();
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  s.secret("shop", "nobody", "reads this");
  s.secret("shop", "far", Site::kubeconfig(s.home->server()));
  CHECK(testing::comes_true(
      [&] { return reason(s.get("clusters", "shop", "far")) == "ClusterIdentityChanged"; }));
  watch.end();
  CHECK(watch.asked == std::set<std::string>{"far"});
}

TEST_CASE("watch loop: the first object of a project that is watched is taken up") {
  Site s;
  s.put("Project", "", "shop");
  s.settle();
  Watch watch(s, only({key("Project", "", "shop")}));
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  s.put("Cluster", "shop", "home", {{"home", true}, {"istio", {{"mode", "Ignore"}}}});
  CHECK(
      testing::comes_true([&] { return condition(s.get("clusters", "shop", "home")) == "True"; }));
}

TEST_CASE("watch loop: a kubeconfig that is broken ends all watches by its former credentials") {
  Site s;
  s.make_project("shop");
  s.secret("shop", "far", Site::kubeconfig(s.far->server()));
  s.put("Cluster", "shop", "far", {{"kubeconfigSecretRef", {{"name", "far"}}}});
  Watch watch(s);
  constexpr std::size_t k_namespaces_and_istio = 4;
  REQUIRE(testing::comes_true([&] { return s.far->watches() >= k_namespaces_and_istio; }));
  s.secret("shop", "far", "broken");
  CHECK(testing::comes_true([&] { return s.far->watches() == 0; }));
}

TEST_CASE("watch loop: a project that is deleted goes, without a Root above it") {
  Site s;
  s.put("Project", "", "shop");
  s.settle();
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  s.home->remove("projects.kubist.io", "shop");
  CHECK(testing::comes_true([&] { return s.project("shop").is_null(); }));
}

TEST_CASE("watch loop: what is made while the first run of its parent hangs is ready after it") {
  Site s;
  s.make_project("shop");
  s.settle();
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  Gate gate(*s.home, "PATCH *clusters/far/status*");
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return gate.reached.load(); }));
  s.virtual_cluster("shop", "away", Json::object(), "far");
  REQUIRE(testing::comes_true([&] { return reason(s.vc("shop", "away")) == "ParentNotReady"; }));
  gate.open();
  CHECK(testing::comes_true([&] { return is_ready(s, "away"); }));
}

namespace {

/// An item that never ends.
void put_endless_item(Site& s, const std::string& name) {
  s.home->put({{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
               {"kind", "DeployItem"},
               {"metadata", {{"name", name}, {"namespace", "shop"}}},
               {"spec",
                {{"type", "kubist.io/mock"},
                 {"timeout", "none"},
                 {"config", {{"phase", "Progressing"}}}}}});
}
std::string phase(Site& s, const std::string& item) {
  const Json live = s.home->get("deployitems.landscaper.gardener.cloud", item, "shop");
  return std::string(data::string_at(live, {"status", "phase"}));
}

}  // namespace

TEST_CASE("watch loop: items that never end hold up neither their project nor another one") {
  Site s;
  s.make_project("shop");
  s.make_project("other");
  s.settle();
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  for (int i = 0; i < 20; ++i) {  // each in a run of its own
    put_endless_item(s, cat("x", i));
    REQUIRE(testing::comes_true([&] { return phase(s, cat("x", i)) == "Progressing"; }));
  }
  s.virtual_cluster("shop", "here");
  s.virtual_cluster("other", "near");
  CHECK(testing::comes_true([&] { return is_ready(s, "here"); }));
  CHECK(testing::comes_true([&] { return is_ready(s, "near", "other"); }));
  s.home->patch("deployitems.landscaper.gardener.cloud", "x0", "shop", kube::PatchType::merge,
                {{"spec", {{"config", {{"phase", "Succeeded"}}}}}});
  CHECK(testing::comes_true([&] { return phase(s, "x0") == "Succeeded"; }));
}

TEST_CASE("watch loop: a project that changed while it was planned waits for no item of another") {
  Site s;
  s.make_project("shop");
  s.make_project("other");
  s.settle();
  put_endless_item(s, "endless");
  s.virtual_cluster("other", "near");
  s.home->before("* *namespaces/other/leases*", [&] { s.virtual_cluster("other", "late"); });
  Watch watch(s);
  CHECK(testing::comes_true([&] { return is_ready(s, "near", "other"); }));
  CHECK(testing::comes_true([&] { return is_ready(s, "late", "other"); }));
  CHECK(phase(s, "endless") == "Progressing");
  CHECK_FALSE(watch.is_asked("endless"));
}
