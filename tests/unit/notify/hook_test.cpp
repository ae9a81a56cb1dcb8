#include <doctest/doctest.h>

#include <kubist/http/headers.hpp>
#include <kubist/notify/hook.hpp>

#include "support/fake_transport.hpp"

using namespace kubist;
using data::Json;
using testing::FakeTransport;

namespace {

const notify::HookCaller k_caller{"web", "shop", "Progressing", "uid/1/0/v2/20"};

engine::PolicyCall gate() {
  engine::WebhookCall webhook;
  webhook.url = "https://hooks.example.com/a-secret-path";
  webhook.timeout = std::chrono::seconds(3);
  webhook.metadata = {{"team", "shop"}};
  return {"gate", 1, 0, webhook};
}

Json call(FakeTransport& fake, const engine::PolicyCall& what = gate(),
          const notify::HookCaller& caller = k_caller) {
  return notify::call_hook(fake, what, caller, {});
}

Json call_that_fails(util::ErrorKind kind, const std::string& reason) {
  FakeTransport fake;
  fake.fail("POST", "*",
            util::make_error(kind, "POST https://hooks.example.com/a-secret-path", "", reason));
  return call(fake);
}

}  // namespace

TEST_CASE("hook: posts what Flagger posts, and gives the status and how the answer begins") {
  FakeTransport fake;
  fake.always("POST", "/a-secret-path", 403, " no\n" + std::string(500, 'x'));
  const Json answer = call(fake);
  CHECK(answer["status"] == 403);
  CHECK(answer["message"] == "no\n" + std::string(197, 'x'));
  const auto sent = fake.sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].timeout == std::chrono::seconds(3));
  const Json body = Json::parse(*sent[0].body);
  CHECK(body["name"] == "web");
  CHECK(body["namespace"] == "shop");
  CHECK(body["phase"] == "Progressing");
  CHECK(body["metadata"] == Json{{"team", "shop"}});
  CHECK(body["checksum"] == *http::find_header(sent[0].headers, "webhook-id"));
}

TEST_CASE("hook: the checksum tells steps and occasions apart, and no more") {
  FakeTransport fake;
  fake.always("POST", "*", 200, "");
  engine::PolicyCall tried = gate();
  tried.failed = 2;
  engine::PolicyCall next = gate();
  next.step = 2;
  notify::HookCaller later = k_caller;
  later.phase = "Waiting";
  notify::HookCaller again = k_caller;
  again.occasion = "uid/2/0/v2/20";
  call(fake);
  call(fake, tried);
  call(fake, gate(), later);
  call(fake, next);
  call(fake, gate(), again);
  std::vector<std::string> ids;
  for (const http::Request& each : fake.sent()) {
    ids.emplace_back(*http::find_header(each.headers, "webhook-id"));
  }
  REQUIRE(ids.size() == 5);
  CHECK(ids[1] == ids[0]);
  CHECK(ids[2] == ids[0]);
  CHECK(ids[3] != ids[0]);
  CHECK(ids[4] != ids[0]);
}

TEST_CASE("hook: where nobody answers it says so, without the address") {
  CHECK(call_that_fails(util::ErrorKind::timeout, "") ==
        Json{{"reason", "Timeout"}, {"message", "no answer within 3 s"}});
  CHECK(call_that_fails(util::ErrorKind::unavailable, "ConnectionRefused") ==
        Json{{"reason", "ConnectionRefused"}, {"message", "it could not be reached"}});
  CHECK(call_that_fails(util::ErrorKind::unavailable, "") ==
        Json{{"reason", "Unreachable"}, {"message", "it could not be reached"}});
}
