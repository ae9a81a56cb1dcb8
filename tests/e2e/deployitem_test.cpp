#include "stage.hpp"

using namespace kubist;
using namespace kubist::deployers;
using namespace kubist::e2e;
using namespace std::chrono_literals;

namespace {

constexpr const char* k_counting_script = R"sh(
n=$(cat "$STATE/n" 2>/dev/null || echo 0); n=$((n+1)); echo $n > "$STATE/n"
test -x "$STATE/tool" || { printf '#!/bin/sh\necho tool\n' > "$STATE/tool"; chmod 755 "$STATE/tool"; }
"$STATE/tool"
ls -la "$CONTENT_PATH" > /dev/null
cat "$IMPORTS_PATH"; echo
echo "operation $OPERATION run $n target $(cat "$TARGET_PATH")"
test "$EXPORT_PATH" = "$EXPORTS_PATH" && test "$STATE" = "$STATE_PATH"
test ! -e /var/run/secrets/kubernetes.io/serviceaccount/token
printf 'count: %s\nsecret: the-secret-%s\n' $n $n > "$EXPORT_PATH"
)sh";

}  // namespace

TEST_CASE("deployitem: imports go in, exports come home, state stays over two runs") {
  Stage stage;
  stage.make(wk::secrets(), {{"apiVersion", "v1"},
                             {"kind", "Secret"},
                             {"metadata", {{"name", "in"}, {"namespace", stage.ns()}}},
                             {"stringData", {{"abc", "who: imported-world\n"}}}});
  stage.make_item("count", k_counting_script,
                  {{"import", {{"secretRef", {{"name", "in"}, {"key", "abc"}}}}},
                   {"exports", Json::array({{{"name", "count"}, {"public", true}}})}});
  const ItemOutcome first = stage.run("count");
  REQUIRE(first.state == Progress::State::done);
  CHECK(first.phase == "Succeeded");
  CHECK(stage.secret("count-export", "config") == R"({"count":1,"secret":"the-secret-1"})");
  const Json status = stage.get(deploy_items(), "count")["status"];
  CHECK(status["jobID"] == status["jobIDFinished"]);
  CHECK(status["exports"]["value"] == Json{{"count", 1}});
  CHECK(status["exportGeneration"] == 1);
  CHECK(status["exportRef"]["name"] == "count-export");
  // Known values do not stay in the kept log, the rest does.
  CHECK(stage.log("count").find("imported-world") == std::string::npos);
  CHECK(stage.log("count").find("operation RECONCILE run 1 target null") != std::string::npos);

  stage.take_writes();
  CHECK_FALSE(stage.run("count").ran);
  CHECK(stage.take_writes() == 0);

  const ItemOutcome second = stage.run("count", {.force = true});
  REQUIRE(second.state == Progress::State::done);
  CHECK(stage.secret("count-export", "config") == R"({"count":2,"secret":"the-secret-2"})");
  CHECK(stage.get(deploy_items(), "count")["status"]["exportGeneration"] == 2);
  CHECK(stage.log("count").find("tool") != std::string::npos);  // its mode came back

  // Deletion runs the workload once more, and leaves nothing.
  REQUIRE(home()->run(kube::remove(deploy_items(), stage.ns(), "count")));
  auto removed = remove_item(stage.world, stage.ns(), "count");
  REQUIRE_MESSAGE(removed, removed.error().to_string());
  CHECK_MESSAGE(removed->state == Progress::State::done, removed->message);
  CHECK_FALSE(home()->find(deploy_items(), stage.ns(), "count").value().has_value());
  CHECK(home()->list(wk::pods(), stage.ns())->items.empty());
  CHECK(home()->list(wk::roles(), stage.ns())->items.empty());
}

TEST_CASE("deployitem: a failing script tells its exit code and log; old exports stay") {
  Stage stage;
  stage.make_item("fails",
                  "test -e $STATE/x || { touch $STATE/x; echo 'a: 1' > $EXPORT_PATH; exit 0; }\n"
                  "echo 'a: 2' > $EXPORT_PATH; echo reason on stderr >&2; exit 3");
  REQUIRE(stage.run("fails").state == Progress::State::done);
  const ItemOutcome failed = stage.run("fails", {.force = true});
  CHECK(failed.state == Progress::State::failed);
  CHECK(failed.phase == "Failed");
  CHECK(failed.message.find("exited with code 3") != std::string::npos);
  CHECK(failed.message.find("reason on stderr") != std::string::npos);
  const Json status = stage.get(deploy_items(), "fails")["status"];
  CHECK(status["lastError"]["reason"] == "WorkloadFailed");
  CHECK(status["jobID"] == status["jobIDFinished"]);
  CHECK(stage.secret("fails-export", "config") == R"({"a":1})");
  CHECK(status["exportGeneration"] == 1);
}

TEST_CASE("deployitem: bad exports fail with line and column, and no value") {
  Stage stage;
  stage.make_item("bad", "printf '{\"a\": 1,\\n \"b\": hunter22 }' > $EXPORT_PATH");
  const ItemOutcome outcome = stage.run("bad");
  CHECK(outcome.state == Progress::State::failed);
  CHECK(outcome.reason == "InvalidExports");
  CHECK(outcome.message.find("exports:2:7") != std::string::npos);
  CHECK(outcome.message.find("hunter22") == std::string::npos);

  stage.make_item("schema", "echo 'port: text' > $EXPORT_PATH",
                  {{"exportSchema",
                    Json::parse(R"({"type":"object","properties":{"port":{"type":"integer"}}})")}});
  const ItemOutcome schema = stage.run("schema");
  CHECK(schema.reason == "InvalidExports");
  CHECK(schema.message.find("port") != std::string::npos);
  CHECK(schema.message.find("text") == std::string::npos);
}

