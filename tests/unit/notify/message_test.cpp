#include <set>
#include <string>

#include <doctest/doctest.h>

#include <kubist/notify/sink.hpp>

using namespace kubist;
using data::Json;
using notify::Level;

namespace {

Json status(const char* ready, const char* reason, const char* stalled = "False") {
  return {{"conditions",
           Json::array(
               {{{"type", "Ready"}, {"status", ready}, {"reason", reason}, {"message", "as it is"}},
                {{"type", "Stalled"}, {"status", stalled}}})}};
}

const engine::Node& node() {
  static const engine::Node k_node =
      engine::make_node(Json{{"apiVersion", "kubist.io/v1alpha1"},
                             {"kind", "Cluster"},
                             {"metadata", {{"name", "home"}, {"namespace", "shop"}}}});
  return k_node;
}

std::string told(const Json& before, const Json& after) {
  const auto message = notify::message_of(node(), before, after);
  return message ? notify::to_line(*message) : "nothing";
}

}  // namespace

TEST_CASE("message: says what changed of Ready, and how much it matters") {
  const Json none = Json::object();
  CHECK(told(none, status("True", "Aligned")) == "INFO Cluster shop/home: Aligned: as it is");
  CHECK(told(status("True", "Aligned"), status("True", "Aligned")) == "nothing");
  CHECK(told(none, status("False", "Wrong", "True")) == "ERROR Cluster shop/home: Wrong: as it is");
  CHECK(told(none, status("False", "Progressing")).starts_with("DEBUG"));
  CHECK(told(status("True", "Aligned"), status("False", "Gone")).starts_with("WARNING"));
  CHECK(told(status("True", "Aligned"), status("Unknown", "ParentNotReady")).starts_with("DEBUG"));
  CHECK(told(none, none) == "nothing");
  Json failing = status("False", "Unreachable");
  failing["failures"] = 1;
  CHECK(told(none, failing).starts_with("WARNING"));
}

