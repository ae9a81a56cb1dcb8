// reconcile --watch keeps what it made, and takes up what is new.
#include <doctest/doctest.h>
#include <signal.h>

#include "support.hpp"

namespace {

using namespace it;

std::string label(const std::string& ns, const std::string& name) {
  const auto live = get("home", "namespace", ns);
  return live ? (*live)["metadata"]["labels"].value(name, std::string()) : std::string();
}

}  // namespace

TEST_CASE("watch: drift is mended, new objects become Ready, SIGTERM ends with 143") {
  World world("watch");
  const std::string project = world.name();
  world.make_project(project);
  put("home", {object("Cluster", project, "home", {{"home", true}}),
               virtual_cluster(project, "dev", "home", world.name("dev"))});
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
