// Which API servers the kubeconfigs of Clusters may name.
#include "world/cluster_servers.hpp"

#include "site.hpp"
#include "support/fake_resolver.hpp"
#include "support/fake_transport.hpp"
#include "support/loopback_server.hpp"

using namespace site;
using executors::AllowedServers;
using executors::ClusterServers;

namespace {

struct ServersFixture {
  ServersFixture() {
    kube::ClusterAccess access;
    access.server = "http://fake";
    kube::ClientOptions options;
    options.transport = fake;
    home = *kube::Client::connect(std::move(access), std::move(options));
  }
  void service_ranges(const Json& cidrs) {
    fake->always("GET", "/apis/networking.k8s.io/v1/servicecidrs*", 200,
                 Json{{"kind", "ServiceCIDRList"},
                      {"metadata", {{"resourceVersion", "1"}}},
                      {"items", Json::array({{{"metadata", {{"name", "kubernetes"}}},
                                              {"spec", {{"cidrs", cidrs}}}}})}}
                     .dump());
  }
  /// Empty: the server may be asked.
  std::string refusal(const std::string& server, const AllowedServers& allowed = {}) {
    const auto way = servers().way_to(server, allowed, "kubeconfig of Cluster shop/far", {});
    if (way) {
      CHECK(way->engine);
      return "";
    }
    CHECK(way.error().kind == util::ErrorKind::forbidden);
    CHECK(way.error().reason == "AddressNotAllowed");
    CHECK(way.error().hint.find("spec.allow.clusters") != std::string::npos);
    return way.error().message;
  }
  ClusterServers& servers() {
    if (!made) {
      made = std::make_unique<ClusterServers>(home);
    }
    return *made;
  }

  std::shared_ptr<testing::FakeTransport> fake = std::make_shared<testing::FakeTransport>();
  std::shared_ptr<kube::Client> home;
  std::unique_ptr<ClusterServers> made;
};

AllowedServers only_servers(std::vector<std::string> patterns) { return {std::move(patterns)}; }

bool has_any(const std::vector<http::Network>& networks, std::string_view address) {
  return std::any_of(networks.begin(), networks.end(),
                     [&](const auto& network) { return network.contains(address); });
}

}  // namespace

TEST_CASE_FIXTURE(ServersFixture, "cluster servers: where nothing is said, any but those within") {
  service_ranges({"10.96.0.0/16", "fd00:96::/108"});
  for (const char* server :
       {"https://api.example.com:6443", "https://10.77.0.2:6443", "https://10.97.0.1",
        "https://[fd00::1]:6443", "https://rancher.test/k8s/clusters/c-1"}) {
    CHECK_MESSAGE(refusal(server).empty(), server);
  }
  for (const auto& [server, why] : std::vector<std::pair<std::string, std::string>>{
           {"https://169.254.169.254", "a link-local address"},
           {"https://[fd00:ec2::254]", "a link-local address"},
           {"https://0.0.0.0:6443", "a link-local address"},
           {"https://127.0.0.1:6443", "a loopback address"},
           {"https://localhost:6443", "a loopback address"},
           {"https://[::1]:6443", "a loopback address"},
           {"https://[::ffff:127.0.0.1]:6443", "a loopback address"},
           {"https://10.96.0.1", "an address of the home cluster's Services"},
           {"https://[fd00:96::1]", "an address of the home cluster's Services"}}) {
    CHECK_MESSAGE(refusal(server).find("is " + why) != std::string::npos, server);
  }
}

TEST_CASE_FIXTURE(ServersFixture, "cluster servers: patterns match host and port") {
  struct Case {
    const char* pattern;
    const char* server;
    bool allowed;
  };
  for (const Case& each :
       {Case{"https://api.example.com", "https://api.example.com", true},
        {"https://api.example.com", "https://API.example.com:443/path", true},
        {"https://api.example.com", "https://api.example.com:6443", false},
        {"https://api.example.com:*", "https://api.example.com:6443", true},
        {"https://*.example.com:6443", "https://a.example.com:6443", true},
        {"https://*.example.com:6443", "https://evil.test:6443/a.example.com:6443", false},
        {"https://*.example.com:6443", "https://example.com:6443", false},
        {"https://[fd00::1]:6443", "https://[fd00::1]:6443", true},
        {"https://[fd00::1]:6443", "https://[fd00::1]", false},
        {"https://[fd00::*]", "https://[fd00::2]", true}}) {
    CAPTURE(each.pattern);
    CAPTURE(each.server);
    CHECK(refusal(each.server, only_servers({each.pattern})).empty() == each.allowed);
  }
  CHECK_FALSE(refusal("https://api.example.com", only_servers({})).empty());
  CHECK(refusal("https://b", only_servers({"https://a", "https://b"})).empty());
}

TEST_CASE_FIXTURE(ServersFixture,
                  "cluster servers: within, a host must be named in full; link-local never is") {
  service_ranges({"10.96.0.0/16"});
  CHECK(refusal("https://127.0.0.1:6443", only_servers({"https://127.0.0.1:*"})).empty());
  CHECK(refusal("https://10.96.0.9", only_servers({"https://10.96.0.9"})).empty());
  CHECK_FALSE(refusal("https://10.96.0.9", only_servers({"https://10.96.*"})).empty());
  CHECK_FALSE(refusal("https://127.0.0.1:6443", only_servers({"https://*:6443"})).empty());
  CHECK_FALSE(
      refusal("https://169.254.169.254", only_servers({"https://169.254.169.254"})).empty());
}

