#include <future>

#include <doctest/doctest.h>

#include <kubist/executors/connections.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "support/fake_transport.hpp"

using namespace kubist;
using data::Json;
using executors::Connections;

namespace {

struct ConnectionsFixture {
  ConnectionsFixture() {
    fake->always("GET", "/version", 200, R"({"gitVersion":"v1.34.4","major":"1","minor":"34"})");
    fake->always(
        "GET", "/api/v1/namespaces/kube-system", 200,
        R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-system","uid":"u1"}})");
    fake->handle(
        "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        [](const http::Request& request) {
          const bool refuse = request.body->find("\"delete\"") != std::string::npos;
          return testing::FakeTransport::answer(
              201, refuse ? R"({"status":{"allowed":false}})" : R"({"status":{"allowed":true}})");
        });
    kube::ClusterAccess access;
    access.server = "http://fake";
    kube::ClientOptions options;
    options.transport = fake;
    client = *kube::Client::connect(std::move(access), std::move(options));
  }
  std::size_t requests() const { return fake->sent().size(); }

  std::shared_ptr<testing::FakeTransport> fake = std::make_shared<testing::FakeTransport>();
  std::shared_ptr<kube::Client> client;
};

Json home_cluster(const std::string& ns, const std::string& name) {
  return {{"apiVersion", "kubist.io/v1alpha1"},
          {"kind", "Cluster"},
          {"metadata", {{"namespace", ns}, {"name", name}}},
          {"spec", {{"home", true}}}};
}

}  // namespace

TEST_CASE("connections: Clusters that lead to one place ask it once a run") {
  ConnectionsFixture f;
  Connections connections(f.client, "", {});
  for (int run = 1; run <= 2; ++run) {
    connections.begin_run();
    for (const char* project : {"a", "b", "c"}) {
      for (const char* name : {"one", "two"}) {
        const auto reached = connections.connect(home_cluster(project, name), {}, true, {});
        REQUIRE(reached);
        CHECK((*reached)->uid == "u1");
        CHECK((*reached)->version.git_version == "v1.34.4");
        const auto refused = connections.refused_on_namespaces(**reached, {});
        REQUIRE(refused);
        CHECK(*refused == std::set<std::string>{"delete"});
      }
    }
    CHECK(f.requests() == 6U * static_cast<std::size_t>(run));  // version, kube-system, 4 reviews
  }
}

TEST_CASE("connections: an identity that is known is not asked for") {
  ConnectionsFixture f;
  Connections connections(f.client, "u7", {});
  const auto reached = connections.connect(home_cluster("a", "one"), {}, true, {});
  REQUIRE(reached);
  CHECK((*reached)->uid == "u7");
  CHECK(f.fake->log() == std::vector<std::string>{"GET /version"});
}

namespace {

/// Clusters `far` of projects a, b and c, of which two have the same kubeconfig.
struct FarClusters : ConnectionsFixture {
  FarClusters() {
    for (const auto& [ns, token] : tokens) {
      fake->handle("GET", util::cat("/api/v1/namespaces/", ns, "/secrets/far"),
                   [&token = token](const auto&) {
                     return testing::FakeTransport::answer(200, secret(token).dump());
                   });
    }
  }
  static Json secret(const std::string& token) {
    const std::string config = util::cat(
        R"({"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c",)"
        R"("context":{"cluster":"c","user":"u"}}],"clusters":[{"name":"c","cluster":{"server":)"
        R"("https://far:6443"}}],"users":[{"name":"u","user":{"token":")",
        token, R"("}}]})");
    Json secret{{"kind", "Secret"}};
    if (!token.empty()) {
      secret["data"]["value"] = util::base64_encode(config);
    }
    return secret;
  }
  static Json cluster(const std::string& ns) {
    Json cluster = home_cluster(ns, "far");
    cluster["spec"] = {{"kubeconfigSecretRef", {{"name", "far"}}}};
    return cluster;
  }
  std::shared_ptr<const executors::Connection> reach(const std::string& ns) {
    const auto reached = connections.connect(cluster(ns), {}, true, {});
    REQUIRE_MESSAGE(reached, reached.error().message);
    return *reached;
  }

  /// A client that has written anything asks for the clients when it ends.
  struct Ending {
    FarClusters& f;
    bool has_written = false;
    util::Result<> operator()(const http::Request&) {
      has_written = true;
      return {};
    }
    ~Ending() {
      if (has_written) {
        f.asked = std::async(std::launch::async, [&all = f.connections] { all.clients(); });
        f.was_free = f.asked.wait_for(std::chrono::seconds(5)) == std::future_status::ready;
      }
    }
  };
  std::map<std::string, std::string> tokens{{"a", "t1"}, {"b", "t1"}, {"c", "t2"}};
  std::future<void> asked;
  bool was_free = false;

  Connections connections{client, "u1", [this] {
                            kube::ClientOptions options;
                            options.transport = fake;
                            options.before_write = Ending{*this};
                            return options;
                          }()};
};

}  // namespace

