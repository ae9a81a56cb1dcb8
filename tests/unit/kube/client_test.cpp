#include <stdexcept>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kubist/data/page_buffer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/kube/watch.hpp>
#include <kubist/util/fs.hpp>

#include "support/fake_transport.hpp"

using namespace kubist;
using namespace kubist::kube;
using data::Json;
using testing::FakeTransport;

namespace {

struct ClientFixture {
  ClientFixture() {
    ClusterAccess access;
    access.server = "http://fake";
    ClientOptions options;
    options.transport = fake;
    options.on_warning = [this](std::string_view text) { warnings.emplace_back(text); };
    client = *Client::connect(std::move(access), std::move(options));
  }
  std::shared_ptr<FakeTransport> fake = std::make_shared<FakeTransport>();
  std::shared_ptr<Client> client;
  std::vector<std::string> warnings;
};

std::string status(int code, const std::string& reason, const std::string& message, const std::string& more = {}) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":)" + std::to_string(code) +
         R"(,"reason":")" + reason + R"(","message":")" + message + '"' + more + '}';
}

http::Response response_of(int code, std::string body) {
  http::Response response;
  response.status = code;
  response.body = std::move(body);
  return response;
}

std::string event(const char* type, const char* name, const char* version) {
  return util::cat(R"({"type":")", type, R"(","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")", name,
                   R"(","resourceVersion":")", version, "\"}}}\n");
}

}  // namespace

TEST_CASE("api error: kinds, reasons and causes") {
  struct Case {
    int code;
    std::string body;
    util::ErrorKind kind;
    const char* reason;
  };
  const std::vector<Case> cases{
      {404, status(404, "NotFound", "configmaps \\\"a\\\" not found"), util::ErrorKind::not_found, "NotFound"},
      {404, "404 page not found\n", util::ErrorKind::not_found, "NotFound"},
      {401, "Unauthorized", util::ErrorKind::forbidden, "Unauthorized"},
      {403, status(403, "Forbidden", "no"), util::ErrorKind::forbidden, "Forbidden"},
      {403, status(403, "Forbidden", "admission webhook \\\"w\\\" denied the request: no"), util::ErrorKind::denied,
       "Forbidden"},
      {409, status(409, "AlreadyExists", "exists"), util::ErrorKind::conflict, "AlreadyExists"},
      {422, status(422, "Invalid", "bad"), util::ErrorKind::invalid, "Invalid"},
      {410, status(410, "Expired", "old"), util::ErrorKind::unavailable, "Expired"},
      {500, status(500, "InternalError", "failed calling webhook"), util::ErrorKind::unavailable, "InternalError"},
      {503, "<html>proxy</html>", util::ErrorKind::unavailable, "ServiceUnavailable"},
      {504, "", util::ErrorKind::timeout, "Timeout"},
  };
  for (const Case& item : cases) {
    CAPTURE(item.body);
    const util::Error error = api_error("GET", "http://me:pw@x/y", response_of(item.code, item.body));
    CHECK(error.kind == item.kind);
    CHECK(error.reason == item.reason);
    CHECK(error.http_status == item.code);
    CHECK(error.message.starts_with("GET http://***@x/y: "));
    CHECK(error.message.find("<html>") == std::string::npos);
  }
  const util::Error conflict = api_error(
      "PATCH", "http://x",
      response_of(409, status(409, "Conflict", "Apply failed", R"(,"details":{"causes":[)"
                              R"({"reason":"FieldManagerConflict","message":"conflict with \"helm\" using apps/v1 at T","field":".spec.replicas"},)"
                              R"({"reason":"FieldManagerConflict","message":"conflict with \"hpa\"","field":".spec.x"}]})")));
  const auto fields = field_conflicts(conflict);
  REQUIRE(fields.size() == 2);
  CHECK(fields[0] == FieldConflict{"helm", "Update", ".spec.replicas", "conflict with \"helm\" using apps/v1 at T"});
  CHECK(fields[1].operation == "Apply");
}

