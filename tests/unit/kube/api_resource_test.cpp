#include <doctest/doctest.h>

#include <kubist/kube/api_resource.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/kube/watch.hpp>

#include "../../../lib/kube/src/path_guard.hpp"
#include "support/fake_transport.hpp"

using namespace kubist::kube;

TEST_CASE("api resource: paths of objects, subresources and collections") {
  CHECK(well_known::config_maps().path("x", "a.b") == "/api/v1/namespaces/x/configmaps/a.b");
  CHECK(well_known::deployments().path("x", "web", "scale") ==
        "/apis/apps/v1/namespaces/x/deployments/web/scale");
  CHECK(well_known::namespaces().path("ignored", "x") == "/api/v1/namespaces/x");
  CHECK(well_known::pods().collection_path("") == "/api/v1/pods");
  CHECK(well_known::deployments().group_resource() == "deployments.apps");
  CHECK(well_known::deployments().api_version() == "apps/v1");
}

TEST_CASE("api resource: a name that servers take for another place is none") {
  const std::pair<std::string, std::string> cases[] = {
      {"", "invalid resource name \"\": may not be empty"},
      {".", "invalid resource name \".\": may not be '.'"},
      {"..", "invalid resource name \"..\": may not be '..'"},
      {"a/b", "invalid resource name \"a/b\": may not contain '/'"},
      {"%2e", "invalid resource name \"%2e\": may not contain '%'"}};
  for (const auto& [name, message] : cases) {
    const auto checked = check_name("resource name", name);
    CAPTURE(name);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().message == message);
  }
  for (const char* name : {"a", "...", "a..b", ".a", "system:node", "x y"}) {
    CHECK_MESSAGE(check_name("resource name", name), name);
  }
}

TEST_CASE("path guard: no part of a path is another place") {
  const auto allowed = [](const std::string& path) {
    kubist::http::Request request;
    request.url = "https://user:secret@host:6443" + path;
    const auto checked = check_path(request);
    CHECK((checked || checked.error().message.find("secret") == std::string::npos));
    return checked.has_value();
  };
  for (const char* path :
       {"", "/", "?a=/../", "/version", "/api/v1/namespaces/x/pods/a?limit=1&x=%2F..",
        "/k8s/clusters/c-1/api", "/api/v1/namespaces/x/services/https:a:1/proxy/%C3%A9",
        "/api/v1/namespaces/x/services/a:1/proxy/", "/api/v1/namespaces/x/pods/a/proxy/b/?c=/"}) {
    CHECK_MESSAGE(allowed(path), path);
  }
  for (const char* path :
       {"/api/v1/namespaces/x/pods/", "/api/v1/namespaces/x/pods/..",
        "/api/v1/namespaces/%2e%2E/pods", "/api/./v1", "//version", "/api/v1/namespaces/x/pods/%2F",
        "/a/%252e", "/.", "/..?x=1", "/api/v1/namespaces/proxy/pods/",
        "/api/v1/namespaces/x/services/a:1/proxy//",
        "/api/v1/namespaces/x/services/a:1/proxy/../"}) {
    CHECK_FALSE_MESSAGE(allowed(path), path);
  }
}

TEST_CASE("client: a call that names no object is not sent") {
  const auto fake = std::make_shared<kubist::testing::FakeTransport>();
  const auto client = Client::connect({.server = "http://fake"}, {.transport = fake});
  REQUIRE(client);
  for (const char* name : {"", ".", ".."}) {
    const auto answer = (*client)->json(remove(well_known::config_maps(), "x", name));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().kind == kubist::util::ErrorKind::invalid);
    CHECK(answer.error().message.starts_with("DELETE http://fake/api/v1/namespaces/x/configmaps/"));
    CHECK_FALSE((*client)->list(well_known::secrets(), ".."));
  }
  CHECK(fake->log().empty());
  ClusterAccess elsewhere{.server = "http://fake"};
  elsewhere.ns = "..";
  CHECK_FALSE(Client::connect(std::move(elsewhere), {.transport = fake}));
}

TEST_CASE("client: an answer about something else is an error") {
  const auto fake = std::make_shared<kubist::testing::FakeTransport>();
  const std::string path = "/api/v1/namespaces/x/secrets/a";
  fake->reply("GET", path, 200, R"({"kind":"SecretList","items":[{"data":{"p":"cGFzcw=="}}]})");
  fake->reply("GET", path, 200, R"({"kind":"Secret","metadata":{"name":"b"}})");
  fake->reply("GET", path, 200, R"({"kind":"Secret","metadata":{"name":"a"}})");
  const auto client = Client::connect({.server = "http://fake"}, {.transport = fake});
  REQUIRE(client);
  const auto find = [&] { return (*client)->find(well_known::secrets(), "x", "a"); };
  const auto list = find();
  REQUIRE_FALSE(list);
  CHECK(list.error().message ==
        "GET http://fake" + path + ": the answer is SecretList \"\", not Secret \"a\"");
  CHECK_FALSE(find());
  CHECK(find());
}
