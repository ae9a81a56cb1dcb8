// reconcile --watch keeps what it made, and takes up what is new.
#include <doctest/doctest.h>
#include <signal.h>

#include <kubist/data/pointer.hpp>

#include "support.hpp"
#include "support/fault_proxy.hpp"

using namespace it;

TEST_CASE("watch: drift is mended, new objects become Ready, SIGTERM ends with 143") {
  World world("watch");
  const std::string project = world.name();
  world.make_project(project);
  put("home", {object("Cluster", project, "home", {{"home", true}}),
               virtual_cluster(project, "dev", "home", world.name("dev"), in_the_mesh())});
  Background watch({"reconcile", "Project/" + project, "--watch"});
  REQUIRE_MESSAGE(
      eventually([&] { return condition(get("home", "kvc", "dev", project), "Ready") == "True"; }),
      watch.output());
  CHECK(label(world.name("dev"), "istio-injection") == "enabled");

  must(kubectl("home", {"label", "namespace", world.name("dev"), "istio-injection-"}));
  CHECK_MESSAGE(
      eventually([&] { return label(world.name("dev"), "istio-injection") == "enabled"; }),
      watch.output());

  put("home", {virtual_cluster(project, "late", "home", world.name("late"))});
  CHECK_MESSAGE(
      eventually([&] { return condition(get("home", "kvc", "late", project), "Ready") == "True"; }),
      watch.output());

  must(kubectl("home", {"delete", "kvc", "late", "-n", project, "--wait=false"}));
  CHECK_MESSAGE(eventually([&] { return !get("home", "kvc", "late", project); }, 60),
                watch.output());

  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
}

TEST_CASE("watch: goes on through broken connections, and mends drift on a target too") {
  World world("watchcut");
  const std::string project = world.name();
  world.make_project(project);
  const auto [config, user] = world.token_kubeconfig("target1");
  put("home",
      {secret(project, "target", config), object("Cluster", project, "home", {{"home", true}}),
       object("Cluster", project, "target", {{"kubeconfigSecretRef", {{"name", "target"}}}}),
       virtual_cluster(project, "dev", "home", world.name("dev"), in_the_mesh()),
       virtual_cluster(project, "far", "target", world.name("far"), in_the_mesh())});
  FaultProxy proxy;
  Background watch(proxy.through({"reconcile", "Project/" + project, "--watch"}));
  const auto is_ready = [&](const std::string& name) {
    return condition(get("home", "kvc", name, project), "Ready") == "True";
  };
  REQUIRE_MESSAGE(eventually([&] { return is_ready("dev") && is_ready("far"); }), watch.output());

  must(kubectl("target1", {"label", "namespace", world.name("far"), "istio-injection-"}));
  CHECK_MESSAGE(eventually([&] {
                  return label(world.name("far"), "istio-injection", "target1") == "enabled";
                }),
                watch.output());

  proxy.cut();
  must(kubectl("home", {"label", "namespace", world.name("dev"), "istio-injection-"}));
  put("home", {virtual_cluster(project, "late", "home", world.name("late"))});
  CHECK_MESSAGE(
      eventually([&] { return label(world.name("dev"), "istio-injection") == "enabled"; }),
      watch.output());
  CHECK_MESSAGE(eventually([&] { return is_ready("late"); }), watch.output());

  watch.signal(SIGINT);
  CHECK_MESSAGE(watch.wait(20) == 130, watch.output());
}

TEST_CASE("watch: pods that become ready count at once where traffic depends on them") {
  World world("watchpods");
  const std::string project = world.name();
  world.make_project(project);
  put("home", {object("Cluster", project, "home", {{"home", true}}),
               virtual_cluster(project, "dev", "home", world.name("dev")),
               object("Destination", project, "web",
                      {{"virtualClusterRef", {{"name", "dev"}}},
                       {"mode", "Services"},
                       {"ports", Json::array({{{"name", "http"}, {"port", 80}}})},
                       {"subsets", {{"v1", {{"labels", {{"version", "v1"}}}}}}}})});
  Background watch({"reconcile", "Project/" + project, "--watch"});
  const auto ready_pods = [&] {
    const auto live = get("home", "kdest", "web", project);
    const Json subsets =
        live ? kubist::data::array_at(*live, {"status", "subsets"}) : Json::array();
    return subsets.empty() ? -1 : subsets[0].value("readyPods", -1);
  };
  REQUIRE_MESSAGE(eventually([&] { return ready_pods() == 0; }), watch.output());

  put("home", {{{"apiVersion", "v1"},
                {"kind", "Pod"},
                {"metadata",
                 {{"name", "web"},
                  {"namespace", world.name("dev")},
                  {"labels", {{"app", "web"}, {"version", "v1"}}}}},
                {"spec",
                 {{"containers", Json::array({{{"name", "web"}, {"image", "localhost/web:1"}}})},
                  {"nodeName", "nowhere"}}}}});
  const auto be = [&](const std::string& ready) {
    const Json status{{"status",
                       {{"phase", "Running"},
                        {"conditions", Json::array({{{"type", "Ready"}, {"status", ready}}})}}}};
    must(kubectl("home", {"patch", "pod", "web", "-n", world.name("dev"), "--subresource=status",
                          "--type=merge", "-p", status.dump()}));
  };
  be("True");
  CHECK_MESSAGE(eventually([&] { return ready_pods() == 1; }), watch.output());
  be("False");
  CHECK_MESSAGE(eventually([&] { return ready_pods() == 0; }), watch.output());
  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
}

