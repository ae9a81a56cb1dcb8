// Who is told when something changes: real receivers on this machine, and Events of the API server.
#include <doctest/doctest.h>

#include <kubist/notify/post.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"
#include "support/loopback_server.hpp"

namespace {

using namespace it;
using kubist::testing::LoopbackServer;
using kubist::testing::ReceivedRequest;
using kubist::util::cat;

/// Keeps what it was sent, and answers as told.
class Receiver {
 public:
  enum class Manner { takes, fails_first, never_answers };
  explicit Receiver(Manner manner = Manner::takes)
      : m_manner(manner), m_server([this](const auto& request, auto& connection) {
          const std::lock_guard lock(m_mutex);
          m_requests.push_back(request);
          if (m_manner == Manner::fails_first && m_requests.size() == 1) {
            connection.reply(503, "");
          } else if (m_manner != Manner::never_answers) {
            connection.reply(200, "ok");
          }
        }) {}
  std::string url() const { return m_server.url("/hook/a-secret-path"); }
  std::vector<ReceivedRequest> requests() {
    const std::lock_guard lock(m_mutex);
    return m_requests;
  }

 private:
  Manner m_manner;
  std::mutex m_mutex;
  std::vector<ReceivedRequest> m_requests;
  LoopbackServer m_server;
};

Json sink(const std::string& name, const std::string& type, Json more = Json::object()) {
  more["name"] = name;
  more["type"] = type;
  return more;
}

Json from_secret(const std::string& key) { return {{"name", "addresses"}, {"key", key}}; }

Json addresses(const std::string& ns, const Json& values) {
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata", {{"name", "addresses"}, {"namespace", ns}}},
          {"stringData", values}};
}

/// The texts of the Events about it.
std::vector<std::string> events_about(const std::string& ns, const std::string& name) {
  const Json list =
      Json::parse(must(kubectl("home", {"get", "events", "-n", ns, "-o", "json", "--field-selector",
                                        "reportingComponent=kubist,involvedObject.name=" + name})));
  std::vector<std::string> texts;
  for (const Json& event : list["items"]) {
    texts.push_back(cat(event["type"].get<std::string>(), ' ', event["reason"].get<std::string>()));
  }
  return texts;
}

}  // namespace

TEST_CASE("notifications: each receiver is told once what changed, and nothing when nothing did") {
  World world("told");
  const std::string project = world.name();
  Receiver slack;
  Receiver hook(Receiver::Manner::fails_first);
  world.make_project(
      project,
      {{"notifications",
        Json::array({sink("team", "Slack", {{"urlSecretRef", from_secret("slack")}}),
                     sink("ci", "Webhook",
                          {{"url", hook.url()},
                           {"kinds", {"Cluster"}},
                           {"signingSecretRef", from_secret("key")}}),
                     sink("cluster", "Events"), sink("here", "Log", {{"minLevel", "ERROR"}})})},
       {"allow", {{"webhooks", {"http://127.0.0.1:*/*"}}}}});
  put("home",
      {addresses(project, {{"slack", slack.url()}, {"key", "a-signing-key"}}),
       object("Cluster", project, "home", {{"home", true}}),
       object("Cluster", project, "nowhere", {{"kubeconfigSecretRef", {{"name", "missing"}}}})});
  const CommandResult first = run_kubist({"reconcile", "Project/" + project});
  CHECK_MESSAGE(first.exit_code == 1, first.out, first.err);
  CHECK((first.out + first.err).find("a-secret-path") == std::string::npos);
  CHECK((first.out + first.err).find("a-signing-key") == std::string::npos);

  REQUIRE(slack.requests().size() == 1);
  const auto text = Json::parse(slack.requests()[0].body)["text"].get<std::string>();
  CHECK(text.find(cat("INFO Cluster ", project, "/home: ")) != std::string::npos);
  CHECK(text.find(cat("ERROR Cluster ", project, "/nowhere: SecretNotFound: ")) !=
        std::string::npos);

  REQUIRE(hook.requests().size() == 2);  // the first was answered 503
  const ReceivedRequest got = hook.requests()[1];
  CHECK(got.header("webhook-id") == hook.requests()[0].header("webhook-id"));
  CHECK(got.header("webhook-signature") ==
        kubist::notify::webhook_signature(kubist::util::Secret("a-signing-key"),
                                          got.header("webhook-id"), got.header("webhook-timestamp"),
                                          got.body));
  const Json told = Json::parse(got.body)["data"]["notifications"];
  CHECK_MESSAGE(told.size() == 2, told.dump());
  CHECK(events_about(project, "nowhere") == std::vector<std::string>{"Warning SecretNotFound"});
  CHECK(events_about(project, "home").size() == 1);
  CHECK(first.err.find(R"("level":"ERROR")") != std::string::npos);
  CHECK(first.err.find(R"("level":"INFO")") == std::string::npos);

  // It fails again, which is no news.
  run_kubist({"reconcile", "Project/" + project});
  CHECK(slack.requests().size() == 1);
  CHECK(hook.requests().size() == 2);
  CHECK(events_about(project, "nowhere").size() == 1);
}

TEST_CASE("notifications: a receiver that hangs, or may not be told, holds nobody up") {
  World world("untold");
  const std::string project = world.name();
  Receiver hangs(Receiver::Manner::never_answers);
  Receiver elsewhere;
  world.make_project(
      project,
      {{"notifications",
        Json::array({sink("slow", "Webhook", {{"url", hangs.url()}, {"kinds", {"Cluster"}}}),
                     sink("foreign", "Slack", {{"urlSecretRef", from_secret("slack")}}),
                     sink("metadata", "Webhook", {{"url", "http://169.254.169.254/"}})})},
       {"allow", {{"webhooks", {"https://hooks.example.com/*"}}}},
       {"settings", {{"min_notify_level", "INFO"}}}});
  put("home", {addresses(project, {{"slack", elsewhere.url()}}),
               object("Cluster", project, "home", {{"home", true}})});
  const CommandResult run = run_kubist({"reconcile", "Project/" + project, "--timeout=60s"});
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(condition(get("home", "clusters.kubist.io", "home", project), "Ready") == "True");
  CHECK(hangs.requests().size() == 1);
  CHECK(elsewhere.requests().empty());
  const auto warned = [&](const std::string& text) {
    CHECK_MESSAGE(run.err.find(text) != std::string::npos, run.err);
  };
  warned("notification slow (webhook) did not arrive: http://127.0.0.1: ");
  warned("notification foreign (slack) was not sent: ");
  warned("is not one that the Project allows");
  warned("notification metadata (webhook) was not sent: ");
  CHECK(run.err.find("a-secret-path") == std::string::npos);
}

TEST_CASE("notifications: a sink that means nothing makes its Project Stalled") {
  World world("mute");
  world.make_project(world.name());
  put("home", {object("Project", "", world.name(),
                      {{"notifications", Json::array({sink("team", "Slack")})}})});
  run_kubist({"reconcile", "Project/" + world.name()});
  const auto project = get("home", "projects.kubist.io", world.name());
  CHECK(condition(project, "Stalled") == "True");
  CHECK(reason(project, "Ready") == "InvalidNotification");
}
