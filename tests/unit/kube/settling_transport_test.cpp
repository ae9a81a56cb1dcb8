// Writes whose answer is lost: read back, and made once.
#include "../../../lib/kube/src/settling_transport.hpp"

#include <doctest/doctest.h>

#include "support/fake_transport.hpp"

using namespace kubist;
using namespace kubist::kube;

namespace {

constexpr const char* k_items = "/api/v1/namespaces/x/configmaps";
constexpr const char* k_item = "/api/v1/namespaces/x/configmaps/a";
constexpr const char* k_object =
    R"({"metadata":{"name":"a","resourceVersion":"1","labels":{}},"data":{"k":"v"},"binaryData":null})";
constexpr const char* k_made =
    R"({"metadata":{"name":"a","uid":"u","resourceVersion":"2"},"data":{"k":"v"}})";
constexpr const char* k_unlike =
    R"({"metadata":{"name":"a","uid":"u","resourceVersion":"2"},"data":{"k":"old"}})";

struct LostWrite {
  const char* what;
  const char* method;
  const char* path;
  const char* type;
  const char* body;
};

const LostWrite k_create{"create", "POST", k_items, "application/json", k_object};
const LostWrite k_replace{"replace", "PUT", k_item, "application/json", k_object};
const LostWrite k_apply{"apply", "PATCH", k_item, "application/apply-patch+yaml", k_object};
const LostWrite k_merge{"merge patch", "PATCH", k_item, "application/merge-patch+json",
                        R"({"metadata":{"resourceVersion":"1"},"data":{"k":"v","gone":null}})"};
const LostWrite k_tested{"JSON patch", "PATCH", k_item, "application/json-patch+json",
                         R"([{"op":"test","path":"/a","value":1},{"op":"remove","path":"/a"}])"};
const LostWrite k_delete{"delete", "DELETE", k_item, "application/json",
                         R"({"kind":"DeleteOptions","preconditions":{"uid":"u"}})"};

struct LosingServer {
  std::shared_ptr<testing::FakeTransport> fake = std::make_shared<testing::FakeTransport>();

  void lose(const LostWrite& write, util::ErrorKind kind = util::ErrorKind::unavailable) {
    fake->fail(write.method, std::string(write.path) + "*",
               util::make_error(kind, "lost", "", std::string(http::k_failure_lost)));
  }
  util::Result<http::Response> send(const LostWrite& write, const std::string& query = "",
                                    bool idempotent = false) const {
    http::Request request;
    request.method = write.method;
    request.url = cat("http://fake", write.path, query);
    request.headers = {{"Content-Type", write.type}, {"Impersonate-User", "u"}};
    request.body = std::make_shared<const std::string>(write.body);
    request.idempotent = idempotent;
    return http::send(*std::make_shared<SettlingTransport>(fake, "http://fake"), request);
  }
  static std::string cat(const std::string& a, const std::string& b, const std::string& c) {
    return a + b + c;
  }
};

}  // namespace

TEST_CASE("lost write: what was made is read back as whoever wrote, and not made again") {
  for (const LostWrite& write : {k_create, k_replace, k_apply, k_merge}) {
    CAPTURE(write.what);
    LosingServer server;
    server.lose(write);
    server.fake->reply("GET", k_item, 200, k_made);
    const auto outcome = server.send(write, "?fieldManager=m");
    REQUIRE(outcome);
    CHECK(outcome->status == 200);
    CHECK(outcome->body == k_made);
    REQUIRE(server.fake->sent().size() == 2);
    CHECK(http::find_header(server.fake->sent()[1].headers, "Impersonate-User") == "u");
  }
}

TEST_CASE("lost write: of a status the object is read, of an object called status itself") {
  for (const char* path :
       {"/apis/kubist.io/v1alpha1/namespaces/x/executions/a", "/apis/kubist.io/v1alpha1/projects/a",
        "/api/v1/namespaces/x/configmaps/status"}) {
    CAPTURE(path);
    const bool is_status = !std::string(path).ends_with("status");
    const std::string written = std::string(path) + (is_status ? "/status" : "");
    const LostWrite write{"", "PATCH", written.c_str(), "application/merge-patch+json",
                          R"({"status":{"k":"v"}})"};
    LosingServer server;
    server.lose(write);
    server.fake->reply("GET", path, 200, R"({"metadata":{"name":"a"},"status":{"k":"v"}})");
    const auto outcome = server.send(write, "?fieldManager=m");
    REQUIRE_MESSAGE(outcome, outcome.error().message);
    CHECK(outcome->status == 200);
    REQUIRE(server.fake->sent().size() == 2);
  }
}

