#include <sys/stat.h>

#include <kubist/util/fs.hpp>

#include "client_support.hpp"

using namespace client_test;

TEST_CASE_FIXTURE(ClientFixture,
                  "discovery: aggregated, by kind and word, asked once more on a miss") {
  const http::Headers aggregated{
      {"Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"},
      {"ETag", "\"e\""}};
  fake->always("GET", "/api", 200,
               R"({"items":[{"metadata":{},"versions":[{"version":"v1","resources":[
    {"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced","singularResource":"pod","shortNames":["po"],"verbs":["get","list"],"subresources":[{"subresource":"log"}]},
    {"resource":"events","responseKind":{"kind":"Event"},"scope":"Namespaced","singularResource":"event","shortNames":["ev"],"verbs":["get"]}]}]}]})",
               aggregated);
  const std::string groups =
      R"({"items":[{"metadata":{"name":"events.k8s.io"},"versions":[{"version":"v1","resources":[
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
  fake->always(
      "GET", "/api/v1", 200,
      R"({"groupVersion":"v1","resources":[{"name":"pods","kind":"Pod","namespaced":true,"verbs":["get"],"singularName":"","shortNames":["po"]},{"name":"pods/log","kind":"Pod","namespaced":true,"verbs":["get"]}]})");
  for (const char* version : {"v1", "v1beta1"}) {
    fake->always(
        "GET", util::cat("/apis/apps/", version), 200,
        util::cat(
            R"({"groupVersion":"apps/)", version,
            R"(","resources":[{"name":"deployments","kind":"Deployment","namespaced":true,"verbs":["get"]}]})"));
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
    response.headers = {{"Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2"},
                        {"ETag", "\"e\""}};
    response.body =
        request.url.ends_with("/api")
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

namespace {

/// Never ends its answer to what has that path.
struct Dripping : FakeTransport {
  explicit Dripping(std::string path) : slow(std::move(path)) {}
  http::Call start(http::Request request, http::Done done) override {
    if (!request.url.ends_with(slow)) {
      return FakeTransport::start(std::move(request), std::move(done));
    }
    return http::Call(
        [done] { done(util::fail(util::ErrorKind::cancelled, "GET: it was cancelled")); });
  }
  const std::string slow;
};

void answer_legacy(FakeTransport& fake, const std::string& more) {
  fake.always("GET", "/api", 200, R"({"versions":["v1"]})");
  fake.always("GET", "/apis", 200, R"({"groups":[{"versions":[{"groupVersion":"x.io/v1"}]}]})");
  for (const char* version : {"v1", "x.io/v1"}) {
    fake.always(
        "GET", util::cat(version[0] == 'v' ? "/api/" : "/apis/", version), 200,
        util::cat(R"({"groupVersion":")", version, R"(","resources":[{"name":"a)", version[0],
                  R"(s","kind":"A","verbs":["get"],"more":")", more, R"("}]})"));
  }
}

}  // namespace

TEST_CASE("discovery: an answer that does not end has a limit, as all have together") {
  const DiscoveryLimits brief{.time = std::chrono::milliseconds(50)};
  SUBCASE("of a group: it is left out") {
    const auto fake = std::make_shared<Dripping>("/apis/x.io/v1");
    answer_legacy(*fake, "");
    Discovery discovery(fake, "http://fake", {}, brief);
    CHECK(discovery.find_word("avs"));
    CHECK(discovery.failed_groups() == std::vector<std::string>{"x.io"});
  }
  SUBCASE("of all") {
    const auto fake = std::make_shared<Dripping>("/apis");
    answer_legacy(*fake, "");
    Discovery discovery(fake, "http://fake", {}, brief);
    const auto index = discovery.index();
    REQUIRE_FALSE(index);
    CHECK(index.error().kind == util::ErrorKind::timeout);
    CHECK(index.error().message == "the lists of kinds of http://fake take longer than 50ms");
  }
  SUBCASE("but a stop is one") {
    Discovery discovery(std::make_shared<Dripping>("/api"), "http://fake", {});
    std::stop_source stop;
    stop.request_stop();
    CHECK(discovery.index(stop.get_token()).error().kind == util::ErrorKind::cancelled);
  }
}

