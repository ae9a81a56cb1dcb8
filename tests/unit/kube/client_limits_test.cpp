#include <kubist/data/page_buffer.hpp>
#include <kubist/kube/room.hpp>
#include <kubist/kube/watch.hpp>

#include "client_support.hpp"

using namespace client_test;

TEST_CASE_FIXTURE(ClientFixture,
                  "list: an object that is nested too deep fails the list, or itself alone") {
  const std::string deep = std::string(600, '[') + std::string(600, ']');
  fake->always("GET", "/api/v1/namespaces/x/configmaps", 200,
               util::cat(R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"10"},"items":[)",
                         R"({"metadata":{"name":"deep","namespace":"x","uid":"u"},"data":)", deep,
                         "},", R"({"metadata":{"name":"plain"}}]})"));
  CHECK_FALSE(client->list(well_known::config_maps(), "x"));
  ListOptions passing;
  passing.pass_unreadable = true;
  const auto passed = client->list(well_known::config_maps(), "x", passing);
  REQUIRE(passed);
  CHECK(passed->items.size() == 1);
  REQUIRE(passed->unreadable.size() == 1);
  CHECK((*passed->unreadable[0].outline)["metadata"]["name"] == "deep");
  Room room;
  ListOptions options;
  options.room = &room;
  const auto listed = client->list(well_known::config_maps(), "x", options);
  REQUIRE(listed);
  REQUIRE(listed->items.size() == 1);
  CHECK(listed->items[0]["metadata"]["name"] == "plain");
  REQUIRE(listed->unreadable.size() == 1);
  CHECK(
      *listed->unreadable[0].outline ==
      Json::parse(
          R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep","namespace":"x","uid":"u"},"spec":{}})"));
  const util::Error& error = listed->unreadable[0].error;
  CHECK(error.message == "ConfigMap/x/deep cannot be read: nested deeper than 500 levels");
  CHECK(error.reason == "Unreadable");
  CHECK(error.pos.origin.empty());
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

TEST_CASE_FIXTURE(ClientFixture,
                  "client: a server that a Secret names has nobody grant anything at home") {
  const auto far = client_from_secret(fake);
  const std::string denied = status(
      403, "Forbidden",
      "secrets is forbidden: User \\\"system:serviceaccount:shop:kubist-project\\\" cannot get "
      "resource \\\"secrets\\\" in API group \\\"\\\" at the cluster scope");
  fake->handle("GET", "*", [&](const http::Request& request) {
    return request.long_running ? FakeTransport::answer(
                                      200, util::cat(R"({"type":"ERROR","object":)", denied, "}\n"))
                                : FakeTransport::answer(403, denied);
  });
  WatchOptions options;
  options.resource = well_known::secrets();
  const WatchHandler ignore = [](const WatchEvent&) { return util::Result<>(); };
  const std::string hint =
      "Whoever keeps that cluster grants the right to the kubeconfig's account.";
  CHECK(far->json(get(well_known::secrets(), "n", "a")).error().hint == hint);
  CHECK(far->list(well_known::secrets(), "n").error().hint == hint);
  CHECK(far->discovery().index().error().hint == hint);
  CHECK(watch(*far, options, ignore, {}).error().hint == hint);
  options.resource_version = "1";
  CHECK(watch(*far, options, ignore, {}).error().hint == hint);
  CHECK(client->json(get(well_known::secrets(), "n", "a"))
            .error()
            .hint.starts_with("An administrator grants it: kubectl create clusterrole "));
}

