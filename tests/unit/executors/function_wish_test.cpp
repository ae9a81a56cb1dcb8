#include "functions/function_wish.hpp"

#include <doctest/doctest.h>

#include <kubist/engine/resource_list.hpp>

using namespace kubist;
using data::Json;
using executors::ExecutorFunction;
using executors::read_wish;

namespace {

Json config_map(Json metadata) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", std::move(metadata)},
          {"data", {{"a", "b"}}}};
}

kube::ApiResource resource(std::string group, std::string kind, bool namespaced) {
  kube::ApiResource found;
  found.group = std::move(group);
  found.version = "v1";
  found.kind = std::move(kind);
  found.namespaced = namespaced;
  return found;
}

const kube::ApiResource k_config_maps = resource("", "ConfigMap", true);

}  // namespace

TEST_CASE("function wish: what a server and KRM functions' runners write is left out") {
  Json object = config_map({{"name", "one"},
                            {"uid", "1"},
                            {"resourceVersion", "2"},
                            {"managedFields", Json::array()},
                            {"labels", {{"made", "here"}}},
                            {"annotations",
                             {{"config.kubernetes.io/index", "0"},
                              {"internal.config.kubernetes.io/path", "a.yaml"},
                              {"mine", "yes"}}}});
  object["status"] = {{"ready", true}};
  const auto wish = read_wish({}, object, k_config_maps, "shop-dev");
  REQUIRE(wish);
  CHECK(wish->name == "one");
  CHECK(wish->ns == "shop-dev");
  CHECK(wish->body == Json{{"data", {{"a", "b"}}}});
  CHECK(wish->labels == Json{{"made", "here"}});
  CHECK(wish->annotations == Json{{"mine", "yes"}});
}

TEST_CASE("function wish: a definition allows no more than it says") {
  ExecutorFunction function;
  function.namespaces = {"shop-*"};
  function.cluster_scoped = {"ClusterRole.rbac.authorization.k8s.io"};
  const auto in = [&](const char* ns) {
    return read_wish(function, config_map({{"name", "one"}, {"namespace", ns}}), k_config_maps,
                     "dev")
        .has_value();
  };
  CHECK(in("dev"));
  CHECK(in("shop-test"));
  CHECK(!in("other"));
  const auto whole = [&](const char* group, const char* kind) {
    return read_wish(function, config_map({{"name", "one"}}), resource(group, kind, false), "dev")
        .has_value();
  };
  CHECK(whole("rbac.authorization.k8s.io", "ClusterRole"));
  CHECK(!whole("example.com", "ClusterRole"));
  CHECK(!whole("", "Namespace"));
  for (const char* group : {"kubist.io", "landscaper.gardener.cloud"}) {
    CHECK(!read_wish(function, config_map({{"name", "one"}}), resource(group, "Any", true), "dev"));
  }
  CHECK(!read_wish(function, config_map(Json::object()), k_config_maps, "dev"));
  for (const char* field : {"finalizers", "ownerReferences", "generateName"}) {
    const auto wish =
        read_wish(function, config_map({{"name", "one"}, {field, "x"}}), k_config_maps, "dev");
    REQUIRE(!wish);
    CHECK(wish.error().reason == "ObjectNotAllowed");
  }
}

TEST_CASE("function answer: the resource that it hands through is no object to keep") {
  const Json own{{"apiVersion", "kubist.io/v1alpha1"},
                 {"kind", "Destination"},
                 {"metadata", {{"name", "web"}, {"namespace", "shop"}}}};
  const Json input{{"kind", "ResourceList"}, {"items", {own}}};
  Json output = input;
  output["items"][0]["metadata"]["annotations"] = {{"seen", "yes"}};
  output["items"].push_back(config_map({{"name", "one"}}));
  output["functionConfig"] = {{"kind", "PolicyRun"},
                              {"status", {{"state", {{"n", 1}}}, {"requeueAfter", "1m"}}}};
  auto read = engine::read_executor_output(input, output);
  REQUIRE(read);
  REQUIRE(read->objects.size() == 1);
  CHECK(read->objects[0]["kind"] == "ConfigMap");
  CHECK(*read->state == Json{{"n", 1}});
  CHECK(*read->requeue_after == std::chrono::minutes(1));

  output["functionConfig"]["status"]["state"] = std::string(16 * 1024, 'x');
  read = engine::read_executor_output(input, output);
  REQUIRE(!read);
  CHECK(read.error().reason == "ExecutorFailed");
  output["results"] = {{{"severity", "error"}, {"message", "no"}}};
  read = engine::read_executor_output(input, output);
  REQUIRE(!read);
  CHECK(read.error().reason == "ExecutorDenied");
}
