// Which client sends a request, by what it asks for.
#include <doctest/doctest.h>

#include <kubist/kube/client.hpp>
#include <kubist/kube/request_info.hpp>
#include <kubist/util/text.hpp>

#include "support/fake_transport.hpp"

using namespace kubist;
using namespace kubist::kube;

namespace {

std::string info_of(const std::string& method, const std::string& path,
                    const std::string& server = "https://host:6443") {
  http::Request request;
  request.method = method;
  request.url = server + path;
  const RequestInfo info = request_info(request, server);
  return util::cat(info.verb, '|', info.group, '|', info.resource, '|', info.subresource, '|',
                   info.ns, '|', info.name);
}

std::shared_ptr<Client> connect(const std::shared_ptr<testing::FakeTransport>& fake) {
  ClusterAccess access;
  access.server = "http://fake";
  ClientOptions options;
  options.transport = fake;
  return *Client::connect(std::move(access), std::move(options));
}

}  // namespace

TEST_CASE("request info: what a path asks for, as the API server takes it apart") {
  CHECK(info_of("GET", "/api/v1/namespaces/shop/secrets/db") == "get||secrets||shop|db");
  CHECK(info_of("GET", "/api/v1/namespaces/shop/secrets?limit=5") == "list||secrets||shop|");
  CHECK(info_of("GET", "/api/v1/pods?watch=true") == "watch||pods|||");
  CHECK(info_of("PATCH", "/apis/apps/v1/namespaces/shop/deployments/web/scale") ==
        "patch|apps|deployments|scale|shop|web");
  CHECK(info_of("POST", "/apis/batch/v1/namespaces/shop/jobs") == "create|batch|jobs||shop|");
  CHECK(info_of("PUT", "/api/v1/nodes/n") == "update||nodes|||n");
  CHECK(info_of("DELETE", "/api/v1/namespaces/shop/pods") == "deletecollection||pods||shop|");
  CHECK(info_of("DELETE", "/apis/rbac.authorization.k8s.io/v1/clusterroles/x") ==
        "delete|rbac.authorization.k8s.io|clusterroles|||x");
  CHECK(info_of("GET", "/api/v1/namespaces/shop/services/web:80/proxy/metrics") ==
        "get||services|proxy|shop|web:80");
  // A Namespace is an object of the cluster.
  CHECK(info_of("PATCH", "/api/v1/namespaces/shop") == "patch||namespaces|||shop");
  CHECK(info_of("PUT", "/api/v1/namespaces/shop/finalize") == "update||namespaces|finalize||shop");
  for (const char* path : {"/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/version",
                           "/openapi/v3/apis/apps/v1"}) {
    CHECK_MESSAGE(info_of("GET", path).ends_with("||||"), info_of("GET", path));
  }
}

TEST_CASE("request info: no spelling of a path hides an object of the cluster") {
  CHECK(info_of("GET", "/api/v1/%6eamespaces/kube-system/secrets/a") ==
        "get||secrets||kube-system|a");
  CHECK(info_of("GET", "/api/v1/watch/namespaces/shop/secrets") == "get||watch|shop||namespaces");
  CHECK(info_of("GET", "/healthz") == "list||healthz|||");
  // Behind a prefix of the server's.
  CHECK(info_of("GET", "/api/v1/namespaces/shop/secrets/db", "https://host/k8s/clusters/c-1") ==
        "get||secrets||shop|db");
  CHECK(info_of("GET", "/k8s/clusters/c-1/api/v1/secrets") != "list||secrets|||");
}

TEST_CASE("client: a routed one sends each request by the client that the route names") {
  const auto first = std::make_shared<testing::FakeTransport>();
  const auto second = std::make_shared<testing::FakeTransport>();
  for (const auto& fake : {first, second}) {
    fake->always("GET", "*", 200, R"({"kind":"Secret","metadata":{"name":"a"}})");
  }
  const auto base = connect(first);
  const auto other = connect(second);
  const auto routed = base->routed([base, other](const RequestInfo& info) -> util::Result<Client*> {
    if (info.ns == "shop") {
      return base.get();
    }
    if (info.ns == "other") {
      return other.get();
    }
    return util::fail(util::ErrorKind::forbidden, "nowhere else: " + info.to_string());
  });
  const auto ask = [&](const std::string& ns) {
    return routed->json(get(well_known::secrets(), ns, "a"));
  };
  CHECK(ask("shop"));
  CHECK(ask("other"));
  const auto refused = ask("third");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "nowhere else: get secrets third/a");
  CHECK(first->log() == std::vector<std::string>{"GET /api/v1/namespaces/shop/secrets/a"});
  CHECK(second->log() == std::vector<std::string>{"GET /api/v1/namespaces/other/secrets/a"});
}
