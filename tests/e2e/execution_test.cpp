#include "stage.hpp"

using namespace kubist;
using namespace kubist::deployers;
using namespace kubist::e2e;

TEST_CASE("execution: a script item becomes a DeployItem, its export comes back" *
          doctest::description("seed 2.1, 2.2: a script becomes a DeployItem")) {
  Stage stage;
  const Json execution = stage.make(executions(), Json::parse(R"({
    "apiVersion": "kubist.io/v1alpha1", "kind": "Execution",
    "metadata": {"name": "hello", "namespace": ")" + stage.ns() +
                                                              R"("},
    "spec": {"imports": [{"name": "who", "value": "world"}],
             "items": [{"name": "greet", "type": "Script", "script":
               "who=$(sed 's/.*\"who\": *\"\\([^\"]*\\)\".*/\\1/' \"$IMPORTS_PATH\"); echo \"{\\\"greeting\\\": \\\"hello $who\\\"}\" > $EXPORT_PATH"}],
             "exports": [{"name": "greeting", "item": "greet", "public": true}]}})"));
  const ExecutionInput input{.object = execution, .spec = execution["spec"]};
  const auto outcome = run_execution(stage.world, input);
  REQUIRE_MESSAGE(outcome, outcome.error().to_string());
  CHECK_MESSAGE(outcome->state == ExecutionOutcome::State::ready, outcome->message);
  CHECK(outcome->status["progress"] == "1/1");
  CHECK(outcome->status["exports"]["value"] == Json{{"greeting", "hello world"}});
  CHECK(stage.secret("hello-exports", "config") == R"({"greeting":"hello world"})");
  CHECK(stage.get(deploy_items(), "hello-greet")["spec"]["type"] == "kubist.io/script");

  stage.take_writes();
  const auto again = run_execution(stage.world, input);
  REQUIRE(again);
  CHECK(again->status == outcome->status);
  CHECK(stage.take_writes() == 0);

  const auto removed = remove_execution(stage.world, input);
  REQUIRE_MESSAGE(removed, removed.error().to_string());
  CHECK(removed->state == ExecutionOutcome::State::ready);
  CHECK(home()->list(deploy_items(), stage.ns())->items.empty());
}

TEST_CASE("execution: an item runs after those it depends on have succeeded, else not at all") {
  Stage stage;
  const std::string time =
      R"("script": "sleep 2; echo \"{\\\"at\\\": $(date +%s)}\" > $EXPORT_PATH")";
  const Json execution = stage.make(executions(), Json::parse(R"({
    "apiVersion": "kubist.io/v1alpha1", "kind": "Execution",
    "metadata": {"name": "order", "namespace": ")" + stage.ns() +
                                                              R"("},
    "spec": {"items": [
               {"name": "late", "type": "Script", "dependsOn": ["early"], )" +
                                                              time + R"(},
               {"name": "early", "type": "Script", )" + time + R"(},
               {"name": "never", "type": "Script", "dependsOn": ["late", "broken"], )" +
                                                              time + R"(},
               {"name": "broken", "type": "Script", "script": "exit 3"}]}})"));
  const auto outcome = run_execution(stage.world, {.object = execution, .spec = execution["spec"]});
  REQUIRE_MESSAGE(outcome, outcome.error().to_string());
  CHECK(outcome->state == ExecutionOutcome::State::failed);
  CHECK_MESSAGE(outcome->message.starts_with("item broken: "), outcome->message);
  CHECK(outcome->status["progress"] == "2/4");
  CHECK(outcome->status["items"][2]["message"] == "waits for item broken");
  const auto at = [&](const std::string& item) {
    return Json::parse(stage.secret("order-" + item + "-export", "config"))["at"].get<long>();
  };
  CHECK(at("late") >= at("early") + 2);
  CHECK(!stage.get(deploy_items(), "order-never").contains("status"));
}
