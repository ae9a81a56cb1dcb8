#include <set>

#include <kubist/state/head.hpp>
#include <kubist/util/duration.hpp>

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

namespace {

/// Deletes the item; how many pods that made.
int pods_of_removal(Stage& stage, const std::string& name) {
  std::atomic<int> pods = 0;
  World world = stage.world;
  world.writer = kube::Writer(kube::Writer::Rules{.told = [&pods](const kube::Write& write) {
    pods += write.verb == "create" && write.object.find(" Pod/") != std::string::npos ? 1 : 0;
  }});
  REQUIRE(home()->run(kube::remove(deploy_items(), stage.ns(), name)));
  const auto removed = remove_item(world, stage.ns(), name);
  REQUIRE_MESSAGE(removed, removed.error().to_string());
  CHECK_MESSAGE(removed->state == Progress::State::done, removed->message);
  CHECK_FALSE(home()->find(deploy_items(), stage.ns(), name).value().has_value());
  return pods;
}

}  // namespace

TEST_CASE("deployitem: imports go in, exports come home, state stays over two runs" *
          doctest::description("seed 2.5, 2.6, 2.7, 2.8, 2.14: imports, exports and state")) {
  Stage stage;
  const auto roles = [&stage] { return home()->list(wk::roles(), stage.ns())->items.size(); };
  const std::size_t of_caller = roles();
  stage.make(wk::secrets(), {{"apiVersion", "v1"},
                             {"kind", "Secret"},
                             {"metadata", {{"name", "in"}, {"namespace", stage.ns()}}},
                             {"stringData", {{"abc", "who: imported-world\n"}}}});
  stage.make_item(
      "count", k_counting_script,
      {{"import", {{"secretRef", {{"name", "in"}, {"key", "abc"}}}}},
       {"config",
        {{"deleteScript",
          "test $OPERATION = DELETE; test $(cat $STATE/n) = 2; grep who $IMPORTS_PATH"}}},
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

  // Deletion runs the deleteScript, with imports and state, and leaves nothing.
  CHECK(pods_of_removal(stage, "count") == 1);
  CHECK_FALSE(home()->find(deploy_items(), stage.ns(), "count").value().has_value());
  CHECK(home()->list(wk::pods(), stage.ns())->items.empty());
  CHECK(roles() == of_caller);
}

TEST_CASE("deployitem: deletion runs no script twice, and containers only where they want it") {
  Stage stage;
  const auto container = [&](const std::string& name, Json more) {
    Json config{{"image", "localhost/busybox:1"},
                {"command", {"sh", "-c", "test -e $STATE/x || touch $STATE/x; echo $OPERATION"}}};
    config.update(more);
    stage.make(deploy_items(), {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                                {"kind", "DeployItem"},
                                {"metadata", {{"name", name}, {"namespace", stage.ns()}}},
                                {"spec", {{"type", "kubist.io/container"}, {"config", config}}}});
  };
  stage.make_item("script", "test $OPERATION = RECONCILE");
  container("runs", Json::object());
  container("skips", {{"onDelete", "Skip"}});
  for (const auto& [name, pods] : {std::pair("script", 0), {"runs", 1}, {"skips", 0}}) {
    CAPTURE(name);
    REQUIRE(stage.run(name).state == Progress::State::done);
    CHECK(pods_of_removal(stage, name) == pods);
  }
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

namespace {

/// A client that is nobody but this ServiceAccount.
std::shared_ptr<kube::Client> client_of(const std::string& ns, const std::string& account) {
  const auto token =
      home()->json(kube::create_subresource(wk::service_accounts(), ns, account, "token",
                                            {{"apiVersion", "authentication.k8s.io/v1"},
                                             {"kind", "TokenRequest"},
                                             {"spec", Json::object()}}));
  REQUIRE_MESSAGE(token, token.error().to_string());
  auto access = kube::find_access({}, kube::process_environment());
  REQUIRE(access);
  access->auth = {};
  access->auth.token = util::Secret(std::string(data::string_at(*token, {"status", "token"})));
  return kube::Client::connect(*access).value();
}

/// What the API server says that a client may do with objects, but for asking who it is.
Json allowed_to(kube::Client& client, const std::string& ns) {
  const auto reviews = kube::make_resource("authorization.k8s.io", "v1", "SelfSubjectRulesReview",
                                           "selfsubjectrulesreviews", false);
  const auto review = client.json(kube::create(reviews, {{"apiVersion", "authorization.k8s.io/v1"},
                                                         {"kind", "SelfSubjectRulesReview"},
                                                         {"spec", {{"namespace", ns}}}}));
  REQUIRE_MESSAGE(review, review.error().to_string());
  Json rules = Json::array();
  for (const Json& rule : (*review)["status"]["resourceRules"]) {
    if (rule["apiGroups"] != Json::array({"authorization.k8s.io"}) &&
        rule["apiGroups"] != Json::array({"authentication.k8s.io"})) {
      rules.push_back(rule);
    }
  }
  return rules;
}

const Json k_touch{{"metadata", {{"annotations", {{"touched", "by the agent"}}}}}};

}  // namespace

TEST_CASE("deployitem: with the sidecar's token its own Secrets can be used, and nothing else") {
  Stage stage;
  const std::string& ns = stage.ns();
  const Json limit{{"config", {{"state", {{"limit", "2Mi"}}}}}};
  stage.make_item("narrow", "echo 'a: 1' > $EXPORT_PATH", limit);
  stage.make_item("other", "echo 'a: 1' > $EXPORT_PATH", limit);
  stage.make(wk::secrets(), {{"apiVersion", "v1"},
                             {"kind", "Secret"},
                             {"metadata", {{"name", "users"}, {"namespace", ns}}}});
  REQUIRE(stage.run("narrow").state == Progress::State::done);
  REQUIRE(stage.run("other").state == Progress::State::done);
  const auto names_of = [&](const char* item) {
    return pod_names(parse_item(stage.get(deploy_items(), item)).value(), "");
  };
  const auto secrets_of = [](const PodNames& names) {
    std::vector<std::string> all{names.export_secret, names.state_secret};
    for (std::string& chunk : state::chunk_names(names.state_secret, std::size_t{2} << 20U)) {
      all.push_back(std::move(chunk));
    }
    return all;
  };
  const PodNames names = names_of("narrow");
  const auto agent = client_of(ns, names.agent);
  const auto own = secrets_of(names);
  CHECK(own.size() > 4);

  const Json rules = allowed_to(*agent, ns);
  REQUIRE_MESSAGE(rules.size() == 1, rules.dump());
  CHECK(rules[0]["apiGroups"] == Json::array({""}));
  CHECK(rules[0]["resources"] == Json::array({"secrets"}));
  CHECK(rules[0]["verbs"] == Json{"get", "update", "patch"});
  CHECK(rules[0]["resourceNames"].get<std::set<std::string>>() ==
        std::set<std::string>(own.begin(), own.end()));
  CHECK(allowed_to(*agent, "default").empty());

  for (const std::string& name : own) {
    const auto secret = agent->json(kube::get(wk::secrets(), ns, name));
    REQUIRE_MESSAGE(secret, secret.error().to_string());
    CHECK(agent->run(kube::replace(wk::secrets(), *secret)));
    CHECK(agent->run(kube::patch(wk::secrets(), ns, name, kube::PatchType::merge, k_touch)));
  }

  const auto check_refused = [&](const kube::ApiCall& call) {
    const auto refused = agent->run(call);
    REQUIRE_MESSAGE(!refused, call.method, ' ', call.path);
    CHECK_MESSAGE(refused.error().kind == util::ErrorKind::forbidden, refused.error().to_string());
  };
  const auto check_untouchable = [&](const kube::ApiResource& resource, const std::string& name) {
    Json object = stage.get(resource, name);
    check_refused(kube::get(resource, ns, name));
    check_refused(kube::patch(resource, ns, name, kube::PatchType::merge, k_touch));
    check_refused(kube::replace(resource, object));
    check_refused(kube::remove(resource, ns, name));
    object["metadata"] = {{"name", name + "-copy"}, {"namespace", ns}};
    check_refused(kube::create(resource, object));
    CHECK_FALSE(agent->list(resource, ns));
    CHECK_FALSE(agent->list(resource, ""));
  };
  for (const std::string& name : own) {
    check_refused(kube::remove(wk::secrets(), ns, name));
  }
  auto others = secrets_of(names_of("other"));
  others.insert(others.end(), {names.input_secret, home_export_name("narrow"),
                               home_logs_name("narrow"), "users"});
  for (const std::string& name : others) {
    check_untouchable(wk::secrets(), name);
  }
  stage.make(
      wk::pods(),
      {{"apiVersion", "v1"},
       {"kind", "Pod"},
       {"metadata", {{"name", "plain"}, {"namespace", ns}}},
       {"spec", {{"containers", Json::array({{{"name", "c"}, {"image", "localhost/pause:1"}}})}}}});
  check_untouchable(wk::pods(), "plain");
  check_refused(kube::pod_log(ns, "plain", {}));
  check_untouchable(wk::config_maps(), "kube-root-ca.crt");
  check_untouchable(deploy_items(), "narrow");
  check_refused(kube::patch(deploy_items(), ns, "narrow", kube::PatchType::merge,
                            {{"status", {{"phase", "Succeeded"}}}}, {.subresource = "status"}));
  check_untouchable(wk::service_accounts(), names.agent);
  check_refused(kube::create_subresource(wk::service_accounts(), ns, names.agent, "token",
                                         {{"apiVersion", "authentication.k8s.io/v1"},
                                          {"kind", "TokenRequest"},
                                          {"spec", Json::object()}}));
  check_untouchable(wk::roles(), names.agent);
  check_untouchable(wk::role_bindings(), names.agent);
}

TEST_CASE("deployitem: a pod that somebody deletes, and one that takes too long") {
  Stage stage;
  stage.make_item("slow", "echo kept > $STATE/x; sleep 600", {{"timeout", "6s"}});
  const ItemOutcome late = stage.run("slow");
  CHECK(late.reason == "Timeout");
  // What ended it were its 6 s, not the usual 10 minutes.
  const auto time = [&](std::initializer_list<std::string_view> path) {
    const auto at = util::parse_time(data::string_at(late.item, path));
    REQUIRE_MESSAGE(at, late.item.dump());
    return *at;
  };
  CHECK(time({"status", "lastError", "lastUpdateTime"}) -
            time({"status", "transitionTimes", "initTime"}) <
        Item{}.timeout.value() / 2);
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
