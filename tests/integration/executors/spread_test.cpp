// A virtualClusterSelector: one object on many clusters, each of which goes its own way.
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace it;

constexpr const char* k_destinations = "destinations.kubist.io";

Json labelled(Json virtual_cluster, const std::string& tier) {
  virtual_cluster["metadata"]["labels"] = {{"tier", tier}};
  return virtual_cluster;
}

/// What one target's entry says; an empty object where there is none.
Json target(const std::optional<Json>& object, const std::string& virtual_cluster) {
  const Json status = object ? object->value("status", Json::object()) : Json::object();
  for (const Json& entry : status.value("targets", Json::array())) {
    if (entry["virtualCluster"] == virtual_cluster) {
      return entry;
    }
  }
  return Json::object();
}

}  // namespace

TEST_CASE("spread: a destination is kept on every virtual cluster that it selects") {
  World world("spread");
  const std::string project = world.name();
  world.make_project(project);
  const auto [config, target_user] = world.token_kubeconfig("target1");
  const Json services{{"injection", {{"mode", "Unmanaged"}}}};
  put("home",
      {secret(project, "target", config), object("Cluster", project, "home", {{"home", true}}),
       object("Cluster", project, "far", {{"kubeconfigSecretRef", {{"name", "target"}}}}),
       labelled(virtual_cluster(project, "here", "home", world.name("here"), services), "prod"),
       labelled(virtual_cluster(project, "there", "far", world.name("there"), services), "prod"),
       object("Destination", project, "web",
              {{"virtualClusterSelector", {{"matchLabels", {{"tier", "prod"}}}}},
               {"mode", "Services"},
               {"ports", Json::array({{{"port", 80}}})},
               {"subsets", {{"v1", {{"labels", {{"version", "v1"}}}}}}}})});
  const Words reconcile = world.as_user({"reconcile", "Project/" + project});
  const auto web = [&] { return get("home", k_destinations, "web", project); };
  const auto services_of = [&](const char* cluster, const char* where) {
    return must(kubectl(cluster, {"get", "services", "-n", world.name(where), "-o", "name"}));
  };
  const auto label = [&](const char* name, const char* tier) {
    must(kubectl("home", {"label", "virtualclusters.kubist.io", name, "-n", project, "--overwrite",
                          std::string("tier=") + tier}));
  };
  must(run_kubist(reconcile));
  const auto made = web();
  CHECK(condition(made, "Ready") == "True");
  CHECK(target(made, "here")["ready"] == true);
  CHECK(target(made, "there")["inventory"].size() == 2);
  for (const auto& [cluster, where] : {std::pair{"home", "here"}, {"target1", "there"}}) {
    CHECK(services_of(cluster, where) == "service/web\nservice/web-v1\n");
  }
  const std::string tree = must(run_kubist(world.as_user({"tree", "Project/" + project})));
  CHECK(tree.find("Destination/web") != tree.rfind("Destination/web"));

  Audit home("home");
  Audit far("target1");
  must(run_kubist(reconcile));
  CHECK(home.writes(world.user()).empty());
  CHECK(far.writes(target_user).empty());

  // One that cannot be reached says so, and the others go on.
  put("home", {secret(project, "target", small_kubeconfig("https://10.77.0.2:1").dump())});
  must(kubectl("home", {"patch", k_destinations, "web", "-n", project, "--type=merge", "-p",
                        R"({"spec":{"ports":[{"port":81}]}})"}));
  CHECK(run_kubist(world.as_user({"reconcile", "Project/" + project, "--timeout=20s"})).exit_code ==
        1);
  const auto torn = web();
  CHECK(condition(torn, "Ready") != "True");
  CHECK(message(torn, "Ready").find("1 of 2 not ready: there") == 0);
  CHECK(target(torn, "here")["ready"] == true);
  CHECK(target(torn, "there")["reason"] == "ParentNotReady");
  CHECK(get("home", "service", "web", world.name("here"))->at("spec")["ports"][0]["port"] == 81);

  // Back again, it is selected no more: what was made there goes.
  put("home", {secret(project, "target", config)});
  label("there", "test");
  must(run_kubist(reconcile));
  CHECK(services_of("target1", "there").empty());
  CHECK(target(web(), "there").empty());
  CHECK(condition(web(), "Ready") == "True");

  label("here", "test");
  CHECK(run_kubist(reconcile).exit_code != 0);
  CHECK(services_of("home", "here").empty());
  CHECK(reason(web(), "Ready") == "NoVirtualCluster");

  label("there", "prod");
  label("here", "prod");
  must(run_kubist(reconcile));
  CHECK(services_of("target1", "there") == "service/web\nservice/web-v1\n");
  must(run_kubist(world.as_user({"delete", "Destination/web", "-n", project})));
  CHECK_FALSE(web());
  CHECK(services_of("home", "here").empty());
  CHECK(services_of("target1", "there").empty());
}