TEST_CASE("api error: a 403 advises by its cause: to ask for a right only where one is missing") {
  const auto hint = [](const std::string& message) {
    return api_error("POST", "http://x", response_of(403, status(403, "Forbidden", message))).hint;
  };
  const std::string right =
      "Ask for the right with a Role or ClusterRole, or use another --context.";
  CHECK(hint("pods is forbidden: User \\\"a\\\" cannot list resource \\\"pods\\\"") == right);
  CHECK(hint("roles \\\"r\\\" is forbidden: user \\\"a\\\" (groups=[]) is attempting to grant RBAC "
             "permissions not currently held") == right);
  CHECK(hint("no") == right);
  const std::string account = "User \\\"system:serviceaccount:shop:kubist-project\\\" cannot ";
  CHECK(hint(account +
             "create resource \\\"deployments\\\" in API group \\\"apps\\\" in the namespace "
             "\\\"dev\\\"") ==
        "An administrator grants it: kubectl create role kubist-project-deployments --verb=create "
        "--resource=deployments.apps -n dev && kubectl create rolebinding "
        "kubist-project-deployments --role=kubist-project-deployments "
        "--serviceaccount=shop:kubist-project -n dev");
  CHECK(hint(account +
             "get resource \\\"nodes/proxy\\\" in API group \\\"\\\" at the cluster scope") ==
        "An administrator grants it: kubectl create clusterrole kubist-project-nodes --verb=get "
        "--resource=nodes/proxy && kubectl create clusterrolebinding kubist-project-nodes "
        "--clusterrole=kubist-project-nodes --serviceaccount=shop:kubist-project");
  CHECK(hint("pods \\\"p\\\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, "
             "limited: pods=1") == "Free what the quota counts, or have the ResourceQuota raised.");
  CHECK(hint("pods \\\"p\\\" is forbidden: violates PodSecurity \\\"restricted:latest\\\": "
             "runAsNonRoot")
            .starts_with("Change the pod's securityContext"));
  CHECK(hint("configmaps \\\"c\\\" is forbidden: unable to create new content in namespace n "
             "because it "
             "is being terminated")
            .starts_with("The namespace is being deleted"));
  CHECK(hint("admission webhook \\\"w\\\" denied the request: no") ==
        "Change the object as the message says, or ask who keeps that policy.");
  CHECK(hint("pods \\\"p\\\" is forbidden: maximum cpu usage per Container is 1, but limit is 2") ==
        "");
}

TEST_CASE(
    "api error: a server without kubist's kinds leads to kubist init, one without an object not") {
  const auto hint = [](const char* url, const std::string& body) {
    return api_error("GET", url, response_of(404, body)).hint;
  };
  const char* projects = "http://x/apis/kubist.io/v1alpha1/projects";
  CHECK(hint(projects, "404 page not found\n").find("run `kubist init`") != std::string::npos);
  CHECK(hint(projects, status(404, "NotFound", "projects \\\"a\\\" not found")).empty());
  CHECK(hint("http://x/apis/other.io/v1/things", "404 page not found\n").empty());
}

TEST_CASE("api error: warnings with escapes, several in one header") {
  CHECK(parse_warnings({{"Warning", R"(299 - "a \"b\" c")"}, {"warning", R"(299 - "x", 299 - "y" "date")"}, {"Warning", "rubbish"}}) ==
        std::vector<std::string>{"a \"b\" c", "x", "y"});
}

TEST_CASE_FIXTURE(ClientFixture, "client: calls become the right requests") {
  const ApiResource& maps = well_known::config_maps();
  const Json object = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "a"}, {"namespace", "x"}}}};
  ApplyOptions options;
  options.force = true;
  options.dry_run = DryRun::server;
  client->run(kube::apply(maps, object, options));
  client->run(kube::create(maps, object));
  client->run(kube::replace(well_known::deployments(), object, {.subresource = "status"}));
  client->run(kube::patch(maps, "x", "a", PatchType::strategic, Json::object()));
  client->run(kube::remove(maps, "x", "a", {.uid = "u1"}));
  client->run(pod_log("x", "p", {.container = "c", .tail_lines = 5}));
  CHECK(fake->log() ==
        std::vector<std::string>{
            "PATCH /api/v1/namespaces/x/configmaps/a?fieldManager=kubist&fieldValidation=Strict&dryRun=All&force=true",
            "POST /api/v1/namespaces/x/configmaps?fieldManager=kubist&fieldValidation=Strict",
            "PUT /apis/apps/v1/namespaces/x/deployments/a/status?fieldManager=kubist&fieldValidation=Strict",
            "PATCH /api/v1/namespaces/x/configmaps/a?fieldManager=kubist&fieldValidation=Strict",
            "DELETE /api/v1/namespaces/x/configmaps/a", "GET /api/v1/namespaces/x/pods/p/log?container=c&tailLines=5"});
  const auto sent = fake->sent();
  CHECK(sent[0].idempotent);
  CHECK(http::find_header(sent[0].headers, "Content-Type") == "application/apply-patch+yaml");
  CHECK_FALSE(sent[1].idempotent);
  CHECK(http::find_header(sent[3].headers, "Content-Type") == "application/strategic-merge-patch+json");
  CHECK(sent[4].idempotent);
  CHECK(*sent[4].body ==
        R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u1"},"propagationPolicy":"Background"})");
}

