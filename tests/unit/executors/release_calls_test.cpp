// Addresses that releases name: what is refused is never asked, and holds the release with its
// reason.
#include "release_site.hpp"
#include "support/loopback_server.hpp"

using namespace site;

namespace {

struct CalledAddress {
  std::string name, url, reason, says;
};

Json allow(const char* purpose, const std::vector<std::string>& patterns) {
  return {{"allow", {{purpose, patterns}}}};
}

void add_webhook(Shop& s, const CalledAddress& each, const std::string& more = "") {
  s.route(each.name);
  s.apply(
      "CanaryRelease", each.name,
      cat("{destination: web, stable: v1, canary: v2, routes: [", each.name,
          "], interval: 1s, holdLimit: 6s, bake: 1s, policies: [{name: Steps, parameters: {steps: "
          "[{setWeight: 50}, {webhook: {name: gate, url: '",
          each.url, "', metadata: {team: shop}", more, "}}]}}]}"));
}

void add_metric(Shop& s, const CalledAddress& each, const std::string& key = "") {
  s.route(each.name);
  const std::string secret =
      key.empty() ? "" : cat(", authorizationSecretRef: {name: prometheus, key: ", key, "}");
  s.apply("CanaryRelease", each.name,
          cat("{destination: web, stable: v1, canary: v2, routes: [", each.name,
              "], interval: 1s, holdLimit: 4s, bake: 1s, weights: [50], policies: [{name: Metric, "
              "parameters: "
              "{metrics: [{name: queue, query: 'up', thresholdRange: {max: 7}}]}}], metrics: "
              "{provider: "
              "Prometheus, prometheus: {url: '",
              each.url, "'", secret, "}}}"));
}

void check_held(Shop& s, const CalledAddress& each) {
  CAPTURE(each.name);
  const std::string state = s.until("RolledBack", each.name);
  const std::string all = s.release(each.name).dump();
  CHECK_MESSAGE(state == "RolledBack", all);
  CHECK_MESSAGE(s.why(each.name) == each.reason, all);
  CHECK_MESSAGE(all.find(each.says) != std::string::npos, all);
}

}  // namespace

TEST_CASE("webhooks: an address that the Project does not allow is never asked") {
  Shop s(allow("webhooks", {"https://hooks.example.com/*"}));
  const CalledAddress foreign{"foreign", "https://gate.example.com/", "AddressNotAllowed",
                              "spec.allow.webhooks"};
  add_webhook(s, foreign);
  s.settle();
  check_held(s, foreign);
}

TEST_CASE("webhooks: a link-local address is never asked, whatever the Project allows") {
  Shop s(allow("webhooks", {"http://169.254.169.254/*", "http://[::ffff:169.254.169.254]/*"}));
  for (const CalledAddress& each :
       {CalledAddress{"metadata", "http://169.254.169.254/", "AddressNotAllowed", "link-local"},
        CalledAddress{"mapped", "http://[::ffff:169.254.169.254]/", "AddressNotAllowed",
                      "link-local"}}) {
    add_webhook(s, each);
    s.settle();
    check_held(s, each);
  }
}

TEST_CASE("webhooks: 2xx goes on after one call, which names the release") {
  std::mutex mutex;
  std::vector<testing::ReceivedRequest> sent;
  testing::LoopbackServer server(
      [&](const testing::ReceivedRequest& request, testing::Connection& connection) {
        {
          const std::lock_guard lock(mutex);
          sent.push_back(request);
        }
        connection.reply(200, "");
      });
  Shop s(allow("webhooks", {server.url("/*")}));
  add_webhook(s, {"passes", server.url("/passes"), "", ""});
  s.settle();
  CHECK(s.until("Succeeded", "passes") == "Succeeded");
  const std::lock_guard lock(mutex);
  REQUIRE(sent.size() == 1);
  const Json body = Json::parse(sent[0].body);
  CHECK(body["name"] == "passes");
  CHECK(body["namespace"] == "shop");
  CHECK(body["metadata"] == Json{{"team", "shop"}});
  CHECK(body["checksum"] == sent[0].header("webhook-id"));
}

