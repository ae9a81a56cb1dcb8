// What becomes of a manifest item's objects when it goes, or goes elsewhere.
#include <doctest/doctest.h>

#include "stage.hpp"

using namespace kubist;
using namespace kubist::deployers;
using stage::config_map;
using stage::Stage;
using State = Progress::State;
namespace wk = kube::well_known;

TEST_CASE("manifest item: deletion says which finalizer blocks, and leaves what is others'") {
  Stage stage;
  Json held = config_map("held");
  held["metadata"]["finalizers"] = {"example.com/hold"};
  stage.make_item("app", "manifest", {{"manifests", {held, config_map("taken")}}});
  CHECK(stage.run("app").phase == "Succeeded");
  // Deleted and made anew by somebody else: another uid.
  stage.remove_object(wk::config_maps(), "taken");
  Json anew = config_map("taken");
  anew["metadata"]["namespace"] = stage.place();
  stage.make(wk::config_maps(), anew);
  stage.mark_deleted("app");
  const auto outcome = stage.run_and(
      "app", "ConfigMap " + stage.place() + "/held (held by its finalizers example.com/hold)",
      [&] {
        stage.merge(wk::config_maps(), "held", {{"metadata", {{"finalizers", nullptr}}}});
      },
      true);
  CHECK(outcome.state == State::done);
  CHECK(stage.exists(wk::config_maps(), "taken"));
  CHECK(stage.said().find("did not delete ConfigMap " + stage.place() + "/taken: ") !=
        std::string::npos);
}

TEST_CASE("manifest item: delete-without-uninstall leaves the objects") {
  Stage stage;
  stage.make_item("app", "manifest", {{"manifests", {config_map("a")}}});
  CHECK(stage.run("app").phase == "Succeeded");
  const Json patch{{"metadata", {{"annotations", {{std::string(k_without_uninstall), "true"}}}}}};
  REQUIRE(stage::home()->run(
      kube::patch(deploy_items(), stage.ns(), "app", kube::PatchType::merge, patch)));
  CHECK(stage.remove("app").state == State::done);
  CHECK(stage.exists(wk::config_maps(), "a"));
}

TEST_CASE("manifest item: another target: the objects move") {
  Stage stage;
  stage.world.place_of = [&](const std::string&, const std::string& target) -> util::Result<Place> {
    return Place{stage.as_project, target == "first" ? stage.place() : stage.ns(), target};
  };
  stage.make_item("app", "manifest", {{"manifests", {config_map("a")}}},
                  {{"target", {{"name", "first"}}}});
  CHECK(stage.run("app").phase == "Succeeded");
  CHECK(stage.exists(wk::config_maps(), "a"));
  const auto retarget = [&](const std::string& target) {
    const Json patch{{"spec", {{"target", {{"name", target}}}}}};
    REQUIRE(stage::home()->run(
        kube::patch(deploy_items(), stage.ns(), "app", kube::PatchType::merge, patch)));
  };
  retarget("second");
  CHECK(stage.run("app").phase == "Succeeded");
  CHECK_FALSE(stage.exists(wk::config_maps(), "a"));
  CHECK(stage::home()->find(wk::config_maps(), stage.ns(), "a").value());
  retarget("first");  // and removed before it ran there
  CHECK(stage.remove("app").state == State::done);
  CHECK_FALSE(stage::home()->find(wk::config_maps(), stage.ns(), "a").value());
}