TEST_CASE_FIXTURE(ClientFixture,
                  "client: warnings once, answers that are no JSON, absent objects") {
  fake->always("GET", "/version", 200, "<html>", {{"Warning", "299 - \"old\""}, {"Content-Type", "text/html"}});
  CHECK_FALSE(client->version());
  CHECK_FALSE(client->version());
  CHECK(warnings == std::vector<std::string>{"old"});
  const auto absent = client->find(well_known::pods(), "x", "p");
  REQUIRE(absent);
  CHECK_FALSE(absent->has_value());
}

TEST_CASE_FIXTURE(ClientFixture, "client: a version with fields of other types") {
  fake->reply("GET", "/version", 200, R"({"gitVersion":7})");
  CHECK_FALSE(client->version());
  fake->reply("GET", "/version", 200, R"({"gitVersion":"v1","platform":[],"major":1})");
  const auto version = client->version();
  REQUIRE(version);
  CHECK(version->git_version == "v1");
  CHECK(version->platform.empty());
}

TEST_CASE_FIXTURE(ClientFixture,
                  "client: a listing goes from page to page, also where metadata comes last") {
  const char* path = "/apis/apps/v1/namespaces/x/deployments";
  fake->reply("GET", path, 200, R"({"items":[{"metadata":{"name":"a"}}],"kind":"DeploymentList","metadata":{"continue":"t1","resourceVersion":"7"}})");
  fake->reply("GET", path, 200, R"({"kind":"DeploymentList","metadata":{"resourceVersion":"7","continue":"t2"},"items":[{"metadata":{"name":"b"}}]})");
  fake->reply("GET", path, 200, R"({"kind":"DeploymentList","metadata":{"resourceVersion":"7"},"items":[]})");
  const auto list = client->list(well_known::deployments(), "x");
  REQUIRE_MESSAGE(list, list.error().to_string());
  REQUIRE(list->items.size() == 2);
  CHECK(list->items[1]["metadata"]["name"].get<std::string>() == "b");
  CHECK(list->items[0]["apiVersion"].get<std::string>() == "apps/v1");
  CHECK(list->resource_version == "7");
  const auto log = fake->log();
  REQUIRE(log.size() == 3);
  CHECK(log[0].ends_with("?limit=500"));
  CHECK(log[1].ends_with("&continue=t1"));
  CHECK(log[2].ends_with("&continue=t2"));
}

TEST_CASE_FIXTURE(
    ClientFixture,
    "client: an expired continue token restarts a list, or goes on where that is tolerated") {
  const char* path = "/api/v1/namespaces/x/configmaps";
  const std::string first = R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"7","continue":"t1"},"items":[{"metadata":{"name":"a"}}]})";
  const std::string last = R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"8"},"items":[{"metadata":{"name":"b"}}]})";
  fake->reply("GET", path, 200, first);
  fake->reply("GET", path, 410, status(410, "Expired", "old", R"(,"metadata":{"continue":"fresh"})"));
  SUBCASE("restart") {
    fake->reply("GET", path, 200, first);
    fake->reply("GET", path, 200, last);
    const auto list = client->list(well_known::config_maps(), "x");
    REQUIRE_MESSAGE(list, list.error().to_string());
    CHECK(list->items.size() == 2);
  }
  SUBCASE("go on") {
    fake->reply("GET", path, 200, last);
    ListOptions options;
    options.tolerate_expired = true;
    int pages = 0;
    const auto end = client->list_pages(well_known::config_maps(), "x", options, [&](const data::PageBuffer&) {
      ++pages;
      return util::Result<>();
    });
    REQUIRE_MESSAGE(end, end.error().to_string());
    CHECK(pages == 2);
    CHECK(end->inconsistent);
    CHECK(fake->log().back().ends_with("continue=fresh"));
  }
}

