// Secrets that notifications name: their addresses and signing keys.
#include <atomic>
#include <mutex>

#include "site.hpp"
#include "support/comes_true.hpp"
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
                               Json{{"finalizers", Json::array({"kubist.io/in-use"})}},
                               Json{{"labels", {{"kubist.io/internal", "notifications"}}},
                                    {"finalizers", Json::array({"kubist.io/in-use"})}}}) {
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
  asked = 0;
  CHECK(tell({{"labels", {{"kubist.io/internal", "notifications"}}}}) == "");  // kept from items
  CHECK(asked > 0);
}

TEST_CASE("notifications: failures and their end are Events, though nobody asked for any") {
  Telling s;
  s.make_project("shop");
  const auto events = [&] {
    std::vector<std::string> all;
    for (const Json& event : s.home->list("events")) {
      all.push_back(cat(event["type"].get<std::string>(), ' ',
                        event["involvedObject"]["kind"].get<std::string>(), '/',
                        event["involvedObject"]["name"].get<std::string>(), ' ',
                        event["reason"].get<std::string>()));
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  s.virtual_cluster("shop", "dev", {{"clusterRef", {{"name", "later"}}}});
  s.reconcile();
  REQUIRE(testing::comes_true([&] { return events().size() == 1; }));
  CHECK(events() == std::vector<std::string>{"Warning VirtualCluster/dev ParentNotFound"});
  s.reconcile();  // it is as bad as before
  s.put("Cluster", "shop", "later", {{"home", true}});
  s.reconcile();
  REQUIRE(testing::comes_true([&] { return events().size() == 2; }));
  CHECK(events().front() == "Normal VirtualCluster/dev Aligned");
}

TEST_CASE("notifications: who may not make Events is asked to once, and nobody is told") {
  Telling s;
  s.home->fail("POST /api/v1/namespaces/*/events*", 403, 99);
  s.make_project("shop");
  const auto asked = [&] {
    const auto log = s.home->log();
    return std::count_if(log.begin(), log.end(), [](const LoggedRequest& each) {
      return each.resource == "events" && each.verb == "create";
    });
  };
  const auto broken = [&](const char* name) {
    s.virtual_cluster("shop", name, {{"clusterRef", {{"name", "nowhere"}}}});
    s.reconcile();
  };
  broken("a");
  REQUIRE(testing::comes_true([&] { return asked() == 1; }));
  broken("b");
  s.session.reset();
  CHECK(asked() == 1);
  CHECK(s.said.empty());
}
