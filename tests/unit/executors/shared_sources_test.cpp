// Two projects with one target cluster, each by its own kubeconfig: what the credentials of one may
// read, the other does not learn from it.
#include <atomic>
#include <set>

#include <kubist/executors/lease.hpp>
#include <kubist/executors/world.hpp>

#include "keep/sites.hpp"
#include "release_site.hpp"
#include "releases/release_listing.hpp"
#include "support/fake_transport.hpp"
#include "world/metric_sources.hpp"
#include "world/project_accounts.hpp"
#include "world/shared_lists.hpp"
#include "world/survey.hpp"

using namespace site;

namespace {

constexpr const char* k_forbidden =
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403})";
constexpr const char* k_five =
    R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},)"
    R"("value":[1800000000,"5"]}]}})";

/// Counts who reads its gateway's statistics, which nobody may.
class Guarded : public testing::FakeCluster {
 public:
  Guarded() : FakeCluster("far") {}
  http::Call start(http::Request request, http::Done done) override {
    if (request.url.find("/proxy/") == std::string::npos) {
      return FakeCluster::start(std::move(request), std::move(done));
    }
    ++read;
    testing::deliver(request, testing::FakeTransport::answer(403, k_forbidden), done);
    return {};
  }
  std::atomic<int> read = 0;
};

struct TwoProjects : Site {
  TwoProjects() {
    far = guarded;
    network->add(far);
    for (const auto& [kind, plural] :
         {std::pair{"VirtualService", "virtualservices"},
          std::pair{"DestinationRule", "destinationrules"}, std::pair{"Gateway", "gateways"}}) {
      far->put(istio_crd(kind, plural));
    }
    far->put(plain("Namespace", "", "istio-system"));
    pod("istio-system", "gateway", {{"istio", "ingressgateway"}});
    for (const std::string name : {"a", "b"}) {
      make_project(name);
      cluster(name, "far", kubeconfig(far->server(), {{"token", name}}));
      virtual_cluster(name, "dev", {{"injection", {{"mode", "Unmanaged"}}}}, "far");
    }
    settle();
    for (const std::string name : {"a", "b"}) {
      for (const char* version : {"v1", "v2"}) {
        pod(name + "-dev", cat("web-", version), {{"app", "web"}, {"version", version}});
      }
      apply(name, "EntryGateway", "entry", "{servers: [{port: 80, hosts: ['*.example.com']}]}");
      apply(name, "Destination", "web",
            "{ports: [{port: 80, targetPort: 8080}], subsets: {v1: {labels: {version: v1}}, v2: "
            "{labels: {version: v2}}}}");
      apply(name, "TrafficRoute", "web",
            cat("{hosts: [", name,
                ".example.com], gateways: [entry], routes: [{weights: "
                "[{destination: web, version: v1}]}]}"));
    }
    settle();
  }
  void apply(const std::string& ns, const std::string& kind, const std::string& name,
             const std::string& spec) {
    Json full = yaml(spec);
    full["virtualClusterRef"] = {{"name", "dev"}};
    put(kind, ns, name, full);
  }
  void pod(const std::string& ns, const std::string& name, const Json& labels) {
    Json made = plain("Pod", ns, name);
    made["metadata"]["labels"] = labels;
    made["spec"] = {{"containers", Json::array({{{"name", "main"}, {"image", "x"}}})}};
    far->put(made);
    far->patch("pods", name, ns, kube::PatchType::strategic,
               {{"status",
                 {{"phase", "Running"},
                  {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}}}},
               "status");
  }
  void release(const std::string& ns) {
    apply(ns, "CanaryRelease", "web",
          "{destination: web, stable: v1, canary: v2, routes: [web], interval: 1s, bake: 1s, "
          "weights: [50], policies: [{name: Metric, parameters: {metrics: [{name: "
          "request-success-rate, thresholdRange: {min: 99}}]}}]}");
  }

  const std::shared_ptr<Guarded> guarded = std::make_shared<Guarded>();
};

/// One kubeconfig for the server of that URL: what is asked by it is seen in `asked`.
struct Credentials {
  explicit Credentials(int status, const std::string& body = k_forbidden) {
    asked->always("GET", "*", status, body);
    kube::ClusterAccess access;
    access.server = "http://far";
    kube::ClientOptions options;
    options.transport = asked;
    client = *kube::Client::connect(std::move(access), std::move(options));
  }
  std::shared_ptr<testing::FakeTransport> asked = std::make_shared<testing::FakeTransport>();
  std::shared_ptr<kube::Client> client;
};

/// What a release finds beside it, where its server answers each list with these objects.
util::Result<std::shared_ptr<const release::Running>> running(const std::string& objects) {
  const Credentials credentials(200, cat(R"({"metadata":{},"items":[)", objects, "]}"));
  const engine::Graph graph = engine::Graph::build({});
  executors::ReleaseListing listing(graph);
  deployers::Place place;
  place.client = credentials.client;
  place.ns = "shop-dev";
  auto there =
      listing.list(engine::make_node(object("CanaryRelease", "shop", "web")), "dev", place, "", {});
  for (const http::Request& request : credentials.asked->sent()) {
    CHECK(request.max_body == std::size_t{256} << 20U);
  }
  return there;
}