TEST_CASE_FIXTURE(ClientFixture,
                  "discovery: aggregated, by kind and word, asked once more on a miss") {
  const http::Headers aggregated{{"Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"},
                                 {"ETag", "\"e\""}};
  fake->always("GET", "/api", 200, R"({"items":[{"metadata":{},"versions":[{"version":"v1","resources":[
    {"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced","singularResource":"pod","shortNames":["po"],"verbs":["get","list"],"subresources":[{"subresource":"log"}]},
    {"resource":"events","responseKind":{"kind":"Event"},"scope":"Namespaced","singularResource":"event","shortNames":["ev"],"verbs":["get"]}]}]}]})", aggregated);
  const std::string groups = R"({"items":[{"metadata":{"name":"events.k8s.io"},"versions":[{"version":"v1","resources":[
    {"resource":"events","responseKind":{"kind":"Event"},"scope":"Namespaced","singularResource":"event","verbs":["get"]}]}]},
    {"metadata":{"name":"broken.io"},"versions":[{"version":"v1","freshness":"Stale"}]})";
  const std::string crd = R"(,{"metadata":{"name":"x.io"},"versions":[
    {"version":"v2","resources":[{"resource":"foos","responseKind":{"kind":"Foo"},"scope":"Cluster","singularResource":"foo","shortNames":["pods"],"verbs":["get"]}]},
    {"version":"v1","resources":[{"resource":"foos","responseKind":{"kind":"Foo"},"scope":"Cluster","singularResource":"foo","verbs":["get"]}]}]})";
  fake->reply("GET", "/apis", 200, groups + "]}", aggregated);
  fake->always("GET", "/apis", 200, groups + crd + "]}", aggregated);
  Discovery& discovery = client->discovery();
  CHECK(discovery.find_word("PO")->kind == "Pod");
  CHECK(fake->log().size() == 2);
  CHECK(discovery.find_word("events")->group.empty());
  CHECK(discovery.find_word("events.events.k8s.io")->group == "events.k8s.io");
  CHECK(discovery.find_word("events.v1.events.k8s.io")->group == "events.k8s.io");
  CHECK(discovery.failed_groups() == std::vector<std::string>{"broken.io"});
  CHECK(fake->log().size() == 2);
  const auto foo = discovery.find_kind("x.io/v1", "Foo");  // a CRD that has just come
  REQUIRE_MESSAGE(foo, foo.error().to_string());
  CHECK_FALSE(foo->namespaced);
  CHECK(discovery.find_word("foo")->version == "v2");
  CHECK(discovery.find_word("pods")->kind == "Pod");  // a name goes before a short name
  const auto none = discovery.find_kind("x.io/v1", "Fooo");
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("did you mean \"x.io/v1/Foo\"") != std::string::npos);
}

TEST_CASE_FIXTURE(ClientFixture, "discovery: legacy documents, a failing group left out") {
  fake->always("GET", "/api", 200, R"({"kind":"APIVersions","versions":["v1"]})");
  fake->always(
      "GET", "/apis", 200,
      R"({"kind":"APIGroupList","groups":[{"name":"apps","versions":[{"groupVersion":"apps/v1beta1"},{"groupVersion":"apps/v1"}],"preferredVersion":{"groupVersion":"apps/v1"}},
    {"name":"broken.io","versions":[{"groupVersion":"broken.io/v1"}],"preferredVersion":{"groupVersion":"broken.io/v1"}},
    {"name":"gone.io","versions":[{"groupVersion":"gone.io/v1"}],"preferredVersion":{"groupVersion":"gone.io/v1"}}]})");
  fake->always("GET", "/api/v1", 200, R"({"groupVersion":"v1","resources":[{"name":"pods","kind":"Pod","namespaced":true,"verbs":["get"],"singularName":"","shortNames":["po"]},{"name":"pods/log","kind":"Pod","namespaced":true,"verbs":["get"]}]})");
  for (const char* version : {"v1", "v1beta1"}) {
    fake->always("GET", util::cat("/apis/apps/", version), 200, util::cat(R"({"groupVersion":"apps/)", version, R"(","resources":[{"name":"deployments","kind":"Deployment","namespaced":true,"verbs":["get"]}]})"));
  }
  fake->always("GET", "/apis/broken.io/v1", 503, "");  // and gone.io/v1 went meanwhile: 404
  CHECK(client->discovery().find_word("po")->has_subresource("log"));
  CHECK(client->discovery().find_word("deployments")->version == "v1");
  CHECK(client->discovery().failed_groups() == std::vector<std::string>{"broken.io"});
  const auto unknown = client->discovery().find_kind("broken.io/v1", "Thing");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().kind == util::ErrorKind::unavailable);
  CHECK(unknown.error().message == "the server of API group broken.io does not answer");
  CHECK(client->discovery().find_kind("gone.io/v1", "Thing").error().kind ==
        util::ErrorKind::not_found);
}