TEST_CASE("lost write: what was not made is made") {
  for (const LostWrite& write : {k_create, k_replace, k_apply, k_merge, k_tested}) {
    CAPTURE(write.what);
    LosingServer server;
    server.lose(write, util::ErrorKind::timeout);
    server.fake->reply("GET", k_item, 200, k_unlike);
    server.fake->reply(write.method, write.path, 200, "{}");
    const auto outcome = server.send(write);
    REQUIRE(outcome);
    CHECK(outcome->body == "{}");
    CHECK(server.fake->sent().size() == 3);
  }
}

TEST_CASE("lost write: what the server was still at when it was asked is no conflict") {
  for (const LostWrite& write : {k_create, k_replace, k_apply, k_merge}) {
    CAPTURE(write.what);
    for (const bool is_ours : {true, false}) {
      LosingServer server;
      server.lose(write);
      server.fake->reply("GET", k_item, 200, k_unlike);
      server.fake->reply(write.method, write.path, 409, "taken");
      server.fake->reply("GET", k_item, 200, is_ours ? k_made : k_unlike);
      const auto outcome = server.send(write);
      REQUIRE(outcome);
      CHECK(outcome->status == (is_ours ? 200 : 409));
      CHECK(outcome->body == (is_ours ? k_made : "taken"));
      CHECK(server.fake->sent().size() == 4);
    }
  }
}

TEST_CASE("lost write: a conflict of what was sent once stays") {
  for (const LostWrite& write : {k_create, k_replace, k_apply, k_merge}) {
    CAPTURE(write.what);
    LosingServer server;
    server.fake->reply(write.method, write.path, 409, "taken");
    const auto outcome = server.send(write);
    REQUIRE(outcome);
    CHECK(outcome->status == 409);
    CHECK(server.fake->sent().size() == 1);
  }
}

TEST_CASE("lost write: a deletion is done when the object is gone or going") {
  for (const bool going : {false, true}) {
    LosingServer server;
    server.lose(k_delete);
    if (going) {
      server.fake->reply("GET", k_item, 200, R"({"metadata":{"deletionTimestamp":"t"}})");
    }
    const auto outcome = server.send(k_delete);
    REQUIRE(outcome);
    CHECK(outcome->status == 200);
    CHECK(server.fake->sent().size() == 2);
  }
}

TEST_CASE(
    "lost write: 5xx and half an answer leave it unknown, not where it says when to come back") {
  for (const int status : {500, 502, 503, 504}) {
    CAPTURE(status);
    LosingServer server;
    server.fake->reply("POST", k_items, status, "{}");
    server.fake->reply("POST", k_items, 201, "{}");
    const auto outcome = server.send(k_create);
    REQUIRE(outcome);
    CHECK(outcome->status == (status == 500 ? 500 : 201));  // its own faults stay
    CHECK(server.fake->sent().size() == (status == 500 ? 2 : 3));
  }
  LosingServer cutting;
  cutting.fake->reply("POST", k_items, 201, R"({"metadata":{"na)");
  cutting.fake->reply("GET", k_item, 200, k_made);
  CHECK(cutting.send(k_create)->body == k_made);

  LosingServer server;
  server.fake->reply("POST", k_items, 503, "{}", {{"Retry-After", "1"}});
  CHECK(server.send(k_create)->status == 503);
  CHECK(server.fake->sent().size() == 1);
}

TEST_CASE("lost write: the first outcome stays where it cannot be known, or not be sent again") {
  LostWrite unnamed = k_create;
  unnamed.body = R"({"metadata":{"generateName":"a-"}})";
  LostWrite untested = k_tested;
  untested.body = R"([{"op":"add","path":"/a/-","value":1}])";
  LostWrite any = k_delete;
  any.body = R"({"kind":"DeleteOptions"})";
  for (const LostWrite& write : {unnamed, untested, any}) {
    CAPTURE(write.what);
    LosingServer server;
    server.lose(write);
    CHECK(server.send(write).error().message == "lost");
    CHECK(server.fake->sent().size() == 1);
  }
  LosingServer dry;
  dry.lose(k_create);
  CHECK(!dry.send(k_create, "?dryRun=All"));
  CHECK(dry.fake->sent().size() == 1);

  LosingServer forbidden;
  forbidden.lose(k_create);
  forbidden.fake->reply("GET", k_item, 403, "{}");
  CHECK(forbidden.send(k_create).error().message == "lost");
  CHECK(forbidden.fake->sent().size() == 2);

  LosingServer harmless;
  harmless.lose(k_apply);
  harmless.fake->reply("GET", k_item, 403, "{}");
  harmless.fake->reply("PATCH", k_item, 200, "{}");
  CHECK(harmless.send(k_apply, "", true)->status == 200);
  CHECK_FALSE(harmless.fake->sent()[0].idempotent);  // else it would be repeated unread

  LosingServer down;
  for (int i = 0; i < 9; ++i) {
    down.lose(k_create);
  }
  CHECK(down.send(k_create).error().message == "lost");
  CHECK(down.fake->sent().size() == 7);  // four writes, three reads
}