TEST_CASE("deployitem: the sidecar's token reads its own two Secrets and nothing else") {
  Stage stage;
  stage.make_item("narrow", "echo 'a: 1' > $EXPORT_PATH");
  REQUIRE(stage.run("narrow").state == Progress::State::done);
  const Json item = stage.get(deploy_items(), "narrow");
  const PodNames names = pod_names(parse_item(item).value(), "");
  const auto token = home()->json(
      kube::create_subresource(wk::service_accounts(), stage.ns(), names.agent, "token",
                               {{"apiVersion", "authentication.k8s.io/v1"},
                                {"kind", "TokenRequest"},
                                {"spec", Json::object()}}));
  REQUIRE_MESSAGE(token, token.error().to_string());
  auto access = kube::find_access({}, kube::process_environment());
  REQUIRE(access);
  access->auth = {};
  access->auth.token = util::Secret(std::string(data::string_at(*token, {"status", "token"})));
  const auto agent = kube::Client::connect(*access).value();
  CHECK(agent->run(kube::get(wk::secrets(), stage.ns(), names.export_secret)).has_value());
  CHECK(agent->run(kube::get(wk::secrets(), stage.ns(), names.state_secret)).has_value());
  for (const std::string& other : {names.input_secret, std::string("narrow-export")}) {
    const auto refused = agent->run(kube::get(wk::secrets(), stage.ns(), other));
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().kind == util::ErrorKind::forbidden);
  }
  CHECK_FALSE(agent->list(wk::secrets(), stage.ns()).has_value());
  CHECK_FALSE(agent->list(wk::pods(), stage.ns()).has_value());
}

TEST_CASE("deployitem: a pod that somebody deletes, and one that takes too long") {
  Stage stage;
  stage.make_item("slow", "echo kept > $STATE/x; sleep 600", {{"timeout", "6s"}});
  const auto begin = std::chrono::steady_clock::now();
  const ItemOutcome late = stage.run("slow");
  CHECK(late.reason == "Timeout");
  CHECK(std::chrono::steady_clock::now() - begin < 30s);
  CHECK(home()->list(wk::pods(), stage.ns())->items.empty());

  stage.make_item("gone", "sleep 600");
  const ItemOutcome started = stage.run("gone", {.wait = false});
  CHECK(started.state == Progress::State::running);
  const std::string pod(data::string_at(started.item, {"status", "providerStatus", "pod"}));
  kube::DeleteOptions now;
  now.grace_seconds = 0;
  REQUIRE(home()->run(kube::remove(wk::pods(), stage.ns(), pod, now)));
  const ItemOutcome gone = stage.run("gone");
  CHECK(gone.state == Progress::State::failed);
  CHECK(gone.reason == "PodVanished");
}

TEST_CASE("deployitem: configuration errors end at once and start no pod") {
  Stage stage;
  stage.make_item("host", "true", {{"config", {{"hostNetwork", true}}}});
  const ItemOutcome host = stage.run("host");
  CHECK(host.state == Progress::State::failed);
  CHECK(host.message.find("hostNetwork") != std::string::npos);
  stage.make_item("missing", "true", {{"import", {{"secretRef", {{"name", "nothing"}}}}}});
  CHECK(stage.run("missing").reason == "ImportNotFound");
  stage.make_item("first", "echo 'a: 1' > $EXPORT_PATH");
  REQUIRE(stage.run("first").state == Progress::State::done);
  // kubist's own Secrets are nobody's import.
  stage.make_item("thief", "true", {{"import", {{"secretRef", {{"name", "first-logs"}}}}}});
  CHECK(stage.run("thief").reason == "SecretNotAllowed");
  // Nor are those that give access to a cluster.
  stage.make(wk::secrets(), {{"apiVersion", "v1"},
                             {"kind", "Secret"},
                             {"metadata",
                              {{"name", "kubeconfig"},
                               {"namespace", stage.ns()},
                               {"finalizers", Json::array({"kubist.io/in-use"})}}},
                             {"stringData", {{"value", "password: key-to-a-cluster"}}}});
  stage.make_item("burglar", "true", {{"import", {{"secretRef", {{"name", "kubeconfig"}}}}}});
  CHECK(stage.run("burglar").reason == "SecretNotAllowed");
  const Json execution = stage.make(
      executions(),
      {{"apiVersion", "kubist.io/v1alpha1"},
       {"kind", "Execution"},
       {"metadata", {{"name", "burglary"}, {"namespace", stage.ns()}}},
       {"spec",
        {{"imports", Json::array({{{"name", "key"},
                                   {"secretRef", {{"name", "kubeconfig"}, {"key", "value"}}}}})},
         {"items", Json::array({{{"name", "one"}, {"type", "Script"}, {"script", "true"}}})}}}});
  const auto burglary =
      run_execution(stage.world, {.object = execution, .spec = execution["spec"]});
  CHECK((burglary ? burglary->reason : burglary.error().reason) == "SecretNotAllowed");
  REQUIRE(home()->run(kube::patch(wk::secrets(), stage.ns(), "kubeconfig", kube::PatchType::merge,
                                  {{"metadata", {{"finalizers", nullptr}}}})));
  stage.make_item("image", "true", {{"config", {{"image", "NOT A NAME"}}}});
  CHECK(stage.run("image").reason == "InvalidImageName");
}

TEST_CASE("execution: a script item becomes a DeployItem, its export comes back") {
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
