#include <doctest/doctest.h>

#include <kubist/deployers/deployer.hpp>

#include "manifest/managed.hpp"
#include "manifest/manifest_plan.hpp"

using namespace kubist;
using namespace kubist::deployers;

namespace {

Item manifest_item(Json config, Json status = Json::object()) {
  return parse_item({{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                     {"kind", "DeployItem"},
                     {"metadata", {{"name", "m"}, {"namespace", "demo"}, {"uid", "1-2"}}},
                     {"spec", {{"type", "kubist.io/manifest"}, {"config", std::move(config)}}},
                     {"status", std::move(status)}})
      .value();
}

Json config_map(const std::string& name) {
  return {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", name}}}};
}

std::string manifest_refusal(Json config) {
  const auto plan = parse_manifest_plan(manifest_item(std::move(config)));
  REQUIRE_FALSE(plan);
  CHECK(plan.error().kind == util::ErrorKind::invalid);
  CHECK(plan.error().reason == "InvalidConfiguration");
  return plan.error().to_string();
}

}  // namespace

TEST_CASE("manifest config: bare objects, landscaper's entries, Lists and text in one") {
  const Json list{{"apiVersion", "v1"},
                  {"kind", "List"},
                  {"items", Json::array({config_map("l1"), config_map("l2")})}};
  const auto plan = parse_manifest_plan(
      manifest_item({{"manifests",
                      {config_map("bare"),
                       {{"policy", "keep"},
                        {"manifest", list},
                        {"annotateBeforeCreate", {{"a", "b"}}},
                        {"annotateBeforeDelete", {{"c", "d"}}}}}},
                     {"yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: text}\n"}}));
  REQUIRE_MESSAGE(plan, plan.error().to_string());
  REQUIRE(plan->entries.size() == 4);
  const auto name = [&](std::size_t i) {
    return std::string(resources::ObjectView(plan->entries[i].manifest.object).name());
  };
  CHECK(name(0) == "bare");
  CHECK(plan->entries[0].policy == ManagePolicy::manage);
  CHECK(name(2) == "l2");
  CHECK(plan->entries[2].policy == ManagePolicy::keep);
  CHECK(resources::ObjectView(plan->entries[2].manifest.object).annotation("a") == "b");
  CHECK(plan->entries[2].annotate_before_delete == Json{{"c", "d"}});
  CHECK(name(3) == "text");
}

TEST_CASE("manifest config: checks and exports are read, patches of strategy accepted") {
  const auto plan = parse_manifest_plan(manifest_item(
      {{"updateStrategy", "patch"},
       {"readinessChecks",
        {{"timeout", "90s"},
         {"custom",
          {{{"name", "c"},
            {"labelSelector",
             {{"apiVersion", "v1"}, {"kind", "Pod"}, {"matchLabels", {{"a", "b"}}}}},
            {"requirements",
             {{{"jsonPath", ".x"}, {"operator", "=="}, {"values", {{{"value", 1}}}}}}}},
           {{"name", "off"},
            {"disabled", true},
            {"resourceSelector", {{{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", "p"}}}},
            {"requirements", {{{"jsonPath", ".x"}, {"operator", "exists"}}}}}}}}},
       {"exports",
        {{"exports",
          {{{"key", "k"},
            {"jsonPath", ".spec.ref"},
            {"fromResource", {{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", "p"}}},
            {"fromObjectRef",
             {{"apiVersion", "v1"}, {"kind", "Secret"}, {"jsonPath", ".data.x"}}}}}}}}}));
  REQUIRE_MESSAGE(plan, plan.error().to_string());
  REQUIRE(plan->checks.size() == 1);
  CHECK(plan->checks[0].timeout == std::chrono::seconds(90));
  REQUIRE(plan->exports.size() == 1);
  REQUIRE(plan->exports[0].reference);
  CHECK(plan->exports[0].reference->text() == "{.spec.ref}");
  CHECK(plan->exports[0].path.text() == "{.data.x}");
}

TEST_CASE("manifest config: operators and selectors as landscaper's documentation spells them") {
  const Json check{{"name", "c"},
                   {"resourceSelector", {{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", "p"}}},
                   {"requirements",
                    {{{"jsonPath", ".status.readyReplicas"},
                      {"operator", "In"},
                      {"values", {{{"value", 1}}, {{"value", 2}}}}},
                     {{"jsonPath", ".x"}, {"operator", "notIn"}, {"values", {{{"value", 1}}}}},
                     {{"jsonPath", ".x"}, {"operator", "Equals"}, {"values", {{{"value", 1}}}}},
                     {{"jsonPath", ".x"}, {"operator", "DoesNotExist"}}}}};
  const auto plan =
      parse_manifest_plan(manifest_item({{"readinessChecks", {{"custom", Json::array({check})}}}}));
  REQUIRE_MESSAGE(plan, plan.error().to_string());
  REQUIRE(plan->checks.size() == 1);
  CHECK(plan->checks[0].objects.size() == 1);
  std::vector<std::string> operators;
  for (const Requirement& requirement : plan->checks[0].requirements) {
    operators.push_back(requirement.op);
  }
  CHECK(operators == std::vector<std::string>{"in", "notin", "==", "!"});
}

TEST_CASE("manifest config: what is wrong or not done is refused by name") {
  CHECK(manifest_refusal({{"manifest", Json::array()}}).find("manifests") != std::string::npos);
  CHECK(manifest_refusal({{"manifests", {{{"kind", "ConfigMap"}}}}}).find("apiVersion") !=
        std::string::npos);
  CHECK(manifest_refusal({{"manifests", {"text"}}}).find("config.manifests[0]") !=
        std::string::npos);
  CHECK(manifest_refusal({{"manifests", {{{"policy", "destroy"}, {"manifest", config_map("a")}}}}})
            .find("policy") != std::string::npos);
  const std::string broken = manifest_refusal({{"yaml", "a: [1"}});
  CHECK_MESSAGE(broken.find("config.yaml:2:1") != std::string::npos, broken);
  for (const char* field : {"deletionGroups", "deletionGroupsDuringUpdate", "continuousReconcile",
                            "deleteTimeout", "healthChecks", "kubeconfig"}) {
    CHECK(manifest_refusal({{field, Json::array()}}).find(field) != std::string::npos);
  }
  CHECK(manifest_refusal({{"updateStrategy", "merge"}}).find("merge") != std::string::npos);
  CHECK(
      manifest_refusal(
          {{"manifests", {{{"manifest", config_map("a")}, {"patchAfterDeployment", {{"x", 1}}}}}}})
          .find("patchAfterDeployment") != std::string::npos);
  CHECK(manifest_refusal({{"exports", {{"exports", {{{"key", "k"}, {"jsonPath", ".x"}}}}}}})
            .find("fromResource") != std::string::npos);
  const Json requirement{{"jsonPath", ".x"}, {"operator", "=="}};
  CHECK(manifest_refusal(
            {{"readinessChecks",
              {{"custom",
                {{{"name", "c"},
                  {"resourceSelector", {{{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", "p"}}}},
                  {"requirements", Json::array({requirement})}}}}}}})
            .find("takes one value") != std::string::npos);
}

TEST_CASE("manifest: a manifest item with imports is refused") {
  const Item item = manifest_item({{"importValues", {{"a", 1}}}});
  const auto checked = find_deployer("kubist.io/manifest", {})->check(item, {});
  REQUIRE_FALSE(checked);
  CHECK(checked.error().message.find("takes no imports") != std::string::npos);
}

TEST_CASE("managed: what is no object in the status is left out") {
  const Json list = Json::array({"x",
                                 7,
                                 Json(),
                                 {{"resource", "x"}},
                                 {{"resource", {{"kind", "ConfigMap"}, {"name", "a"}}},
                                  {"annotateBeforeDelete", "x"},
                                  {"patchBeforeDelete", Json::array({1})}}});
  const auto managed =
      managed_of(manifest_item(Json::object(), {{"providerStatus", {{"managedResources", list}}}}));
  REQUIRE(managed.size() == 1);
  CHECK(managed[0].ref.name == "a");
  CHECK(managed[0].annotate_before_delete.is_null());
  CHECK(managed[0].patch_before_delete.is_null());
}

TEST_CASE("managed: what is kept in the status comes back") {
  std::vector<Managed> managed(2);
  managed[0].policy = ManagePolicy::keep;
  managed[0].api_version = "apps/v1";
  managed[0].ref = {"apps", "Deployment", "ns", "web"};
  managed[0].uid = "uid-1";
  managed[1].api_version = "v1";
  managed[1].ref = {"", "Namespace", "", "ns"};
  managed[1].stale = true;
  managed[1].annotate_before_delete = Json{{"a", "b"}};
  managed[1].patch_before_delete = Json{{"spec", 1}};
  const Json list = managed_json(managed);
  const auto back =
      managed_of(manifest_item(Json::object(), {{"providerStatus", {{"managedResources", list}}}}));
  REQUIRE(back.size() == 2);
  CHECK(managed_json(back) == list);
  CHECK(back[0].ref == managed[0].ref);
  CHECK(back[1].stale);
  CHECK(name_of(back[0].ref) == "Deployment ns/web");
}