TEST_CASE_FIXTURE(ServersFixture, "cluster servers: a name is judged by where it leads") {
  service_ranges({"10.96.0.0/16"});
  testing::LoopbackServer server([](const auto&, auto& connection) { connection.end(); });
  const std::string url = cat("https://loopback.test:", server.port());
  const auto ask = [&](const AllowedServers& allowed, const std::string& where) {
    const auto way = servers().way_to(where, allowed, "it", {});
    REQUIRE_MESSAGE(way, way.error().to_string());
    http::CurlTransport transport(way->engine, {});
    http::Request request;
    request.url = where;
    request.timeout = std::chrono::seconds(20);
    const auto answer = http::send(transport, request);
    REQUIRE_FALSE(answer);
    return answer.error().reason;
  };
  CHECK(ask({}, url) == http::k_failure_address);
  CHECK(ask(only_servers({"https://*.test:*"}), url) == http::k_failure_address);
  CHECK(ask(only_servers({"https://link-local.test:*"}), "https://link-local.test") ==
        http::k_failure_address);
  CHECK(server.connections() == 0);
  CHECK(ask(only_servers({"https://loopback.test:*"}), url) != http::k_failure_address);
  CHECK(server.connections() == 1);
}

TEST_CASE_FIXTURE(ServersFixture, "cluster servers: the network of Services, however it is known") {
  SUBCASE("ServiceCIDRs") {
    service_ranges({"10.43.0.0/20"});
    const auto networks = executors::service_networks(*home, {});
    REQUIRE(networks);
    CHECK(has_any(*networks, "10.43.15.1"));
    CHECK_FALSE(has_any(*networks, "10.43.16.1"));
    CHECK(fake->sent().size() == 1);
  }
  SUBCASE("the Service kubernetes") {
    fake->always("GET", "/api/v1/namespaces/default/services/kubernetes", 200,
                 R"({"kind":"Service","metadata":{"name":"kubernetes"},)"
                 R"("spec":{"clusterIPs":["10.96.0.1","fd00:96::1"]}})");
    const auto networks = executors::service_networks(*home, {});
    REQUIRE(networks);
    CHECK(has_any(*networks, "10.96.200.1"));
    CHECK_FALSE(has_any(*networks, "10.97.0.1"));
    CHECK(has_any(*networks, "fd00:96::f:1"));
  }
  SUBCASE("a pod's environment, where nothing may be read") {
    fake->always("GET", "*", 403, R"({"kind":"Status","code":403,"reason":"Forbidden"})");
    CHECK(executors::service_networks(*home, {})->empty());
    ::setenv("KUBERNETES_SERVICE_HOST", "172.20.0.1", 1);
    const auto networks = executors::service_networks(*home, {});
    ::unsetenv("KUBERNETES_SERVICE_HOST");
    REQUIRE(networks);
    CHECK(has_any(*networks, "172.20.9.9"));
  }
  SUBCASE("a home that does not answer is an error") {
    fake->always("GET", "*", 503, "");
    CHECK(executors::service_networks(*home, {}).error().kind == util::ErrorKind::unavailable);
  }
}

TEST_CASE(
    "cluster servers: a Cluster that leads where it may not is Stalled, until it is allowed") {
  Site s;
  s.make_project("shop", {{"allow", {{"clusters", Json::array({"https://elsewhere.test"})}}}});
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.forget();
  s.reconcile();
  const Json refused = s.get("clusters", "shop", "far");
  CHECK(condition(refused, "Stalled") == "True");
  CHECK(reason(refused) == "AddressNotAllowed");
  CHECK(message(refused).find(s.far->server()) != std::string::npos);
  CHECK(message(refused).find("spec.allow.clusters") != std::string::npos);
  CHECK(s.far->log().empty());
  s.put("Root", "", "root", {{"allow", {{"clusters", Json::array({s.far->server()})}}}});
  s.reconcile();
  CHECK(condition(s.get("clusters", "shop", "far")) == "True");
}

TEST_CASE("cluster servers: metadata services, loopback and plain HTTP are refused by default") {
  Site s;
  s.make_project("shop");
  s.forget();
  for (const auto& [server, why] : std::vector<std::pair<std::string, std::string>>{
           {"https://169.254.169.254", "AddressNotAllowed"},
           {"https://127.0.0.1:6443", "AddressNotAllowed"},
           {"http://far:6443", "KubeconfigNotAllowed"},
           {"https://far:6443/path?x=", "KubeconfigNotAllowed"}}) {
    CAPTURE(server);
    s.cluster("shop", "bad", Site::kubeconfig(server));
    s.reconcile();
    CHECK(reason(s.get("clusters", "shop", "bad")) == why);
    CHECK(condition(s.get("clusters", "shop", "bad"), "Stalled") == "True");
  }
  CHECK(s.far->log().empty());
}

TEST_CASE("cluster servers: of a Secret that is no kubeconfig, nothing comes to the status") {
  Site s;
  s.make_project("shop");
  for (const char* text : {"*hunter2-alias", "kind: hunter2-kind", "{\"a\": hunter2}",
                           "users: [{name: hunter2, user: {hunter2: hunter2}}]"}) {
    CAPTURE(text);
    s.cluster("shop", "bad", text);
    const auto report = s.reconcile();
    const std::string status = s.get("clusters", "shop", "bad")["status"].dump();
    CHECK(condition(s.get("clusters", "shop", "bad"), "Stalled") == "True");
    CHECK_MESSAGE(status.find("hunter2") == std::string::npos, status);
    CHECK(node_of(report, "Cluster", "bad").message.find("hunter2") == std::string::npos);
  }
}
