// What `init --controller` installs; tests/e2e/chart_test.cpp runs it.
#include <algorithm>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/setup/install.hpp>

using namespace kubist;
using namespace kubist::setup;
using data::Json;

namespace {

const Json& of_kind(const std::vector<Json>& objects, std::string_view kind) {
  const auto found = std::find_if(objects.begin(), objects.end(), [&](const Json& object) {
    return resources::ObjectView(object).kind() == kind;
  });
  REQUIRE_MESSAGE(found != objects.end(), kind);
  return *found;
}

}  // namespace

TEST_CASE("controller: all of it lies in the namespace that was asked for, with that image") {
  const auto objects = controller_objects({.ns = "ops", .image = "r/k:1", .replicas = 3});
  for (const Json& object : objects) {
    CHECK(object.dump().find("kubist-system") == std::string::npos);
    CHECK(object.dump().find("#chart") == std::string::npos);
  }
  CHECK(resources::ObjectView(of_kind(objects, "Namespace")).name() == "ops");
  CHECK(of_kind(objects, "ClusterRoleBinding")["subjects"][0]["namespace"] == "ops");
  const Json deployment = of_kind(objects, "Deployment");
  CHECK(deployment["metadata"]["namespace"] == "ops");
  CHECK(deployment["spec"]["replicas"] == 3);
  const Json container = deployment["spec"]["template"]["spec"]["containers"][0];
  CHECK(container["image"] == "r/k:1");
  CHECK(container["env"] == Json::array({{{"name", "KUBIST_IMAGE"}, {"value", "r/k:1"}}}));
}

TEST_CASE("controller: one replica may be evicted") {
  const auto has_budget = [](int replicas) {
    const auto objects = controller_objects({.image = "r/k:1", .replicas = replicas});
    return std::any_of(objects.begin(), objects.end(), [](const Json& object) {
      return resources::ObjectView(object).kind() == "PodDisruptionBudget";
    });
  };
  CHECK(has_budget(2));
  CHECK_FALSE(has_budget(1));
}

TEST_CASE("controller: it may be no account but that of projects, and bind no roles but theirs") {
  int checked = 0;
  const Json role = controller_role();
  for (const Json& rule : role["rules"]) {
    for (const char* verb : {"impersonate", "bind", "escalate", "*"}) {
      if (std::find(rule["verbs"].begin(), rule["verbs"].end(), verb) != rule["verbs"].end()) {
        ++checked;
        for (const Json& name : rule.at("resourceNames")) {
          CHECK(name.get<std::string>().starts_with("kubist-project"));
        }
      }
    }
  }
  CHECK(checked == 2);
}

TEST_CASE("controller: its Role gives nothing that its ClusterRole gives everywhere") {
  const auto objects = controller_objects({.image = "r/k:1", .replicas = 2});
  const Json everywhere = controller_role();
  const auto has = [](const Json& list, const Json& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  for (const Json& rule : of_kind(objects, "Role")["rules"]) {
    REQUIRE(rule["resources"] == Json{"leases"});
    for (const Json& wide : everywhere["rules"]) {
      if (has(wide["resources"], "leases") && !wide.contains("resourceNames")) {
        for (const Json& verb : rule["verbs"]) {
          CHECK_MESSAGE(!has(wide["verbs"], verb), verb);
        }
      }
    }
  }
}