TEST_CASE("webhooks: what is refused rolls back at once, with the answer") {
  testing::LoopbackServer server(
      [](const testing::ReceivedRequest&, testing::Connection& connection) {
        connection.reply(403, "load test failed");
      });
  Shop s(allow("webhooks", {server.url("/*")}));
  const CalledAddress refused{"refused", server.url("/refused"), "HookFailed",
                              "status 403: load test failed"};
  add_webhook(s, refused);
  s.settle();
  check_held(s, refused);
}

TEST_CASE("webhooks: a redirect is not followed") {
  std::atomic<int> asked = 0;
  testing::LoopbackServer server(
      [&](const testing::ReceivedRequest&, testing::Connection& connection) {
        ++asked;
        connection.reply(302, "", "Location: http://127.0.0.1:1/elsewhere\r\n");
      });
  Shop s(allow("webhooks", {server.url("/*")}));
  const CalledAddress moved{"moved", server.url("/moved"), "HookFailed", "status 302"};
  add_webhook(s, moved);
  s.settle();
  check_held(s, moved);
  CHECK(asked == 1);
}

TEST_CASE("webhooks: where nobody listens the release is held with that as its reason") {
  std::string url;
  {
    testing::LoopbackServer before(
        [](const testing::ReceivedRequest&, testing::Connection& connection) {
          connection.reply(200, "");
        });
    url = before.url("/gone");
  }
  Shop s(allow("webhooks", {url}));
  const CalledAddress gone{"gone", url, "ConnectionRefused", "could not be reached"};
  add_webhook(s, gone);
  s.settle();
  check_held(s, gone);
}

TEST_CASE("webhooks: a dry run calls nobody") {
  std::atomic<int> asked = 0;
  testing::LoopbackServer server(
      [&](const testing::ReceivedRequest&, testing::Connection& connection) {
        ++asked;
        connection.reply(403, "not yet");
      });
  Shop s(allow("webhooks", {server.url("/*")}));
  add_webhook(s, {"gate", server.url("/gate"), "", ""}, ", type: confirm-traffic-increase");
  s.settle();
  for (int looks = 0; looks < 10 && asked == 0; ++looks) {
    s.look("gate");
  }
  const int before = asked;
  CHECK(before > 0);
  auto options = only({key("CanaryRelease", "shop", "gate")});
  options.dry_run = kube::DryRun::server;
  s.forget();
  s.reconcile(options);
  CHECK(asked == before);
  CHECK(s.writes() == 0);
}

TEST_CASE("prometheus by url: addresses that may not be asked hold the release with their reason") {
  Shop s(allow("metrics", {"http://169.254.169.254/*", "http://127.0.0.1:1/*"}));
  for (const CalledAddress& each :
       {CalledAddress{"foreign", "https://prometheus.example.com/", "AddressNotAllowed",
                      "spec.allow.metrics"},
        CalledAddress{"climbs", "http://127.0.0.1:1/a/../b", "AddressNotAllowed", ".."},
        CalledAddress{"metadata", "http://169.254.169.254/latest", "AddressNotAllowed",
                      "link-local"},
        CalledAddress{"user", "http://user@127.0.0.1:1/", "AddressNotAllowed", "user's name"}}) {
    add_metric(s, each);
    s.settle();
    check_held(s, each);
  }
}