TEST_CASE("discovery: kept on disk, revalidated by ETag") {
  const util::TempDir folder;
  auto fake = std::make_shared<FakeTransport>();
  fake->handle("GET", "/api*", [](const http::Request& request) {
    http::Response response;
    response.status = http::find_header(request.headers, "If-None-Match") == "\"e\"" ? 304 : 200;
    response.headers = {{"Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2"}, {"ETag", "\"e\""}};
    response.body = request.url.ends_with("/api")
                        ? R"({"items":[{"metadata":{},"versions":[{"version":"v1","resources":[{"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced","verbs":["get","list"],"categories":["all"]}]}]}]})"
                        : R"({"items":[]})";
    return util::Result<http::Response>(std::move(response));
  });
  const DiscoveryCache cache{folder.path() / "d", std::chrono::hours(6)};
  CHECK(Discovery(fake, "http://fake", cache).find_word("pods"));
  CHECK(fake->sent().size() == 2);
  Discovery second(fake, "http://fake", cache);
  CHECK((*second.index())->by_category("all").size() == 1);
  CHECK(fake->sent().size() == 2);
  CHECK_FALSE(second.find_word("nothing"));
  CHECK(fake->sent().size() == 4);
  const DiscoveryCache old{cache.file, std::chrono::seconds(-1)};
  CHECK(Discovery(fake, "http://fake", old).find_word("pods"));
  CHECK(fake->sent().size() == 6);
  REQUIRE(util::write_file(cache.file, "rubbish"));
  CHECK(Discovery(fake, "http://fake", cache).find_word("pods"));
  CHECK(fake->sent().size() == 8);
}

TEST_CASE_FIXTURE(ClientFixture,
                  "watch: lists, resumes after a close, lists again after 410 in the stream") {
  const char* path = "/api/v1/namespaces/x/configmaps";
  int calls = 0;
  fake->handle("GET", path, [&](const http::Request& request) {
    http::Response response;
    response.status = 200;
    const bool watching = request.url.find("watch=1") != std::string::npos;
    switch (++calls) {
      case 1: response.body = R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"10"},"items":[{"metadata":{"name":"a","resourceVersion":"9"}}]})"; break;
      case 2:
        CHECK(request.url.find("resourceVersion=10") != std::string::npos);
        CHECK(request.url.find("allowWatchBookmarks=true") != std::string::npos);
        CHECK(request.long_running);
        response.body = event("ADDED", "b", "11") + event("BOOKMARK", "", "15");
        break;
      case 3:
        CHECK(request.url.find("resourceVersion=15") != std::string::npos);
        response.body = event("DELETED", "b", "16") +
                        R"({"type":"ERROR","object":)" + status(410, "Expired", "too old") + "}\n";
        break;
      case 4: CHECK_FALSE(watching); response.body = R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"20"},"items":[]})"; break;
      default: response.status = 403; response.body = status(403, "Forbidden", "no more");
    }
    return util::Result<http::Response>(std::move(response));
  });
  WatchOptions options;
  options.resource = well_known::config_maps();
  options.ns = "x";
  std::vector<std::string> trouble;
  options.on_trouble = [&](const util::Error& error) { trouble.push_back(error.reason); };
  std::vector<std::string> log;
  const auto result = watch(*client, options, [&](const WatchEvent& seen) {
    log.push_back(util::cat(static_cast<int>(seen.type), ' ', seen.name, ' ', seen.resource_version));
    return util::Result<>();
  }, {});
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == util::ErrorKind::forbidden);
  CHECK(log == std::vector<std::string>{"0 a 9", "1  10", "2 b 11", "5  15", "4 b 16", "1  20"});
  CHECK(trouble == std::vector<std::string>{"Expired"});
}