/// Of a run that asks nothing of its home.
struct Parts {
  std::shared_ptr<testing::FakeCluster> cluster = std::make_shared<testing::FakeCluster>();
  std::shared_ptr<kube::Client> home = cluster->connect();
  engine::Graph graph = engine::Graph::build({});
  executors::Connections connections{home, "", {}};
  executors::ProjectAccounts accounts{home};
  executors::Sites sites{home, "", connections, accounts};
  executors::ProjectLocks locks{home, {}};
  executors::Survey survey{graph, {}, *home};
  executors::World world{home, "", connections, sites, locks, survey};
};

}  // namespace

TEST_CASE("shared sources: a Prometheus answers each project by its own kubeconfig") {
  const Credentials a(200, k_five);
  const Credentials b(403);
  Parts parts;
  executors::MetricSources sources(parts.world, parts.graph);
  const auto ask = [&](const std::string& ns, const Credentials& by) {
    const auto node = engine::make_node(object("CanaryRelease", ns, "web"));
    const auto source = sources.prometheus(
        node, by.client, {{"namespace", "monitoring"}, {"service", "prometheus:9090"}}, {}, {});
    REQUIRE(source);
    return (*source)->query("up", {});
  };
  CHECK(ask("a", a) == 5.0);
  const auto other = ask("b", b);
  REQUIRE_FALSE(other);
  CHECK(other.error().reason == metrics::k_reason_forbidden);
  CHECK(a.asked->sent().size() == 1);
  CHECK(b.asked->sent().size() == 1);
}

TEST_CASE("shared sources: gateways' statistics are read by each project's own kubeconfig") {
  TwoProjects s;
  s.release("a");
  s.release("b");
  std::set<int> read;  // by one look at both releases
  for (int looks = 0; looks < 8; ++looks) {
    const int before = s.guarded->read;
    s.clock.advance(std::chrono::seconds(2));
    s.reconcile();
    read.insert(s.guarded->read - before);
  }
  CHECK(read == std::set<int>{0, 2});
}

TEST_CASE("shared sources: a list is shared by those alone who have one credential") {
  const Credentials a(200, R"({"kind":"ConfigMapList","metadata":{},"items":[]})");
  const Credentials b(403);
  executors::SharedLists lists;
  const auto& maps = kube::well_known::config_maps();
  const auto first = lists.list(*a.client, maps, "x", "shop", {});
  REQUIRE(first);
  CHECK(*lists.list(*a.client, maps, "x", "shop", {}) == *first);
  CHECK(a.asked->sent().size() == 1);
  const auto other = lists.list(*b.client, maps, "x", "shop", {});
  REQUIRE_FALSE(other);
  CHECK(other.error().kind == util::ErrorKind::forbidden);
}

TEST_CASE("shared sources: of pods and Deployments only what releases read is kept") {
  const auto there = running(R"(
    {"metadata": {"name": "web", "generation": 2, "labels": {"app": "web"}, "uid": "1",
                  "deletionTimestamp": "2026-11-28T00:00:00Z", "annotations": {"a": "b"}},
     "spec": {"replicas": 3, "selector": {"a": "b"},
              "template": {"metadata": {"labels": {"app": "web"}, "name": "x"},
                           "spec": {"containers": []}}},
     "status": {"replicas": 3, "updatedReplicas": 3, "availableReplicas": 2, "readyReplicas": 1,
                "unavailableReplicas": 1, "observedGeneration": 2, "collisionCount": 1,
                "conditions": [{"type": "Available", "status": "True", "reason": "x"},
                               {"type": "Progressing", "status": "True"}]}},
    {"metadata": ["labels"], "status": 7})");
  REQUIRE_MESSAGE(there, (there ? "" : there.error().to_string()));
  const Json kept = Json::parse(R"(
    {"metadata": {"name": "web", "generation": 2, "labels": {"app": "web"},
                  "deletionTimestamp": "2026-11-28T00:00:00Z"},
     "spec": {"replicas": 3,
              "template": {"metadata": {"labels": {"app": "web"}}, "spec": "{\"containers\":[]}"}},
     "status": {"replicas": 3, "updatedReplicas": 3, "availableReplicas": 2, "readyReplicas": 1,
                "unavailableReplicas": 1, "observedGeneration": 2,
                "conditions": [{"type": "Available", "status": "True"}]}})");
  CHECK((*there)->pods == std::vector<Json>{kept, Json::object()});
  CHECK((*there)->deployments == (*there)->pods);
}

TEST_CASE("shared sources: what a server lists beside a release is limited, and by what is told") {
  std::string objects = "{}";
  SUBCASE("in all") {
    std::string labels = R"("x":"")";
    for (int i = 0; i < 10'000; ++i) {
      labels += cat(R"(,"label-number-)", i, R"(":"a value that takes some room")");
    }
    for (int i = 0; i < 60; ++i) {
      objects += cat(R"(,{"metadata":{"labels":{)", labels, "}}}");
    }
    const auto there = running(objects);
    REQUIRE_FALSE(there);
    CHECK(there.error().reason == "TooLarge");
    CHECK(there.error().message ==
          "what releases read of the pods in namespace shop-dev takes more than 67108864 bytes of "
          "memory");
  }
  SUBCASE("in each object") {
    for (int i = 0; i < 200'000; ++i) {
      objects += (i == 0 ? R"(,{"spec":[1)" : ",1");
    }
    const auto there = running(objects + "]}");
    REQUIRE_FALSE(there);
    CHECK_MESSAGE(there.error().message.find("200000") != std::string::npos,
                  there.error().to_string());
  }
}
