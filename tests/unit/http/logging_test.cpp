#include <doctest/doctest.h>

#include <kubist/http/governor.hpp>
#include <kubist/http/line_stream.hpp>
#include <kubist/http/logging.hpp>

#include "support/fake_transport.hpp"

using namespace kubist;
using namespace kubist::http;

TEST_CASE("logging: method, URL and status at 6, headers at 7, bodies at 8, secrets never") {
  const std::string secret =
      R"({"kind":"Secret","data":{"a":"c2VjcmV0"},"stringData":{"b":"hunter2"},)"
      R"("metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"c2VjcmV0"}}})";
  for (int level = 5; level <= 9; ++level) {
    CAPTURE(level);
    auto fake = std::make_shared<testing::FakeTransport>();
    fake->always("PUT", "/api/v1/namespaces/x/secrets/a", 200, secret);
    std::string out;
    const util::Log log(level, [&](std::string_view line) { out += line; });
    LoggingTransport logging(fake, log);
    Request request;
    request.method = "PUT";
    request.url = "http://me:pw@fake/api/v1/namespaces/x/secrets/a";
    request.headers = {{"Authorization", "Bearer tok3n"}, {"Accept", "application/json"}};
    request.body = std::make_shared<const std::string>(secret);
    CHECK(send(logging, request)->status == 200);
    const auto has = [&](const char* text) { return out.find(text) != std::string::npos; };
    CHECK(has("PUT http://***@fake/api/v1/namespaces/x/secrets/a 200") == (level >= 6));
    CHECK(has("Authorization: ***") == (level >= 7));
    CHECK(has("\"kind\":\"Secret\"") == (level >= 8));
    for (const char* hidden : {"tok3n", "pw", "c2VjcmV0", "hunter2"}) {
      CAPTURE(hidden);
      CHECK_FALSE(has(hidden));
    }
  }
}

TEST_CASE("logging: what a server puts into a header or an error does not drive the terminal") {
  auto fake = std::make_shared<testing::FakeTransport>();
  fake->reply("GET", "/x", 200, "",
              {{"Warning",
                "\x1b]0;title\a\xc2\x9b"
                "2J"}});
  std::string text;
  const util::Log log(7, [&](std::string_view line) { text += line; });
  LoggingTransport logging(fake, log);
  Request request;
  request.url = "http://host/x";
  REQUIRE(send(logging, request));
  CHECK(text.find("Warning: \\x1b]0;title\\x07\\xc2\\x9b2J") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("logging: secrets in lists, patches, token answers and kubeconfigs are masked") {
  const auto masked = [](std::string_view body, bool of_secrets = false) {
    return redacted_body(body, "application/json", of_secrets);
  };
  CHECK(masked(R"({"kind":"SecretList","items":[{"data":{"a":"x"}}]})") ==
        R"({"items":[{"data":{"a":"***"}}],"kind":"SecretList"})");
  CHECK(masked(R"([{"op":"add","path":"/data/a","value":"x"}])", true) ==
        R"([{"op":"add","path":"/data/a","value":"***"}])");
  CHECK(masked(R"({"kind":"TokenRequest","status":{"token":"x"}})") ==
        R"({"kind":"TokenRequest","status":{"token":"***"}})");
  CHECK(masked(
            R"({"kind":"ConfigMap","data":{"kc":"clusters: []\nusers:\n- user: {token: abc}"}})") ==
        R"({"data":{"kc":"***"},"kind":"ConfigMap"})");
  CHECK(masked(R"({"kind":"ConfigMap","data":{"a":"x"}})") ==
        R"({"data":{"a":"x"},"kind":"ConfigMap"})");
  CHECK(redacted_body("plain log", "text/plain", false) == "<9 bytes of text/plain>");
  CHECK(redacted_body(R"({"a":1})", "text/plain", false) == "<7 bytes of text/plain>");
}

TEST_CASE("line stream: lines from pieces, the last one at the end, and a limit") {
  std::vector<std::string> lines;
  LineStream stream(
      [&](std::string_view line) {
        lines.emplace_back(line);
        return line != "stop";
      },
      10);
  for (const char* piece : {"a", "b\nc", "\n\nrest"}) {
    CHECK(*stream.feed(piece));
  }
  CHECK(stream.pending() == 4);
  CHECK(stream.finish());
  CHECK(lines == std::vector<std::string>{"ab", "c", "", "rest"});
  CHECK_FALSE(*stream.feed("stop\nmore\n"));
  CHECK_FALSE(stream.feed("0123456789x"));
}

TEST_CASE("governor: grows while latency stays near its minimum, halves on 429") {
  using namespace std::chrono_literals;
  Governor governor;
  auto now = std::chrono::steady_clock::time_point{} + 1h;
  CHECK(governor.limit() == 12);
  for (int i = 0; i < 100; ++i) {
    governor.record(now, "PATCH", 200, governor.limit(), 20ms);
  }
  CHECK(governor.limit() == 64);
  governor.record(now, "PATCH", 429, 64, 1ms);
  governor.record(now, "PATCH", 429, 64, 1ms);
  CHECK(governor.limit() == 32);
  governor.record(now + 2s, "PATCH", 429, 64, 1ms);
  CHECK(governor.limit() == 16);

  Governor busy;
  busy.record(now, "PATCH", 200, 1, 2ms);
  for (int i = 0; i < 100; ++i) {
    busy.record(now, "PATCH", 200, 12, 30ms);
    busy.record(now, "GET", 200, 12, 1us);
  }
  CHECK(busy.limit() == 12);
  Governor idle;
  for (int i = 0; i < 100; ++i) {
    idle.record(now, "PATCH", 200, 1, 20ms);
  }
  CHECK(idle.limit() == 12);
}
