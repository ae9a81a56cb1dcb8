// Objects that cannot be listed: whose they are is told, and the others are done.
#include <atomic>
#include <new>
#include <tuple>

#include <kubist/executors/tree_view.hpp>
#include <kubist/executors/watch_loop.hpp>

#include "site.hpp"
#include "support/widgets.hpp"

using namespace site;

namespace {

constexpr const char* k_of_all = "GET /apis/kubist.io/v1alpha1/virtualclusters?*";
constexpr const char* k_of_blog = "GET /apis/kubist.io/v1alpha1/namespaces/blog/*";

/// Projects shop and blog; lists of all virtual clusters, and all of blog, fail from here on.
void make_projects(Site& s, int of_all, int of_blog) {
  for (const char* name : {"shop", "blog"}) {
    s.make_project(name);
    s.virtual_cluster(name, "a");
  }
  s.home->fail(k_of_all, of_all, 100);
  s.home->fail(k_of_blog, of_blog, 100);
}

/// A clock that throws once when it is told to.
class BrokenClock : public testing::FakeClock {
 public:
  std::chrono::system_clock::time_point now() const override {
    if (armed.exchange(false)) {
      throw std::bad_alloc();
    }
    return FakeClock::now();
  }
  mutable std::atomic<bool> armed = false;
};

}  // namespace

TEST_CASE("unlisted: a project whose objects cannot be listed fails itself, the others are done") {
  for (const auto& [of_all, of_blog, reason] :
       std::vector<std::tuple<int, int, std::string>>{{403, 403, "Forbidden"},
                                                      {413, 413, "RequestEntityTooLarge"},
                                                      {500, 503, "ServiceUnavailable"},
                                                      {504, 500, "InternalError"}}) {
    Site s;
    make_projects(s, of_all, of_blog);
    const auto report = s.reconcile();
    const auto& blog = node_of(report, "Project", "blog");
    CHECK(blog.state == engine::NodeState::failed);
    CHECK(blog.reason == reason);
    CHECK(blog.message.find("cannot list") != std::string::npos);
    CHECK(blog.requeue_after.has_value() == (of_blog >= 500));
    CHECK(report.summary.failed == 1);
    CHECK(condition(s.vc("shop", "a")) == "True");
    CHECK(condition(s.vc("blog", "a")).empty());
    CHECK_FALSE(s.namespace_at(s.home, "shop-a").is_null());
    CHECK(s.namespace_at(s.home, "blog-a").is_null());
  }
}

TEST_CASE("unlisted: a server that is down is not asked for each project") {
  Site s;
  make_projects(s, 503, 503);
  s.forget();
  executors::ReconcileOptions options;
  engine::Observer observer;
  const auto run = s.session->run(options, observer, {});
  REQUIRE_FALSE(run);
  CHECK(run.error().http_status == 503);
  for (const LoggedRequest& each : s.home->log()) {
    CHECK(each.ns.empty());
  }
}

TEST_CASE("unlisted: what is named in a project that cannot be listed is that project's problem") {
  Site s;
  make_projects(s, 500, 500);
  const auto report =
      s.reconcile(only({key("VirtualCluster", "blog", "a"), key("Cluster", "shop", "home")}));
  CHECK(node_of(report, "Project", "blog").reason == "InternalError");
  CHECK(node_of(report, "VirtualCluster", "a").key.ns == "shop");
  CHECK(condition(s.vc("shop", "a")) == "True");
}

TEST_CASE("unlisted: items and garbage of a project that cannot be listed are told of") {
  Site s;
  make_projects(s, 500, 500);
  const auto items =
      s.session->run_items({{"landscaper.gardener.cloud", "DeployItem", "shop", "x"},
                            {"landscaper.gardener.cloud", "DeployItem", "blog", "x"}},
                           {}, [](const std::string&) {}, {});
  REQUIRE(items);
  REQUIRE_FALSE((*items)[1].outcome);
  CHECK((*items)[1].outcome.error().message.find("cannot list") != std::string::npos);
  std::string trouble;
  executors::Session::GarbageOptions options;
  options.on_result = [](const executors::GarbageResult&) {};
  options.on_trouble = [&](const util::Error& error) { trouble += error.to_string() + '\n'; };
  CHECK(s.session->collect_garbage(options, {}));
  CHECK_MESSAGE(trouble.find("namespace blog: cannot list") != std::string::npos, trouble);
}

TEST_CASE("unlisted: a kind that is served and cannot be listed leaves the run incomplete") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  Json crd = testing::widget_crd({"v1"});
  for (Json& version : crd["spec"]["versions"]) {
    version["subresources"] = {{"status", Json::object()}};
  }
  s.home->put(crd);
  s.home->put(object("ExecutorDefinition", "", "widgets",
                     {{"runtime", {{"jsonnet", {{"source", "function(x) []"}}}}},
                      {"serves", {{"apiVersion", "example.com/v1"}, {"kind", "Widget"}}}}));
  CHECK_FALSE(s.run().incomplete);
  s.home->fail("GET /apis/example.com/v1/widgets?*", 500, 100);
  const auto run = s.run();
  CHECK(run.incomplete);
  REQUIRE(run.warnings.size() == 1);
  CHECK(run.warnings[0].find("serves Widget.example.com, which is left out") != std::string::npos);
  CHECK(condition(s.vc("shop", "a")) == "True");
}

TEST_CASE("unlisted: a run that throws is told by --watch, which goes on") {
  Site s;
  BrokenClock clock;
  auto session_options = s.session_options();
  session_options.clock = &clock;
  const auto session =
      executors::Session::open(s.home->connect(s.network), session_options, {}).value();
  s.put("Project", "", "shop");
  std::stop_source stop;
  std::string told;
  executors::WatchHooks hooks;
  hooks.away = [](const std::string&) {};
  hooks.starting = [](const auto&, const auto&) {};
  hooks.finished = [&](const executors::Run&) {
    if (!told.empty()) {
      stop.request_stop();
      return;
    }
    clock.armed = true;
    s.put("Project", "", "shop", {{"settings", {{"a", "b"}}}});
  };
  hooks.trouble = [&](const util::Error& error) {
    told = error.to_string();
    s.put("Project", "", "shop", {{"settings", {{"a", "c"}}}});
  };
  engine::Observer observer;
  CHECK(executors::watch_and_reconcile(*session, {}, observer, hooks, stop.get_token()));
  CHECK_MESSAGE(told.find("unexpected: std::bad_alloc") != std::string::npos, told);
  CHECK(s.project("shop")["status"]["observedGeneration"] ==
        s.project("shop")["metadata"]["generation"]);
}

TEST_CASE("tree view: many named projects are read by one list, where all may be listed") {
  Site s;
  std::vector<engine::Key> named;
  for (const char* name : {"shop", "blog", "mail"}) {
    s.put("Project", "", name);
    named.push_back({"kubist.io", "Project", "", name});
  }
  named.push_back({"kubist.io", "Project", "", "gone"});
  const auto client = s.home->connect(s.network);
  const auto requests_for = [&](const std::vector<engine::Key>& keys,
                                const std::set<std::string>& namespaces) {
    s.home->forget_log();
    CHECK(executors::namespaces_of(*client, keys, {}).value() == namespaces);
    return s.home->log().size();
  };
  CHECK(requests_for(named, {"shop", "blog", "mail"}) == 1);
  CHECK(requests_for({named[1], named[2]}, {"blog", "mail"}) == 2);
}
