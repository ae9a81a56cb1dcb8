// What one project's objects hold for good is not missing to another project.
#include <doctest/doctest.h>
#include <signal.h>

#include "execution_support.hpp"

using namespace it::executions;
using namespace it;

namespace {

Json item_of(const std::string& ns, const std::string& name, const std::string& type,
             const Json& config) {
  return {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
          {"kind", "DeployItem"},
          {"metadata", {{"name", name}, {"namespace", ns}}},
          {"spec", {{"type", "kubist.io/" + type}, {"timeout", "none"}, {"config", config}}}};
}

Json endless_item(const std::string& ns, const std::string& name) {
  return item_of(ns, name, "mock", {{"phase", "Progressing"}});
}

/// Keeps a ConfigMap of its name.
Json keeping_item(const std::string& ns, const std::string& name) {
  return item_of(
      ns, name, "manifest",
      {{"manifests",
        Json::array(
            {{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", name}}}}})}});
}

}  // namespace

TEST_CASE("fair: items of one project that never end keep nothing from another project") {
  World world("fair");
  const std::string hostile = world.name("a");
  const std::string other = world.name("b");
  world.make_project(hostile);
  world.make_project(other);
  std::vector<Json> items{keeping_item(other, "first")};
  for (int i = 0; i < 20; ++i) {
    items.push_back(endless_item(hostile, cat("x", i)));
  }
  put("home", items);
  Background watch({"reconcile", "Project/" + hostile, "Project/" + other, "--watch"});
  const auto is_kept = [&](const std::string& name) {
    return eventually([&] { return get("home", "configmap", name, other).has_value(); }, 60);
  };
  REQUIRE_MESSAGE(is_kept("first"), watch.output());
  // Each is a run of its own: more than there were for all projects.
  for (int i = 0; i < 66; ++i) {
    put("home", {endless_item(hostile, cat("y", i))});
    put("home", {keeping_item(other, cat("next", i))});
    REQUIRE_MESSAGE(is_kept(cat("next", i)), watch.output());
  }
  it::remove("home", "configmap", "first", other);
  CHECK_MESSAGE(is_kept("first"), watch.output());
  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
}
