#include "world/survey.hpp"

#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "support/fake_transport.hpp"

using namespace kubist;
using data::Json;
using executors::Survey;
using util::cat;

namespace {

constexpr const char* k_namespaces =
    "/api/v1/namespaces?labelSelector=app.kubernetes.io%2Fmanaged-by%3Dkubist*";

/// A project with a Cluster that is home, and `count` virtual clusters on it.
struct SurveyFixture {
  explicit SurveyFixture(int count) {
    std::vector<engine::Node> nodes;
    nodes.push_back(node("Project", "", "shop", {{"namespace", "shop"}}));
    nodes.push_back(node("Cluster", "shop", "local", {{"home", true}}));
    for (int i = 0; i < count; ++i) {
      nodes.push_back(
          node("VirtualCluster", "shop", cat('v', i), {{"clusterRef", {{"name", "local"}}}}));
    }
    graph = engine::Graph::build(std::move(nodes));
    kube::ClusterAccess access;
    access.server = "http://fake";
    kube::ClientOptions options;
    options.transport = fake;
    client = *kube::Client::connect(std::move(access), std::move(options));
  }
  static engine::Node node(const char* kind, const char* ns, const std::string& name, Json spec) {
    Json object{{"apiVersion", "kubist.io/v1alpha1"},
                {"kind", kind},
                {"metadata", {{"name", name}, {"namespace", ns}, {"uid", name}}},
                {"spec", std::move(spec)}};
    return engine::make_node(std::move(object));
  }
  const engine::Node& first_virtual_cluster() const {
    return graph[graph.find({"kubist.io", "VirtualCluster", "shop", "v0"}).front()];
  }
  std::size_t requests(const std::string& part) const {
    std::size_t count = 0;
    for (const std::string& line : fake->log()) {
      count += line.find(part) != line.npos ? 1 : 0;
    }
    return count;
  }

  engine::Graph graph;
  std::shared_ptr<testing::FakeTransport> fake = std::make_shared<testing::FakeTransport>();
  std::shared_ptr<kube::Client> client;
};

std::string name_of(const util::Result<std::optional<Json>>& found) {
  return found && *found ? cat((**found)["kind"].get<std::string>(), '/',
                               (**found)["metadata"]["name"].get<std::string>())
                         : std::string("none");
}

std::string list_of(const char* kind, const std::string& items, const std::string& more = {}) {
  return cat(R"({"apiVersion":"v1","kind":")", kind, R"(","metadata":{"resourceVersion":"7")", more,
             R"(},"items":[)", items, "]}");
}

}  // namespace

TEST_CASE("survey: few namespaces are read by name") {
  SurveyFixture f(2);
  f.fake->always("GET", "/api/v1/namespaces/a", 200,
                 R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}})");
  Survey survey(f.graph, f.graph.roots(), *f.client);
  CHECK(name_of(survey.find_namespace(*f.client, f.first_virtual_cluster(), "a", {})) ==
        "Namespace/a");
  CHECK(name_of(survey.find_namespace(*f.client, f.first_virtual_cluster(), "b", {})) == "none");
  CHECK(f.requests("labelSelector") == 0);
}

TEST_CASE("survey: many are listed once; what is asked again or missing is read by name") {
  SurveyFixture f(20);
  f.fake->always(
      "GET", k_namespaces, 200,
      list_of("NamespaceList", R"({"metadata":{"name":"a"}},{"metadata":{"name":"b"}})"));
  f.fake->always(
      "GET", "/api/v1/namespaces/a", 200,
      R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a","labels":{"x":"y"}}})");
  Survey survey(f.graph, f.graph.roots(), *f.client);
  const auto& node = f.first_virtual_cluster();
  CHECK(name_of(survey.find_namespace(*f.client, node, "a", {})) == "Namespace/a");
  CHECK(name_of(survey.find_namespace(*f.client, node, "b", {})) == "Namespace/b");
  CHECK(f.fake->sent().size() == 1);
  const auto again = survey.find_namespace(*f.client, node, "a", {});
  REQUIRE((again && *again));
  CHECK((**again)["metadata"].contains("labels"));
  CHECK(name_of(survey.find_namespace(*f.client, node, "c", {})) == "none");
  CHECK(f.requests("labelSelector") == 1);
  CHECK(f.requests("/namespaces/c") == 1);
}

TEST_CASE("survey: who may not list, or would read mostly what nobody wants, reads by name") {
  SurveyFixture f(20);
  SUBCASE("forbidden") {
    f.fake->always("GET", k_namespaces, 403,
                   R"({"kind":"Status","status":"Failure","reason":"Forbidden","code":403})");
  }
  SUBCASE("too much") {
    f.fake->always("GET", k_namespaces, 200,
                   list_of("NamespaceList", R"({"metadata":{"name":"a"}})",
                           R"(,"continue":"next","remainingItemCount":99999)"));
  }
  f.fake->always("GET", "/api/v1/namespaces/a", 200,
                 R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}})");
  Survey survey(f.graph, f.graph.roots(), *f.client);
  for (int i = 0; i < 3; ++i) {
    CHECK(name_of(survey.find_namespace(*f.client, f.first_virtual_cluster(), "a", {})) ==
          "Namespace/a");
  }
  CHECK(f.requests("/namespaces/a") == 3);
}

TEST_CASE("survey: the Deployments of all namespaces come from one list") {
  SurveyFixture f(20);
  f.fake->always(
      "GET", "/apis/apps/v1/deployments?*", 200,
      list_of(
          "DeploymentList",
          R"({"metadata":{"name":"web-1","namespace":"a","labels":{"app":"web"}},)"
          R"("spec":{"replicas":2,"template":{"metadata":{"annotations":{"kubist.io/mesh":"x=y"}}}},"status":{"readyReplicas":1}})"));
  Survey survey(f.graph, f.graph.roots(), *f.client);
  const auto& node = f.first_virtual_cluster();
  const auto a = survey.workloads(*f.client, node, "a", {});
  REQUIRE(a);
  CHECK(a->applications == Json::parse(R"([{"name":"web","deployments":[
      {"name":"web-1","replicas":2,"readyReplicas":1}]}])"));
  CHECK(a->rolled_out_for == std::map<std::string, std::string>{{"web-1", "x=y"}});
  const auto b = survey.workloads(*f.client, node, "b", {});
  REQUIRE(b);
  CHECK(b->applications == Json::array());
  CHECK(b->rolled_out_for.empty());
  CHECK(f.fake->sent().size() == 1);
  f.fake->always("GET", "/apis/apps/v1/namespaces/b/deployments*", 200,
                 list_of("DeploymentList", ""));
  CHECK(survey.workloads(*f.client, node, "b", {}));
  CHECK(f.requests("/namespaces/b/deployments") == 1);
}

TEST_CASE("survey: a list without end is given up, and what is wanted is read by name") {
  SurveyFixture f(20);
  const std::string large(std::size_t{32} << 20U, 'x');
  f.fake->always(
      "GET", k_namespaces, 200,
      list_of("NamespaceList", cat(R"({"metadata":{"name":"n","labels":{"a":")", large, R"("}}})"),
              R"(,"continue":"more")"));
  f.fake->always("GET", "/api/v1/namespaces/n", 200,
                 R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}})");
  Survey survey(f.graph, f.graph.roots(), *f.client);
  CHECK(name_of(survey.find_namespace(*f.client, f.first_virtual_cluster(), "n", {})) ==
        "Namespace/n");
  CHECK(f.requests("labelSelector") > 1);
  CHECK(f.requests("labelSelector") <= 17);  // one may be on its way
}
