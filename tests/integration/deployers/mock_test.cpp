#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>

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

TEST_CASE("mock item: failure and timeout") {
  Stage stage;
  stage.make_item("bad", "mock", {{"phase", "Failed"}, {"message", "no luck"}});
  const auto bad = stage.run("bad");
  CHECK(bad.phase == "Failed");
  CHECK(stage.item("bad")["status"]["lastError"]["message"] == "no luck");
  stage.make_item("slow", "kubist.io/mock", {{"phase", "Progressing"}}, {{"timeout", "3s"}});
  const auto slow = stage.run("slow");
  CHECK(slow.reason == "Timeout");
  CHECK(slow.message.find("keeps it in phase Progressing") != std::string::npos);
  stage.make_item("short", "kubist.io/mock", {{"phase", "Succeeded"}, {"delay", "300ms"}},
                  {{"timeout", "1s"}});
  CHECK(stage.run("short").phase == "Succeeded");
}