TEST_CASE("discovery: all answers together have a limit") {
  const auto fake = std::make_shared<FakeTransport>();
  answer_legacy(*fake, std::string(1000, 'x'));
  SUBCASE("of groups: what is beyond is left out") {
    Discovery discovery(fake, "http://fake", {}, {.bytes = 2000});
    CHECK(discovery.find_word("avs"));
    CHECK(discovery.failed_groups() == std::vector<std::string>{"x.io"});
    for (const http::Request& each : fake->sent()) {
      CHECK(each.max_body == (each.url.ends_with("v1") ? std::size_t{4} << 20U : 2000));
    }
  }
  SUBCASE("of all") {
    Discovery discovery(fake, "http://fake", {}, {.bytes = 40});
    const auto index = discovery.index();
    REQUIRE_FALSE(index);
    CHECK(index.error().reason == "TooLarge");
    CHECK(index.error().message == "the lists of kinds of http://fake are longer than 40 bytes");
  }
}

namespace {

/// A server without aggregated discovery, which has these versions of groups.
void serve_groups(FakeTransport& fake, const std::vector<std::string>& versions) {
  std::string groups;
  for (const std::string& version : versions) {
    groups += util::cat(groups.empty() ? "" : ",", R"({"groupVersion":")", version, R"("})");
  }
  fake.always("GET", "/api", 200, "{}");
  fake.always("GET", "/apis", 200, util::cat(R"({"groups":[{"versions":[)", groups, "]}]}"));
}

std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> versions;
  for (std::size_t i = 0; i < count; ++i) {
    versions.push_back(util::cat("x.io/v", i));
  }
  return versions;
}

std::string kinds(std::size_t count, const std::string& of_all) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += util::cat(i > 0 ? "," : "", of_all);
  }
  return text;
}

void check_too_large(FakeTransport& fake, Client& client, std::string_view limit,
                     std::size_t requests) {
  const auto index = client.discovery().index();
  REQUIRE_FALSE(index);
  CHECK(index.error().reason == "TooLarge");
  CHECK(index.error().message ==
        util::cat("the lists of kinds of http://fake have more than ", limit));
  CHECK(index.error().hint ==
        "Remove CustomResourceDefinitions that nobody uses, or correct the kubeconfig's server.");
  CHECK(fake.sent().size() == requests);
}

const std::string k_kind = R"({"name":"as","kind":"A","verbs":["get"]})";

}  // namespace

TEST_CASE_FIXTURE(ClientFixture, "discovery: a version that is named twice is asked for once") {
  serve_groups(*fake, std::vector<std::string>(2'000, "x.io/v1"));
  fake->always("GET", "/apis/x.io/v1", 200,
               util::cat(R"({"groupVersion":"x.io/v1","resources":[)", k_kind, ",", k_kind,
                         R"(,{"name":"as/status","kind":"A"}]})"));
  const auto index = client->discovery().index();
  REQUIRE(index);
  CHECK(fake->sent().size() == 3);
  REQUIRE((*index)->all().size() == 2);
  CHECK((*index)->all()[0].has_subresource("status"));
  CHECK_FALSE((*index)->all()[1].has_subresource("status"));  // else they would multiply
}

TEST_CASE_FIXTURE(ClientFixture, "discovery: what one server may list has limits") {
  SUBCASE("versions of groups") {
    serve_groups(*fake, numbered(1'001));
    check_too_large(*fake, *client, "1000 versions of groups", 2);
  }
  SUBCASE("kinds: no more documents are asked for, which are few at a time") {
    serve_groups(*fake, numbered(20));
    fake->always(
        "GET", "/apis/x.io/v0", 200,
        util::cat(R"({"groupVersion":"x.io/v0","resources":[)", kinds(20'001, k_kind), "]}"));
    check_too_large(*fake, *client, "20000 kinds", 2 + 8);
  }
  SUBCASE("kinds, names and values of aggregated documents") {
    const auto serve = [&](const std::string& resources) {
      const http::Headers aggregated{{"Content-Type", "application/json;g=apidiscovery.k8s.io"}};
      fake->always("GET", "/api", 200, "{}", aggregated);
      fake->always("GET", "/apis", 200,
                   util::cat(R"({"items":[{"versions":[{"resources":[)", resources, "]}]}]}"),
                   aggregated);
    };
    SUBCASE("kinds") {
      serve(kinds(20'001, R"({"responseKind":{"kind":"A"},"verbs":["get"]})"));
      check_too_large(*fake, *client, "20000 kinds", 2);
    }
    SUBCASE("names") {
      serve(util::cat(R"({"responseKind":{"kind":"A"},"verbs":[")",
                      std::string((4U << 20U) + 1, 'v'), R"("]})"));
      check_too_large(*fake, *client, "4194304 bytes of names", 2);
    }
    SUBCASE("values") {
      serve(kinds(2'000'001, "0"));
      const auto index = client->discovery().index();
      REQUIRE_FALSE(index);
      CHECK(index.error().message ==
            "GET http://fake/apis: the answer is not JSON within the limits "
            "(docs/reference/limits.md)");
    }
  }
}