TEST_CASE("connections: equal kubeconfigs share a client, others do not") {
  FarClusters f;
  const auto a = f.reach("a");
  // the Secret, two looks for the network of Services, version, kube-system
  CHECK(f.requests() == 5);
  CHECK(f.reach("b")->client == a->client);
  CHECK(f.requests() == 6);
  const auto c = f.reach("c");
  CHECK(c->client != a->client);
  CHECK(f.requests() == 9);
  CHECK(f.connections.clusters_at(*a->client) ==
        executors::ClusterNames{{"a", "far"}, {"b", "far"}});
  CHECK(f.connections.clusters_at(*c->client) == executors::ClusterNames{{"c", "far"}});
  CHECK_FALSE(f.connections.clusters_at(*f.client));  // home's
}

TEST_CASE("connections: what leads to no Cluster any more ends") {
  FarClusters f;
  const std::weak_ptr<kube::Client> shared = f.reach("a")->client;
  f.reach("b");
  f.reach("c");
  REQUIRE(f.connections.clients().size() == 3);
  f.connections.keep_only({{"a", "far"}, {"b", "far"}, {"c", "far"}});
  f.connections.keep_only({{"b", "far"}});
  CHECK(f.connections.clients().size() == 2);
  REQUIRE(!shared.expired());
  CHECK(f.connections.clusters_at(*shared.lock()) == executors::ClusterNames{{"b", "far"}});
  f.connections.keep_only({});
  CHECK(f.connections.clients().size() == 1);
  CHECK(shared.expired());
}

TEST_CASE("connections: a Cluster that is newer than the tree stays until the next") {
  FarClusters f;
  f.connections.keep_only({});
  const auto client = f.reach("a")->client;
  f.connections.keep_only({});
  CHECK(f.connections.clusters_at(*client) == executors::ClusterNames{{"a", "far"}});
  SUBCASE("which has it") {
    f.connections.keep_only({{"a", "far"}});
    CHECK(f.reach("a")->client == client);
  }
  f.connections.keep_only({});
  CHECK(f.reach("a")->client != client);
}

TEST_CASE("connections: a Cluster with another kubeconfig leads no more where it did") {
  FarClusters f;
  const auto client = f.reach("a")->client;
  f.reach("b");
  SUBCASE("of another cluster") {
    f.tokens["a"] = "t2";
    f.reach("a");
  }
  SUBCASE("of none") {
    f.tokens["a"] = "";
    CHECK_FALSE(f.connections.connect(f.cluster("a"), {}, true, {}));
  }
  CHECK(f.connections.clusters_at(*client) == executors::ClusterNames{{"b", "far"}});
}

TEST_CASE("connections: who asks for clients waits for none that ends") {
  FarClusters f;
  f.fake->always("PATCH", "/api/v1/namespaces/x", 200, R"({"kind":"Namespace"})");
  REQUIRE(kube::Writer(kube::Writer::Rules())
              .apply({*f.reach("a")->client}, kube::well_known::namespaces(),
                     {{"kind", "Namespace"}, {"metadata", {{"name", "x"}}}}));
  f.tokens["a"] = "t2";
  f.reach("a");
  CHECK(f.was_free);
}
