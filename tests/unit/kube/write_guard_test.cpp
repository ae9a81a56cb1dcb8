// What may change something is asked about before it is sent; nothing else is.
#include "write_guard.hpp"

#include <doctest/doctest.h>

#include <kubist/kube/client.hpp>

#include "support/fake_cluster.hpp"

using namespace kubist;
using namespace kubist::kube;
using data::Json;

namespace {

http::Request request(const char* method, const std::string& url, const std::string& body = {}) {
  http::Request made;
  made.method = method;
  made.url = url;
  made.body = std::make_shared<const std::string>(body);
  return made;
}

const std::string k_pods = "https://x:6443/api/v1/namespaces/a/pods";

struct Guarded {
  Guarded() {
    ClientOptions options;
    options.transport = cluster;
    options.discovery_cache = false;
    options.before_write = [this](const http::Request& asked) -> util::Result<> {
      ++questions;
      return util::fail(util::ErrorKind::denied, asked.method + " is not to be");
    };
    ClusterAccess access;
    access.server = cluster->server();
    client = *Client::connect(access, std::move(options));
  }
  std::shared_ptr<testing::FakeCluster> cluster = std::make_shared<testing::FakeCluster>();
  std::shared_ptr<Client> client;
  int questions = 0;
};

Json guarded_map() {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", "a"}, {"namespace", "default"}}}};
}

}  // namespace

TEST_CASE("write guard: reads, reviews and dry runs change nothing") {
  CHECK(!may_change(request("GET", k_pods)));
  CHECK(!may_change(request("HEAD", k_pods)));
  const std::string reviews = "https://x:6443/apis/authorization.k8s.io/v1/";
  CHECK(!may_change(request("POST", reviews + "selfsubjectaccessreviews")));
  CHECK(!may_change(request("POST", reviews + "selfsubjectrulesreviews?pretty=1")));
  CHECK(!may_change(request("PATCH", k_pods + "/b?fieldManager=x&dryRun=All&force=true")));
  CHECK(!may_change(request("POST", k_pods + "?dryRun=All")));
  CHECK(!may_change(request("DELETE", k_pods + "/b", R"({"dryRun":["All"],"kind":"x"})")));
}

TEST_CASE("write guard: all else may change something") {
  CHECK(may_change(request("POST", k_pods)));
  CHECK(may_change(request("PUT", k_pods + "/b")));
  CHECK(may_change(request("DELETE", k_pods + "/b")));
  CHECK(may_change(request("DELETE", k_pods + "/b", R"({"kind":"DeleteOptions"})")));
  CHECK(may_change(request("PATCH", k_pods + "/b?fieldManager=dryRun=All")));
  CHECK(may_change(request("PATCH", k_pods + "/b", R"({"dryRun":["All"]})")));
  CHECK(may_change(request("PATCH", k_pods + "/selfsubjectreviews")));
  CHECK(may_change(request("POST", k_pods + "?x=selfsubjectreviews")));
  // A token lives on.
  CHECK(may_change(request("POST", "https://x/api/v1/namespaces/a/serviceaccounts/b/token")));
}

TEST_CASE("write guard: a refused write is not sent, whoever sends it") {
  Guarded guarded;
  const auto& maps = well_known::config_maps();
  const ApiCall create = kube::create(maps, guarded_map());
  for (const auto& client : {guarded.client, guarded.client->as("jane")}) {
    const auto refused = client->json(create);
    REQUIRE(!refused);
    CHECK(refused.error().kind == util::ErrorKind::denied);
    CHECK(refused.error().message == "POST is not to be");
  }
  CHECK(guarded.questions == 2);
  CHECK(guarded.cluster->writes().empty());
  CHECK(guarded.client->find(maps, "default", "a")->has_value() == false);
  CHECK(guarded.client->can_i({.verb = "get", .resource = "pods"}));
  WriteOptions dry;
  dry.dry_run = DryRun::server;
  CHECK(guarded.client->json(kube::create(maps, guarded_map(), dry)));
  DeleteOptions no;
  no.dry_run = DryRun::server;
  guarded.cluster->put(guarded_map());
  CHECK(guarded.client->json(kube::remove(maps, "default", "a", no)));
  CHECK(guarded.questions == 2);
}