TEST_CASE("prometheus by url: without its credentials it is not asked") {
  std::atomic<int> asked = 0;
  testing::LoopbackServer server(
      [&](const testing::ReceivedRequest&, testing::Connection& connection) {
        ++asked;
        connection.reply(200, "{}");
      });
  Shop s(allow("metrics", {server.url("/*")}));
  Json secret = plain("Secret", "shop", "prometheus");
  secret["stringData"] = {{"token", "a-very-secret-token"},
                          {"lines", "a\r\nX-Other: b"},
                          {"config", R"({"kind":"Config"})"},
                          {"config-too", R"({"kind": "Config"})"}};
  s.home->put(secret);
  for (const auto& [each, key] :
       {std::pair{
            CalledAddress{"nokey", server.url("/nokey"), "SecretKeyNotFound", "has no key other"},
            "other"},
        std::pair{
            CalledAddress{"lines", server.url("/lines"), "SecretNotUsable", "no value of a header"},
            "lines"},
        std::pair{CalledAddress{"config", server.url("/c"), "SecretNotUsable", ""}, "config"},
        std::pair{CalledAddress{"config-too", server.url("/d"), "SecretNotUsable", ""},
                  "config-too"}}) {
    add_metric(s, each, key);
    s.settle();
    check_held(s, each);
  }
  CHECK(asked == 0);
}

TEST_CASE("prometheus by url: Secrets of kubist's own, and those in use, are sent nowhere") {
  std::atomic<int> asked = 0;
  testing::LoopbackServer server(
      [&](const testing::ReceivedRequest&, testing::Connection& connection) {
        ++asked;
        connection.reply(200, "{}");
      });
  for (const Json& metadata : {Json{{"labels", {{"kubist.io/internal", "true"}}}},
                               Json{{"finalizers", Json::array({"kubist.io/in-use"})}}}) {
    Shop s(allow("metrics", {server.url("/*")}));
    Json secret = plain("Secret", "shop", "prometheus");
    secret["metadata"].update(metadata);
    secret["stringData"] = {{"token", "a-very-secret-token"}};
    s.home->put(secret);
    const CalledAddress own{"own", server.url("/own"), "SecretNotAllowed", "sent nowhere"};
    add_metric(s, own, "token");
    s.settle();
    check_held(s, own);
  }
  CHECK(asked == 0);
}

TEST_CASE("prometheus by url: what it says of a query, and never its credentials") {
  testing::LoopbackServer server(
      [](const testing::ReceivedRequest& request, testing::Connection& connection) {
        connection.reply(422, cat(R"({"status":"error","errorType":"execution","error":"not with )",
                                  request.header("Authorization"), "\"}"));
      });
  Shop s(allow("metrics", {server.url("/*")}));
  Json secret = plain("Secret", "shop", "prometheus");
  secret["stringData"] = {{"token", "a-very-secret-token"}};
  s.home->put(secret);
  const CalledAddress echo{"echo", server.url("/echo"), "CannotExecute", "not with Bearer ***"};
  add_metric(s, echo, "token");
  s.settle();
  check_held(s, echo);
  CHECK(s.release("echo").dump().find("a-very-secret-token") == std::string::npos);
}

TEST_CASE(
    "prometheus by url: what is no Prometheus holds the release, and a redirect gets no "
    "credentials") {
  std::atomic<int> followed = 0;
  std::string elsewhere;
  testing::LoopbackServer server(
      [&](const testing::ReceivedRequest& request, testing::Connection& connection) {
        if (request.head.find("/html") != std::string::npos) {
          connection.reply(200, "<html>sign in</html>");
        } else if (request.head.find("/moved") != std::string::npos) {
          connection.reply(302, "", cat("Location: ", elsewhere, "\r\n"));
        } else {
          ++followed;
          connection.reply(200, "{}");
        }
      });
  elsewhere = server.url("/elsewhere");
  Shop s(allow("metrics", {server.url("/*")}));
  Json secret = plain("Secret", "shop", "prometheus");
  secret["stringData"] = {{"token", "a-very-secret-token"}};
  s.home->put(secret);
  for (const CalledAddress& each :
       {CalledAddress{"html", server.url("/html"), "Html", ""},
        CalledAddress{"moved", server.url("/moved"), "NotMetrics", ""}}) {
    add_metric(s, each, "token");
    s.settle();
    check_held(s, each);
  }
  CHECK(followed == 0);
}