TEST_CASE_FIXTURE(ClientFixture,
                  "watch: a lasting one outlives refusals, lists then, and tells that it is back") {
  const char* path = "/api/v1/namespaces/x/configmaps";
  std::stop_source stop;
  int calls = 0;
  fake->handle("GET", path, [&](const http::Request& request) {
    const bool watching = request.url.find("watch=1") != std::string::npos;
    const auto list = [](const char* version) {
      return response_of(
          200, util::cat(R"({"kind":"ConfigMapList","metadata":{"resourceVersion":")", version,
                         R"("},"items":[]})"));
    };
    switch (++calls) {
      case 1:
        CHECK_FALSE(watching);
        return util::Result<http::Response>(list("10"));
      case 2:
        CHECK(watching);
        return util::Result<http::Response>(response_of(200, event("ADDED", "a", "11")));
      case 3:
        CHECK(watching);
        return util::Result<http::Response>(response_of(403, status(403, "Forbidden", "no more")));
      case 4:  // what happened meanwhile is found by a listing, which is allowed before the watch
               // is
        CHECK_FALSE(watching);
        return util::Result<http::Response>(list("20"));
      case 5:
        CHECK(request.url.find("resourceVersion=20") != std::string::npos);
        return util::Result<http::Response>(response_of(401, status(401, "Unauthorized", "who")));
      case 6:
        CHECK_FALSE(watching);
        return util::Result<http::Response>(list("30"));
      default:
        CHECK(watching);
        stop.request_stop();
        return util::Result<http::Response>(response_of(200, event("ADDED", "b", "31")));
    }
  });
  WatchOptions options;
  options.resource = well_known::config_maps();
  options.ns = "x";
  options.lasting = true;
  std::vector<std::string> log;
  options.on_trouble = [&](const util::Error& error) { log.push_back(error.reason); };
  options.on_back = [&] { log.emplace_back("back"); };
  const auto result = watch(
      *client, options,
      [&](const WatchEvent& seen) {
        log.push_back(seen.type == WatchEventType::relisted ? "listed" : std::string(seen.name));
        return util::Result<>();
      },
      stop.get_token());
  CHECK(result);
  CHECK(log == std::vector<std::string>{"listed", "a", "Forbidden", "listed", "Unauthorized",
                                        "listed", "back", "b"});
}

TEST_CASE_FIXTURE(ClientFixture, "watch: what its handler throws ends it as an error") {
  fake->always("GET", "/api/v1/namespaces/x/configmaps", 200,
               R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"10"},"items":[]})");
  WatchOptions options;
  options.resource = well_known::config_maps();
  options.ns = "x";
  options.lasting = true;
  const auto result =
      watch(*client, options,
            [](const WatchEvent&) -> util::Result<> { throw std::runtime_error("a bug"); }, {});
  REQUIRE_FALSE(result);
  CHECK(result.error().message == "unexpected: a bug");
}

TEST_CASE_FIXTURE(ClientFixture,
                  "list: an object that is nested too deep fails the list, or itself alone") {
  const std::string deep = std::string(600, '[') + std::string(600, ']');
  fake->always("GET", "/api/v1/namespaces/x/configmaps", 200,
               util::cat(R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"10"},"items":[)",
                         R"({"metadata":{"name":"deep","namespace":"x","uid":"u"},"data":)", deep,
                         "},", R"({"metadata":{"name":"plain"}}]})"));
  CHECK_FALSE(client->list(well_known::config_maps(), "x"));
  ListOptions options;
  options.skip_unreadable = true;
  const auto listed = client->list(well_known::config_maps(), "x", options);
  REQUIRE(listed);
  REQUIRE(listed->items.size() == 1);
  CHECK(listed->items[0]["metadata"]["name"] == "plain");
  REQUIRE(listed->unreadable.size() == 1);
  CHECK(
      listed->unreadable[0].outline ==
      Json::parse(
          R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep","namespace":"x","uid":"u"},"spec":{}})"));
  const util::Error& error = listed->unreadable[0].error;
  CHECK(error.message == "ConfigMap/x/deep cannot be read: nested deeper than 500 levels");
  CHECK(error.reason == "Unreadable");
  CHECK(error.pos.origin.empty());
}