TEST_CASE("watch: a policy's new definition reaches those that name it") {
  World world("watchpolicy");
  const std::string project = world.name();
  world.make_project(project);
  const auto define = [&](const std::string& value) {
    const std::string source =
        "function(list) list { items: [list.items[0] { spec+: { labels+: { tier: '" + value +
        "' } } }] }";
    put("home", {object("PolicyDefinition", project, "tier",
                        {{"runtime", {{"jsonnet", {{"source", source}}}}}})});
  };
  define("one");
  put("home", {object("Cluster", project, "home", {{"home", true}}),
               virtual_cluster(project, "dev", "home", world.name("dev"),
                               {{"policies", Json::array({{{"name", "tier"}}})}})});
  Background watch({"reconcile", "Project/" + project, "--watch"});
  const auto is_labelled = [&](const char* value) {
    return eventually([&] { return label(world.name("dev"), "tier") == value; });
  };
  CHECK_MESSAGE(is_labelled("one"), watch.output());
  define("two");
  CHECK_MESSAGE(is_labelled("two"), watch.output());
  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
}

namespace {

/// All rights of a user, until they are taken away.
class Rights {
 public:
  explicit Rights(std::string user) : m_user(std::move(user)) {}
  ~Rights() { take(); }
  Rights(const Rights&) = delete;
  Rights& operator=(const Rights&) = delete;
  void give() const {
    const std::string api = "rbac.authorization.k8s.io";
    put("home",
        {{{"apiVersion", api + "/v1"},
          {"kind", "ClusterRoleBinding"},
          {"metadata", {{"name", m_user}}},
          {"roleRef", {{"apiGroup", api}, {"kind", "ClusterRole"}, {"name", "cluster-admin"}}},
          {"subjects", Json::array({{{"kind", "User"}, {"name", m_user}, {"apiGroup", api}}})}}});
  }
  void take() const { it::remove("home", "clusterrolebindings.rbac.authorization.k8s.io", m_user); }

 private:
  std::string m_user;
};

}  // namespace

TEST_CASE("watch: whose rights are taken away says so, and goes on when they are back") {
  World world("watchrights");
  const std::string project = world.name();
  world.make_project(project);
  put("home", {object("Cluster", project, "home", {{"home", true}}),
               virtual_cluster(project, "dev", "home", world.name("dev"))});
  const Rights rights(world.user());
  const auto has_rights = [&] {
    return run_kubist({"get", "kvc", "-n", project, "--as", world.user()}).exit_code == 0;
  };
  rights.give();
  REQUIRE(eventually(has_rights));
  FaultProxy proxy;
  Background watch(
      proxy.through({"reconcile", "Project/" + project, "--watch", "--as", world.user()}));
  const auto is_ready = [&](const char* name) {
    return condition(get("home", "kvc", name, project), "Ready") == "True";
  };
  const auto says = [&](const char* words) {
    return eventually([&] { return watch.output().find(words) != std::string::npos; });
  };
  REQUIRE_MESSAGE(eventually([&] { return is_ready("dev"); }), watch.output());
  CHECK_MESSAGE(watch.output().find("away") == std::string::npos, watch.output());

  rights.take();
  REQUIRE(eventually([&] { return !has_rights(); }));
  proxy.cut();  // the API server asks for rights when a watch begins
  CHECK_MESSAGE(says("away, trying again: "), watch.output());
  CHECK_MESSAGE(says("is forbidden"), watch.output());
  put("home", {virtual_cluster(project, "late", "home", world.name("late"))});

  rights.give();
  CHECK_MESSAGE(says("back after "), watch.output());
  CHECK_MESSAGE(eventually([&] { return is_ready("late"); }), watch.output());
  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
}