TEST_CASE("message: a long text is cut, at a whole character") {
  Json now = status("False", "Wrong", "True");
  now["conditions"][0]["message"] = std::string(1023, 'a') + "\u00e4" + std::string(40'000, 'b');
  CHECK(notify::message_of(node(), Json::object(), now)->text ==
        std::string(1023, 'a') + " ... (cut)");
  now["conditions"][0]["message"] = std::string(1022, 'a') + "\u00e4b";
  CHECK(notify::message_of(node(), Json::object(), now)->text ==
        std::string(1022, 'a') + "\u00e4 ... (cut)");
}

TEST_CASE("message: no text begins a line of its own, nor shows as another one") {
  Json now = status("False", "Wrong", "True");
  now["conditions"][0]["message"] =
      "bad\nINFO Cluster bank/home:\r Aligned\u2028a\u2029b\xc2\x85"
      "c\u202ed\x1b[2K";
  CHECK(told(Json::object(), now) ==
        "ERROR Cluster shop/home: Wrong: bad INFO Cluster bank/home:\\x0d Aligned a b\\xc2\\x85c"
        "\\xe2\\x80\\xaed\\x1b[2K");
  now["conditions"][0]["reason"] = "Wrong\nINFO";
  CHECK(told(Json::object(), now).starts_with("ERROR Cluster shop/home: Wrong INFO: bad INFO"));
}

TEST_CASE("message: by default failures and their end are told, and nothing else") {
  const Json none = Json::object();
  const Json ready = status("True", "Aligned");
  const Json on_its_way = status("False", "Progressing");
  const Json stalled = status("False", "Wrong", "True");
  Json failing = status("False", "Unreachable");
  failing["failures"] = 2;
  Json aborted = status("False", "AbortRequested");
  aborted["state"] = "Aborted";
  const auto passes = [](const Json& before, const Json& after, const Json& settings) {
    const auto message = notify::message_of(node(), before, after);
    REQUIRE(message);
    return notify::Filter::read(settings)->passes(*message, notify::default_sink());
  };
  for (const Json& bad : {stalled, failing, aborted}) {
    CHECK(passes(ready, bad, none));
    CHECK(passes(none, bad, none));
    CHECK(passes(bad, ready, none));
    CHECK_FALSE(passes(ready, bad, {{"disable_notifications", true}}));
  }
  CHECK(passes(ready, stalled, {{"min_notify_level", "ERROR"}}));
  CHECK_FALSE(passes(none, ready, none));
  CHECK_FALSE(passes(ready, on_its_way, none));
  CHECK_FALSE(passes(on_its_way, ready, none));
  CHECK_FALSE(passes(ready, status("Unknown", "ParentNotReady"), none));
  CHECK(notify::default_sink().type == notify::SinkType::events);
}

TEST_CASE("message: each step of a release is one, its way back a warning") {
  Json five = status("False", "Progressing");
  five["state"] = "Progressing";
  five["weight"] = 5;
  Json ten = five;
  ten["weight"] = 10;
  CHECK(told(five, ten).starts_with("INFO"));
  CHECK(told(ten, ten) == "nothing");
  Json back = status("False", "RolledBack", "True");
  back["state"] = "RolledBack";
  CHECK(told(ten, back).starts_with("WARNING"));
}

TEST_CASE("filter: Vamp's parameters decide, then the sink's least level") {
  notify::Message message;
  message.level = Level::info;
  message.node = node().key;
  notify::Sink slack;
  slack.type = notify::SinkType::slack;
  notify::Sink log;
  const auto passes = [&](const Json& settings, const notify::Sink& sink) {
    const auto filter = notify::Filter::read(settings);
    REQUIRE_MESSAGE(filter, filter.error().to_string());
    return filter->passes(message, sink);
  };
  CHECK(passes(Json::object(), slack));
  CHECK(!passes({{"disable_notifications", "true"}}, slack));
  CHECK(!passes({{"disable_notifications", true}}, slack));
  CHECK(!passes({{"min_notify_level", "warning"}}, slack));
  const Json only_log{{"disable_notifications", true}, {"allow_notify_info", "user, webhook"}};
  CHECK(passes(only_log, log));
  CHECK(!passes(only_log, slack));
  CHECK(passes({{"min_notify_level", "ERROR"}, {"allow_notify_all", "all"}}, slack));
  slack.least = Level::warning;
  CHECK(!passes(Json::object(), slack));
  CHECK(passes({{"min_notify_level", "INFO"}}, slack));
  slack.kinds = {"CanaryRelease"};
  CHECK(!passes({{"allow_notify_all", "all"}}, slack));
}

TEST_CASE("filter: what means nothing is refused") {
  const auto why = [](const Json& settings) {
    const auto filter = notify::Filter::read(settings);
    return filter ? std::string("fine") : filter.error().message;
  };
  CHECK(why({{"min_notify_level", "LOUD"}}) == "setting min_notify_level: no level LOUD");
  CHECK(why({{"allow_notify_loud", "log"}}) == "setting allow_notify_loud: no level loud");
  CHECK(why({{"allow_notify_info", "log,fax"}}) ==
        "setting allow_notify_info: fax is nowhere to send notifications");
  CHECK(why({{"team", "shop"}}) == "fine");
}

TEST_CASE("sinks: an entry that means nothing is refused") {
  const auto why = [](const Json& entry) {
    const auto sinks = notify::read_sinks({{"notifications", Json::array({entry})}});
    return sinks ? std::string("fine") : sinks.error().message;
  };
  CHECK(why({{"name", "a"}, {"type", "Slack"}, {"url", "https://x"}}) == "fine");
  CHECK(why({{"name", "a"}, {"type", "Slack"}}) ==
        "notification a (slack) needs one of url and urlSecretRef");
  CHECK(why({{"name", "a"}, {"type", "Log"}, {"url", "https://x"}}) ==
        "notification a (log) has no address to send to");
  CHECK(why({{"name", "a"},
             {"type", "Slack"},
             {"url", "https://x"},
             {"signingSecretRef", {{"name", "s"}, {"key", "k"}}}}) ==
        "notification a (slack) is not signed: only a Webhook is");
}

TEST_CASE("sinks: kinds that are no texts are left out") {
  for (const Json& kinds : {Json(), Json("Cluster"), Json(7), Json::object()}) {
    CAPTURE(kinds.dump());
    const auto sinks =
        notify::read_sinks({{"notifications", Json::array({{{"name", "a"}, {"kinds", kinds}}})}});
    REQUIRE(sinks);
    CHECK(sinks->at(0).kinds.empty());
  }
  const auto sinks = notify::read_sinks(
      {{"notifications",
        Json::array({{{"name", "a"}, {"kinds", Json::array({"Cluster", 7, Json()})}}})}});
  REQUIRE(sinks);
  CHECK(sinks->at(0).kinds == std::set<std::string>{"Cluster"});
}
