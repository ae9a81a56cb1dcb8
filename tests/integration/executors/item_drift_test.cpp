// What others change of the objects of manifest items, at home and at a target.
#include <doctest/doctest.h>
#include <signal.h>

#include "execution_support.hpp"

using namespace it::executions;
using namespace it;
using kubist::kube::PatchType;

namespace {

const Json k_theirs{{"data", {{"key", "theirs"}}}};

std::string kept_value(const std::string& cluster, const std::string& ns, const std::string& name) {
  const auto live = get(cluster, "configmap", name, ns);
  return live ? std::string(data::string_at(*live, {"data", "key"})) : "gone";
}

void change_kept(const std::string& cluster, const std::string& ns, const std::string& name) {
  it::patch(cluster, "configmap", name, ns, PatchType::merge, k_theirs);
}

}  // namespace

TEST_CASE("item drift: a run mends it, tells of it or leaves it, as the objects say") {
  World world("itemdrift");
  const std::string project = world.name();
  world.make_project(project);
  put("home", {kept_item(project, "app",
                         {kept_map("mended"), kept_map("told", {{"kubist.io/drift", "Report"}}),
                          kept_map("left", {{"kubist.io/drift", "Ignore"}}), kept_map("gone")})});
  REQUIRE(reconcile(world).exit_code == 0);
  for (const char* name : {"mended", "told", "left"}) {
    change_kept("home", project, name);
  }
  it::remove("home", "configmap", "gone", project);
  const CommandResult dry = reconcile(world, {"--dry-run=server", "--detailed-exitcode"});
  CHECK_MESSAGE(dry.exit_code == 2, dry.out, dry.err);
  CHECK(kept_value("home", project, "mended") == "theirs");

  const CommandResult run = reconcile(world);
  REQUIRE_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(kept_value("home", project, "mended") == "value");
  CHECK(kept_value("home", project, "told") == "theirs");
  CHECK(kept_value("home", project, "left") == "theirs");
  CHECK(kept_value("home", project, "gone") == "value");
  const CommandResult told = reconcile(world);
  CHECK(told.out.find(cat("drift: ConfigMap ", project, "/told was changed")) != std::string::npos);
  CHECK(condition(get("home", k_items, "app", project), "Drifted") == "True");
  const std::string tree = must(run_kubist({"tree", "Project/" + project}));
  CHECK_MESSAGE(
      tree.find(cat("Drifted  ConfigMap ", project, "/told was changed")) != std::string::npos,
      tree);
  Audit audit("home");
  CHECK(reconcile(world).exit_code == 0);
  CHECK(audit.writes(world.user()).empty());
}

TEST_CASE("item drift: --watch mends it at home and at a target, of an Execution, too") {
  World world("itemwatch");
  const std::string project = world.name();
  const std::string place = world.name("dev");
  world.make_project(project);
  const auto [config, user] = world.token_kubeconfig("target1");
  const Json deployment{
      {"apiVersion", "apps/v1"},
      {"kind", "Deployment"},
      {"metadata", {{"name", "web"}}},
      {"spec",
       {{"replicas", 0},
        {"selector", {{"matchLabels", {{"app", "web"}}}}},
        {"template",
         {{"metadata", {{"labels", {{"app", "web"}}}}},
          {"spec", {{"containers", {{{"name", "web"}, {"image", "example.com/web:1"}}}}}}}}}}};
  const Json part{{"name", "x"},
                  {"type", "kubist.io/manifest"},
                  {"config", {{"manifests", {deployment, kept_map("near")}}}}};
  put("home",
      {secret(project, "target", config), object("Cluster", project, "home", {{"home", true}}),
       object("Cluster", project, "target", {{"kubeconfigSecretRef", {{"name", "target"}}}}),
       virtual_cluster(project, "dev", "home", place),
       virtual_cluster(project, "far", "target", world.name("far")),
       kept_item(project, "remote", Json::array({kept_map("a")}), "far"),
       execution(project, Json::array({templates("web", "function(all) [" + part.dump() + "]")}),
                 {{"virtualClusterRef", {{"name", "dev"}}}})});
  Background watch({"reconcile", "Project/" + project, "--watch"});
  REQUIRE_MESSAGE(eventually([&] {
                    return phase(project, "remote") == "Succeeded" &&
                           phase(project, "job-web-x") == "Succeeded";
                  }),
                  watch.output());
  change_kept("home", place, "near");
  CHECK_MESSAGE(eventually([&] { return kept_value("home", place, "near") == "value"; }),
                watch.output());
  it::remove("target1", "configmap", "a", world.name("far"));
  CHECK_MESSAGE(
      eventually([&] { return kept_value("target1", world.name("far"), "a") == "value"; }),
      watch.output());
  must(kubectl("home", {"scale", "deployment", "web", "-n", place, "--replicas=2"}));
  CHECK_MESSAGE(eventually([&] {
                  const auto live = get("home", "deployment", "web", place);
                  return live && data::int_at(*live, {"spec", "replicas"}, -1) == 0;
                }),
                watch.output());
  CHECK_MESSAGE(watch.output().find("away") == std::string::npos, watch.output());
  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
}
