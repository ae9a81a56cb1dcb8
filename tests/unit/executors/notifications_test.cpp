// Secrets that notifications name: their addresses and signing keys.
#include <atomic>
#include <mutex>

#include "site.hpp"
#include "support/loopback_server.hpp"

using namespace site;

namespace {

/// A Site whose session keeps what is said of notifications.
struct Telling : Site {
  Telling() {
    auto options = session_options();
    options.notifications.trouble = [this](const std::string& line) {
      const std::lock_guard lock(mutex);
      said += line + '\n';
    };
    session = executors::Session::open(home->connect(network), options, {}).value();
  }
  ~Telling() { session.reset(); }  // it tells until then
  void put_secret(const Json& metadata, const Json& values) const {
    Json secret = plain("Secret", "shop", "addresses");
    secret["metadata"].update(metadata);
    secret["stringData"] = values;
    home->put(secret);
  }

  std::mutex mutex;
  std::string said;
};

}  // namespace

TEST_CASE("notifications: Secrets of kubist's own, and those in use, are sent nowhere") {
  std::atomic<int> asked = 0;
  testing::LoopbackServer server(
      [&](const testing::ReceivedRequest&, testing::Connection& connection) {
        ++asked;
        connection.reply(200, "ok");
      });
  const Json from_secret{{"name", "addresses"}, {"key", "value"}};
  const Json sinks =
      Json::array({{{"name", "team"}, {"type", "Slack"}, {"urlSecretRef", from_secret}},
                   {{"name", "ci"},
                    {"type", "Webhook"},
                    {"url", server.url("/hook")},
                    {"signingSecretRef", from_secret}}});
  const auto tell = [&](const Json& metadata) {
    Telling s;
    s.make_project("shop");
    s.put_secret(metadata, {{"value", server.url("/a-secret-path")}});
    s.put("Project", "", "shop",
          {{"notifications", sinks}, {"allow", {{"webhooks", {server.url("/*")}}}}});
    s.reconcile();
    s.session.reset();  // so that all has been sent
    const std::lock_guard lock(s.mutex);
    return s.said;
  };
  for (const Json& metadata : {Json{{"labels", {{"kubist.io/internal", "true"}}}},
                               Json{{"finalizers", Json::array({"kubist.io/in-use"})}}}) {
    const std::string said = tell(metadata);
    for (const char* sink : {"team (slack)", "ci (webhook)"}) {
      CHECK_MESSAGE(
          said.find(cat("notification ", sink,
                        " was not sent: Secret shop/addresses is "
                        "kubist's own or gives access to a cluster, it is sent nowhere")) !=
              std::string::npos,
          said);
    }
    CHECK(said.find("a-secret-path") == std::string::npos);
  }
  CHECK(asked == 0);
  CHECK(tell(Json::object()) == "");  // one that somebody made for it
  CHECK(asked > 0);
}