TEST_CASE_FIXTURE(ClientFixture,
                  "watch: each form asks for lists as lists and for events as objects") {
  struct Case {
    Form form;
    const char* listing;
    const char* watching;
  };
  std::vector<std::string> asked;
  fake->handle("GET", "/api/v1/namespaces/x/configmaps", [&](const http::Request& request) {
    asked.emplace_back(http::find_header(request.headers, "Accept").value_or(""));
    http::Response response;
    response.status = asked.size() == 1 ? 200 : 403;
    const bool table = asked.back().find("as=Table") != std::string::npos;
    response.body =
        asked.size() > 1 ? status(403, "Forbidden", "no more")
        : table
            ? R"({"kind":"Table","metadata":{"resourceVersion":"10"},"columnDefinitions":[],"rows":[]})"
            : R"({"kind":"List","metadata":{"resourceVersion":"10"},"items":[]})";
    return util::Result<http::Response>(std::move(response));
  });
  for (const Case& wanted :
       {Case{Form::object, "application/json", "application/json"},
        Case{Form::metadata, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
             "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"},
        Case{Form::table, "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
             "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}}) {
    asked.clear();
    WatchOptions options;
    options.resource = well_known::config_maps();
    options.ns = "x";
    options.form = wanted.form;
    CHECK_FALSE(watch(*client, options, [](const WatchEvent&) { return util::Result<>(); }, {}));
    CHECK(asked == std::vector<std::string>{wanted.listing, wanted.watching});
  }
}

TEST_CASE_FIXTURE(ClientFixture, "log: a broken connection is resumed without repeated lines") {
  const char* path = "/api/v1/namespaces/x/pods/p/log";
  int calls = 0;
  fake->handle("GET", path, [&](const http::Request& request) -> util::Result<http::Response> {
    http::Response response;
    response.status = 200;
    if (++calls == 1) {
      const std::string text = "2026-01-01T00:00:00.000000001Z one\n2026-01-01T00:00:00.000000002Z two\n2026-01-01T00:00:00.000000002Z 2b\n2026-01-01T00:0";
      request.on_chunk(text);
      util::Error lost = util::make_error(util::ErrorKind::unavailable, "lost");
      lost.reason = http::k_failure_lost;
      return util::fail(std::move(lost));
    }
    CHECK(request.url.find("sinceTime=2026-01-01T00%3A00%3A00.000000002Z") != std::string::npos);
    response.body = "2026-01-01T00:00:00.000000001Z one\n2026-01-01T00:00:00.000000002Z two\n2026-01-01T00:00:00.000000002Z 2b\n"
                    "2026-01-01T00:00:00.000000002Z 2c\n2026-01-01T00:00:03.000000000Z three";
    return response;
  });
  std::vector<std::string> lines;
  const auto result = client->follow_log("x", "p", {.container = "", .follow = true}, [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  });
  REQUIRE_MESSAGE(result, result.error().to_string());
  CHECK(lines == std::vector<std::string>{"one", "two", "2b", "2c", "three"});
}

TEST_CASE("client: a credential plugin that hangs ends when the call is cancelled") {
  const util::TempDir folder;
  const auto started = folder.path() / "started";
  REQUIRE(::mkfifo(started.c_str(), 0600) == 0);
  const int fifo = ::open(started.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(fifo >= 0);
  ClusterAccess access;
  access.server = "http://127.0.0.1:1";
  access.auth.exec.emplace();
  access.auth.exec->api_version = "client.authentication.k8s.io/v1";
  access.auth.exec->command = "/bin/sh";
  access.auth.exec->args = {"-c", util::cat("echo > ", started.string(), "; exec sleep 600")};
  const auto client = Client::connect(std::move(access), {});
  REQUIRE(client);
  std::stop_source stop;
  std::jthread stopper([&] {
    pollfd word{fifo, POLLIN, 0};
    CHECK(::poll(&word, 1, 20'000) == 1);
    stop.request_stop();
  });
  const auto version = (*client)->version(stop.get_token());
  stopper.join();
  ::close(fifo);
  REQUIRE_FALSE(version);
  CHECK(version.error().kind == util::ErrorKind::cancelled);
}

namespace {

/// A client of a server that a Secret names.
std::shared_ptr<Client> client_from_secret(const std::shared_ptr<FakeTransport>& fake) {
  ClusterAccess access;
  access.server = "https://fake";
  access.from_secret = true;
  ClientOptions options;
  options.transport = fake;
  return *Client::connect(std::move(access), std::move(options));
}

}  // namespace

TEST_CASE_FIXTURE(ClientFixture,
                  "client: of a server that a Secret names, a refusal shows a Status alone") {
  const auto far = client_from_secret(fake);
  const ApiResource& maps = well_known::config_maps();
  for (const std::string& body :
       {std::string("internal words"), std::string(R"({"error":"internal words"})"),
        std::string(R"({"kind":"Secret","message":"internal words"})")}) {
    CAPTURE(body);
    for (const int code : {400, 403, 404, 500}) {
      fake->reply("GET", "/api/v1/namespaces/n/configmaps/a", code, body);
      fake->reply("GET", "/api/v1/namespaces/n/configmaps*", code, body);
      const auto read = far->json(get(maps, "n", "a"));
      const auto listed = far->list(maps, "n");
      REQUIRE_FALSE(read);
      REQUIRE_FALSE(listed);
      CHECK(read.error().http_status == code);
      CHECK(read.error().to_string().find("internal") == std::string::npos);
      CHECK(listed.error().to_string().find("internal") == std::string::npos);
    }
  }
  fake->reply("GET", "/api/v1/namespaces/n/configmaps/a", 403,
              status(403, "Forbidden", "who is it"));
  CHECK(far->json(get(maps, "n", "a")).error().message.find("who is it") != std::string::npos);
  fake->reply("GET", "/api/v1/namespaces/n/configmaps/a", 404, "my own words");
  CHECK(client->json(get(maps, "n", "a")).error().message.find("my own words") !=
        std::string::npos);
}

TEST_CASE_FIXTURE(ClientFixture, "client: every answer has a limit") {
  fake->always("GET", "/version", 200, R"({"gitVersion":"v1.34.4"})");
  fake->always("POST", "*", 201, R"({"status":{"allowed":true}})");
  REQUIRE(client->version());
  REQUIRE(client->can_i({}));
  static_cast<void>(client->find(well_known::pods(), "n", "a"));
  static_cast<void>(client->list(well_known::pods(), "n"));
  static_cast<void>(client->discovery().index());
  const auto sent = fake->sent();
  REQUIRE(sent.size() >= 6);
  CHECK(sent[0].max_body == 64 << 10);
  CHECK(sent[1].max_body == 64 << 10);
  CHECK(sent[2].max_body == 512 << 20);
  for (const http::Request& request : sent) {
    CAPTURE(request.url);
    CHECK(request.max_body > 0);
    CHECK(request.max_body <= 512 << 20);
  }
}

TEST_CASE_FIXTURE(ClientFixture, "client: a version that is no word is none") {
  fake->reply("GET", "/version", 200, R"({"gitVersion":")" + std::string(200, 'v') + R"("})");
  CHECK_FALSE(client->version());
}

TEST_CASE_FIXTURE(ClientFixture, "client: a list that goes on for ever ends with an error") {
  fake->always("GET", "/api/v1/namespaces/n/configmaps*", 200,
               R"({"kind":"ConfigMapList","metadata":{"continue":"more","resourceVersion":"1"},)"
               R"("items":[{"metadata":{"name":"a"}}]})");
  ListOptions options;
  options.max_bytes = 10'000;
  const auto listed = client->list(well_known::config_maps(), "n", options);
  REQUIRE_FALSE(listed);
  CHECK(listed.error().reason == http::k_failure_too_large);
  CHECK(listed.error().message.find("longer than 10000 bytes") != std::string::npos);
}

TEST_CASE_FIXTURE(ClientFixture, "client: warnings without end are not kept, nor long ones whole") {
  for (int i = 0; i < 300; ++i) {
    client->report_warnings({{"Warning", util::cat("299 - \"", i, std::string(5000, 'w'), '"')}});
  }
  CHECK(warnings.size() == 256);
  CHECK(warnings.front().size() == 4096);
}

TEST_CASE_FIXTURE(ClientFixture, "client: what a server says is cut") {
  fake->reply("GET", "/api/v1/namespaces/n/pods/a", 403,
              status(403, "Forbidden", std::string(100'000, 'm')));
  const auto pod = client->json(get(well_known::pods(), "n", "a"));
  REQUIRE_FALSE(pod);
  CHECK(pod.error().message.size() < 17'000);
}

TEST_CASE_FIXTURE(ClientFixture, "client: an answer nested without end is no JSON") {
  fake->reply("GET", "/api/v1/namespaces/n/pods/a", 200,
              std::string(100'000, '[') + std::string(100'000, ']'));
  const auto pod = client->json(get(well_known::pods(), "n", "a"));
  REQUIRE_FALSE(pod);
  CHECK(pod.error().message.find("not JSON within the limits") != std::string::npos);
}
