#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/base64.hpp>

#include "stage.hpp"

using namespace kubist;
using namespace kubist::deployers;
using stage::Stage;

TEST_CASE("mock item: upstream's type ends as it says, and goes") {
  Stage stage;
  stage.make_item("ok", "landscaper.gardener.cloud/mock",
                  {{"apiVersion", "mock.deployer.landscaper.gardener.cloud/v1alpha1"},
                   {"kind", "ProviderConfiguration"},
                   {"phase", "Succeeded"},
                   {"delay", "300ms"},
                   {"providerStatus", {{"note", "x"}}},
                   {"export", {{"answer", 42}}}},
                  {{"exports", {{{"name", "answer"}, {"public", true}}}}});
  CHECK(stage.run("ok").phase == "Succeeded");
  CHECK(stage.exports("ok") == Json{{"answer", 42}});
  const Json status = stage.item("ok")["status"];
  CHECK(status["exports"]["value"] == Json{{"answer", 42}});
  CHECK(status["providerStatus"]["note"] == "x");
  CHECK_FALSE(stage.run("ok").ran);
  CHECK(stage.remove("ok").state == Progress::State::done);
  CHECK_FALSE(stage::home()->find(deploy_items(), stage.ns(), "ok").value());
}

TEST_CASE("mock item: its exports go where it asks, and never into somebody else's Secret") {
  Stage stage;
  const auto ask = [&](const Json& ref) {  // null takes a field of the former away
    REQUIRE(stage::home()->run(kube::patch(deploy_items(), stage.ns(), "ok", kube::PatchType::merge,
                                           {{"spec", {{"export", {{"secretRef", ref}}}}}})));
  };
  const auto secret = [&](const char* name) {
    return stage::home()->find(kube::well_known::secrets(), stage.ns(), name).value();
  };
  stage.make_item("ok", "kubist.io/mock", {{"export", {{"answer", 42}}}},
                  {{"export", {{"secretRef", {{"name", "secret-item3-exp"}, {"key", "abc"}}}}}});
  CHECK(stage.run("ok").phase == "Succeeded");
  REQUIRE(secret("secret-item3-exp"));
  CHECK((*secret("secret-item3-exp"))["data"] ==
        Json{{"abc", util::base64_encode(R"({"answer":42})")}});
  CHECK(!secret("ok-export"));
  const Json ref{{"name", "secret-item3-exp"}, {"key", "abc"}};
  CHECK(stage.item("ok")["status"]["exports"]["secretRef"] == ref);
  CHECK_FALSE(stage.run("ok").ran);

  ask({{"name", "renamed"}, {"key", nullptr}});
  CHECK(stage.run("ok").ran);
  REQUIRE(secret("renamed"));
  CHECK((*secret("renamed"))["data"].contains("config"));
  CHECK(!secret("secret-item3-exp"));

  // Somebody else's stays as it is, and so does a name that kubist gives another item.
  REQUIRE(stage::home()->json(kube::create(
      kube::well_known::secrets(), {{"apiVersion", "v1"},
                                    {"kind", "Secret"},
                                    {"metadata", {{"name", "theirs"}, {"namespace", stage.ns()}}},
                                    {"data", {{"config", "eA=="}}}})));
  ask({{"name", "theirs"}});
  CHECK(stage.run("ok").reason == "NameTaken");
  CHECK((*secret("theirs"))["data"] == Json{{"config", "eA=="}});
  ask({{"name", "db-export"}});
  CHECK(stage.run("ok").reason == "SecretNotAllowed");
  CHECK(!secret("db-export"));
}

TEST_CASE("mock item: failure and timeout") {
  Stage stage;
  stage.make_item("bad", "mock", {{"phase", "Failed"}, {"message", "no luck"}});
  const auto bad = stage.run("bad");
  CHECK(bad.phase == "Failed");
  CHECK(stage.item("bad")["status"]["lastError"]["message"] == "no luck");
  stage.make_item("slow", "kubist.io/mock", {{"phase", "Progressing"}}, {{"timeout", "10s"}});
  const auto slow = stage.run("slow");
  CHECK(slow.reason == "Timeout");
  CHECK(slow.message.find("keeps it in phase Progressing") != std::string::npos);
  stage.make_item("short", "kubist.io/mock", {{"phase", "Succeeded"}, {"delay", "300ms"}},
                  {{"timeout", "20s"}});
  CHECK(stage.run("short").phase == "Succeeded");
}