TEST_CASE_FIXTURE(ClientFixture,
                  "client: of a server that a Secret names, a long refusal is not read") {
  const auto far = client_from_secret(fake);
  const std::string more =
      util::cat(R"(,"more":")", std::string(std::size_t{256} << 10U, 'x'), '"');
  fake->always("GET", "*", 404, status(404, "NotFound", "my own words", more));
  const auto words_of = [](Client& of) {
    return of.json(get(well_known::pods(), "n", "a")).error().message;
  };
  CHECK(words_of(*far).find("my own words") == std::string::npos);
  CHECK(words_of(*client).find("my own words") != std::string::npos);
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
  CHECK(sent[2].max_body == 8 << 20);
  CHECK(sent[3].max_body == 64 << 20);
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

TEST_CASE_FIXTURE(ClientFixture, "list: an item may have no more values than an object") {
  std::string values = "0";
  for (int i = 0; i < 1'000'000; ++i) {
    values += ",0";
  }
  fake->always("GET", "/api/v1/namespaces/n/configmaps*", 200,
               util::cat(R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"1"},"items":[)",
                         R"({"metadata":{"name":"a"},"data":[)", values, "]}]}"));
  const auto listed = client->list(well_known::config_maps(), "n");
  REQUIRE_FALSE(listed);
  CHECK_MESSAGE(listed.error().message.find("more than 1000000 ") != std::string::npos,
                listed.error().message);
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

TEST_CASE_FIXTURE(ClientFixture,
                  "client: of an object that is nested too deep, the error tells which") {
  const auto nested = [](std::size_t levels) {
    return util::cat(R"({"kind":"ConfigMap","metadata":{"name":"deep","namespace":"n"},"data":)",
                     std::string(levels, '['), std::string(levels, ']'), "}");
  };
  const ApiResource& maps = well_known::config_maps();
  fake->reply("GET", "/api/v1/namespaces/n/configmaps/deep", 200, nested(999));
  CHECK(client->json(get(maps, "n", "deep")));
  fake->reply("GET", "/api/v1/namespaces/n/configmaps/deep", 200, nested(1000));
  const auto deep = client->json(get(maps, "n", "deep"));
  REQUIRE_FALSE(deep);
  CHECK(deep.error().message ==
        "GET http://fake/api/v1/namespaces/n/configmaps/deep: ConfigMap \"deep\" cannot be read: "
        "nested deeper than 1000 levels");
  CHECK(deep.error().hint == "Correct or delete it.");
  CHECK(deep.error().kind == util::ErrorKind::invalid);
  CHECK(deep.error().reason == "Unreadable");
  // Of another's text nothing is told.
  fake->reply("GET", "/api/v1/namespaces/n/configmaps/other", 200, nested(1000));
  CHECK(client->json(get(maps, "n", "other")).error().message.find("levels") == std::string::npos);
}

TEST_CASE_FIXTURE(ClientFixture, "client: an answer nested without end is no JSON") {
  fake->reply("GET", "/api/v1/namespaces/n/pods/a", 200,
              std::string(100'000, '[') + std::string(100'000, ']'));
  const auto pod = client->json(get(well_known::pods(), "n", "a"));
  REQUIRE_FALSE(pod);
  CHECK(pod.error().message.find("not JSON within the limits") != std::string::npos);
}

TEST_CASE_FIXTURE(ClientFixture, "list: what a namespace has no room for fails itself alone") {
  constexpr std::size_t k_big = 60'000;
  const auto item = [&](const std::string& ns, const std::string& name) {
    return util::cat(R"({"metadata":{"namespace":")", ns, R"(","name":")", name,
                     R"("},"data":{"key":")", std::string(k_big, 'x'), R"("}})");
  };
  fake->always("GET", "/api/v1/configmaps", 200,
               util::cat(R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"10"},"items":[)",
                         item("a", "one"), ",", item("a", "two"), ",", item("b", "three"), "]}"));
  Room room(k_big * 3 / 2);
  ListOptions options;
  options.room = &room;
  const auto listed = client->list(well_known::config_maps(), "", options);
  REQUIRE(listed);
  REQUIRE(listed->items.size() == 2);
  CHECK(listed->items[1]["metadata"]["name"] == "three");
  REQUIRE(listed->unreadable.size() == 1);
  CHECK((*listed->unreadable[0].outline)["metadata"]["name"] == "two");
}

TEST_CASE_FIXTURE(ClientFixture, "client: causes of an error are cut, and so are their texts") {
  std::string causes =
      util::cat(R"({"reason":")", std::string(5'000, 'r'), R"(","message":")",
                std::string(5'000, 'm'), R"(","field":")", std::string(5'000, 'f'), R"("})");
  for (int i = 1; i < 2'000; ++i) {
    causes += R"(,{"message":"m"})";
  }
  fake->reply("GET", "/api/v1/namespaces/n/pods/a", 422,
              status(422, std::string(5'000, 'r'), "bad",
                     util::cat(R"(,"details":{"causes":[)", causes, "]}")));
  const auto pod = client->json(get(well_known::pods(), "n", "a"));
  REQUIRE_FALSE(pod);
  CHECK(pod.error().reason.size() == 1'024 + 10);
  const auto& details = pod.error().details;
  REQUIRE(details.size() == 1'001);
  CHECK(details[0].message.size() == 2 * (1'024 + 10) + 2);
  CHECK(details[0].reason.size() == 1'024 + 10);
  CHECK(details[999].message == "m");
  CHECK(details[1'000].message == "and more, 2000 in all");
}

TEST_CASE_FIXTURE(ClientFixture, "client: of a refusal with values without end, none is read") {
  std::string values = "0";
  for (int i = 0; i < 100'000; ++i) {
    values += ",0";
  }
  fake->reply("GET", "/api/v1/namespaces/n/pods/a", 422,
              status(422, "Invalid", "bad",
                     util::cat(R"(,"details":{"causes":[{"message":"m"},)", values, "]}")));
  const auto pod = client->json(get(well_known::pods(), "n", "a"));
  REQUIRE_FALSE(pod);
  CHECK(pod.error().details.empty());
}

TEST_CASE("client: an answer that is one object may have 8 MiB") {
  const ApiResource& maps = well_known::config_maps();
  const Json map{{"metadata", {{"name", "a"}, {"namespace", "n"}}}};
  for (const ApiCall& call :
       {get(maps, "n", "a"), get(maps, "n", "a", "status"), kube::apply(maps, map),
        create(maps, map), create_subresource(maps, "n", "a", "token", map), replace(maps, map),
        patch(maps, "n", "a", PatchType::merge, map), remove(maps, "n", "a")}) {
    CAPTURE(call.method);
    CHECK(call.max_body == 8 << 20);
  }
}

TEST_CASE_FIXTURE(ClientFixture, "client: values of one object have a limit") {
  std::string values = "0";
  for (int i = 0; i < 2'000'000; ++i) {
    values += ",0";
  }
  fake->reply("GET", "/api/v1/namespaces/n/pods/a", 200, util::cat(R"({"a":[)", values, "]}"));
  const auto pod = client->json(get(well_known::pods(), "n", "a"));
  REQUIRE_FALSE(pod);
  CHECK(pod.error().message.find("not JSON within the limits") != std::string::npos);
}
