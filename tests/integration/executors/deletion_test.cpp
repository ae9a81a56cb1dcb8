// Deletion runs backwards and ends, leaves what was adopted, and lets go of what is gone when told
// to.
#include <doctest/doctest.h>
#include <signal.h>

#include <kubist/data/pointer.hpp>

#include "support.hpp"

namespace {

using namespace it;
namespace data = kubist::data;

Json plain_namespace(const std::string& name) {
  return {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}};
}

bool gone(const std::string& cluster, const std::string& type, const std::string& name) {
  return eventually([&] { return !get(cluster, type, name); }, 60);
}

}  // namespace

TEST_CASE("deletion: kubectl delete of a project, then reconcile, leaves only what was adopted") {
  World world("delete");
  const std::string project = world.name();
  const std::string adopted = world.name("adopted");
  world.make_project(project, {{"home", {{"namespaces", {adopted, project + "-*"}}}}});
  const auto [config, user] = world.token_kubeconfig("target1");
  put("home",
      {plain_namespace(adopted), secret(project, "target", config),
       object("Cluster", project, "home", {{"home", true}}),
       object("Cluster", project, "target", {{"kubeconfigSecretRef", {{"name", "target"}}}}),
       virtual_cluster(project, "made", "home", world.name("made")),
       virtual_cluster(project, "taken", "home", adopted, {{"adopt", true}}),
       virtual_cluster(project, "far", "target", world.name("far"))});
  must(run_kubist({"reconcile", "Project/" + project}));
  const auto used = get("home", "secret", "target", project);
  CHECK((*used)["metadata"]["finalizers"] == Json::array({"kubist.io/in-use"}));
  CHECK(get("target1", "namespace", world.name("far")).has_value());
  CHECK(
      (*get("home", "namespace", adopted))["metadata"]["annotations"].contains("kubist.io/owner"));

  must(kubectl("home", {"delete", "kproj", project, "--wait=false"}));
  const CommandResult run = run_kubist({"reconcile", "Project/" + project, "--timeout=120s"});
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(run.out.find("namespace " + adopted) != std::string::npos);
  CHECK(gone("home", "kproj", project));
  CHECK(gone("home", "namespace", project));
  CHECK(gone("home", "namespace", world.name("made")));
  CHECK(gone("target1", "namespace", world.name("far")));
  const auto left = get("home", "namespace", adopted);
  REQUIRE(left);
  CHECK_FALSE((*left)["metadata"].contains("deletionTimestamp"));
  CHECK(!(*left)["metadata"].value("annotations", Json::object()).contains("kubist.io/owner"));
}

TEST_CASE("deletion: of the project's namespace; kubist makes nothing in it and starts no pod") {
  World world("nsgone");
  const std::string project = world.name();
  world.make_project(project);
  const auto [config, user] = world.token_kubeconfig("target1");
  Json execution =
      object("Execution", project, "script", {{"virtualClusterRef", {{"name", "dev"}}}});
  execution["spec"]["items"] =
      Json::array({{{"name", "one"}, {"type", "Container"}, {"image", "localhost/busybox:1"}}});
  put("home",
      {secret(project, "target", config), object("Cluster", project, "home", {{"home", true}}),
       object("Cluster", project, "target", {{"kubeconfigSecretRef", {{"name", "target"}}}}),
       virtual_cluster(project, "dev", "home", world.name("dev")),
       virtual_cluster(project, "far", "target", world.name("far")), execution});
  // No node runs its pod. As far as its status tells it has run, so that its removal would, too.
  Background begun({"reconcile", "Project/" + project});
  REQUIRE_MESSAGE(eventually([&] {
                    const auto item = get("home", "deployitem", "script-one", project);
                    return item &&
                           data::find_path(*item, {"status", "providerStatus", "pod"}) != nullptr &&
                           condition(get("home", "kvc", "far", project), "Ready") == "True";
                  }),
                  begun.output());
  begun.signal(SIGINT);
  REQUIRE_MESSAGE(begun.wait(30) == 130, begun.output());
  patch("home", "deployitem", "script-one", project, kubist::kube::PatchType::merge,
        {{"status", {{"providerStatus", {{"workloadStarted", true}}}}}}, "status");
  const auto before = get("home", "namespace", project);
  must(kubectl("home", {"delete", "namespace", project, "--wait=false"}));

  Audit audit("home");
  const CommandResult run =
      run_kubist(world.as_user({"reconcile", "Project/" + project, "--timeout=90s"}));
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK_MESSAGE(
      run.out.find("its run at deletion was skipped: namespace " + project) != std::string::npos,
      run.out);
  const auto writes = audit.writes(world.user());
  CHECK(writes.size() > 5);  // finalizers and namespaces
  for (const AuditedWrite& write : writes) {
    CAPTURE(write.to_string());
    CHECK((write.verb != "create" || write.resource == "events"));  // those of the Project itself
    CHECK(write.resource != "leases");
  }
  CHECK(!get("home", "namespace", world.name("dev")));
  CHECK(!get("target1", "namespace", world.name("far")));

  // The Project was not deleted: it has a namespace again, empty, and goes as any other.
  const auto anew = get("home", "namespace", project);
  REQUIRE(anew.has_value());
  CHECK((*anew)["metadata"]["uid"] != (*before)["metadata"]["uid"]);
  CHECK(!get("home", "kvc", "dev", project));
  must(run_kubist({"delete", "project", project, "--timeout=60s"}));
  CHECK(!get("home", "namespace", project));
}
