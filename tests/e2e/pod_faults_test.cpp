#include <algorithm>
#include <thread>

#include <kubist/state/head.hpp>
#include <kubist/util/duration.hpp>

#include "stage.hpp"

// What goes wrong with pods, and how soon an item says so.
using namespace kubist;
using namespace kubist::deployers;
using namespace kubist::e2e;
using namespace std::chrono_literals;

namespace {

using Time = std::chrono::system_clock::time_point;

Time time_of(std::string_view text) {
  const auto time = util::parse_time(text);
  REQUIRE_MESSAGE(time, std::string(text));
  return *time;
}

/// When the API server took the last write of the status.
Time status_written(const Json& item) {
  Time last{};
  for (const Json& entry : item["metadata"]["managedFields"]) {
    if (data::string_at(entry, {"subresource"}) == "status") {
      last = std::max(last, time_of(data::string_at(entry, {"time"})));
    }
  }
  REQUIRE(last != Time{});
  return last;
}

/// When the API server was asked to delete the pod.
Time deletion_asked(const Json& pod) {
  return time_of(data::string_at(pod, {"metadata", "deletionTimestamp"})) -
         std::chrono::seconds(data::int_at(pod, {"metadata", "deletionGracePeriodSeconds"}));
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// An item that runs in a thread, while the test does something to its pod.
class Background {
 public:
  Background(Stage& stage, const std::string& name)
      : m_stage(stage), m_name(name), m_thread([this, &stage] {
          auto outcome = run_item(stage.world, stage.ns(), m_name);
          m_outcome = outcome ? *std::move(outcome) : ItemOutcome{};
          if (!outcome) {
            m_outcome.message = outcome.error().to_string();
          }
        }) {}
  /// The item as soon as its status says this.
  Json until(const std::function<bool(const Json& status)>& holds) {
    Json item;
    const bool held = it::eventually(
        [&] {
          item = m_stage.get(deploy_items(), m_name);
          return item.contains("status") && holds(item["status"]);
        },
        60);
    CHECK_MESSAGE(held, item.dump());
    return item;
  }
  std::string running_pod() {
    std::string pod;
    until([&](const Json& status) {
      pod = data::string_at(status, {"providerStatus", "pod"});
      return has(status.dump(), "waiting for the workload of");
    });
    return pod;
  }
  const ItemOutcome& end() {
    m_thread.join();
    MESSAGE(m_name << ": " << m_outcome.reason << ": " << m_outcome.message);
    return m_outcome;
  }

 private:
  Stage& m_stage;
  std::string m_name;
  ItemOutcome m_outcome;
  std::thread m_thread;
};

}  // namespace

TEST_CASE("faults: images, configuration and memory are told by name, soon") {
  Stage stage;
  stage.world.settings.graces.image = 3s;
  stage.world.settings.graces.config = 1s;
  const std::string undo = "exit 1";
  stage.make_item("image", "true",
                  {{"config", {{"image", "localhost/no-such-image:1"}, {"deleteScript", undo}}}});
  const Json missing{{"name", "A"},
                     {"valueFrom", {{"configMapKeyRef", {{"name", "nowhere"}, {"key", "k"}}}}}};
  stage.make_item("config", "true",
                  {{"config", {{"env", Json::array({missing})}, {"deleteScript", undo}}}});
  stage.make_item("memory", "x=0123456789abcdef; while :; do x=$x$x; done",
                  {{"config", {{"resources", {{"limits", {{"memory", "32Mi"}}}}}}}});
  stage.make_item("nowhere", "true",
                  {{"config", {{"nodeSelector", {{"moon", "yes"}}}, {"deleteScript", undo}}}});
  stage.world.settings.graces.unschedulable = 3s;
  Background image(stage, "image");
  Background config(stage, "config");
  Background memory(stage, "memory");
  Background nowhere(stage, "nowhere");
  const ItemOutcome& pulled = image.end();
  CHECK((pulled.reason == "ErrImagePull" || pulled.reason == "ImagePullBackOff"));
  CHECK(has(pulled.message, "no-such-image"));
  const ItemOutcome& wrong = config.end();
  CHECK(wrong.reason == "CreateContainerConfigError");
  CHECK(has(wrong.message, "nowhere"));
  CHECK(memory.end().reason == "OOMKilled");
  CHECK(nowhere.end().reason == "Unschedulable");

  // What never started has nothing to undo: it goes at once, whatever its deleteScript is.
  for (const std::string name : {"image", "config", "nowhere"}) {
    CAPTURE(name);
    REQUIRE(home()->run(kube::remove(deploy_items(), stage.ns(), name)));
    const auto removed = remove_item(stage.world, stage.ns(), name);
    REQUIRE_MESSAGE(removed, removed.error().to_string());
    CHECK_MESSAGE(removed->state == Progress::State::done, removed->message);
    CHECK_FALSE(home()->find(deploy_items(), stage.ns(), name).value().has_value());
  }
}

TEST_CASE("faults: a pod that somebody deletes is reported within 5 s, its state is saved") {
  Stage stage;
  stage.make_item("deleted", "echo kept > $STATE/x; echo written; sleep 600");
  Background item(stage, "deleted");
  const std::string pod = item.running_pod();
  REQUIRE(it::eventually([&] {
    const auto log = home()->run(
        kube::pod_log(stage.ns(), pod, {.container = std::string(k_workload_container)}));
    return log && has(log->body, "written");
  }));
  REQUIRE(home()->run(kube::remove(wk::pods(), stage.ns(), pod)));
  const Json deleted = stage.get(wk::pods(), pod);
  const Json told = item.until([](const Json& status) {
    return has(status.dump(), "PodDeleted") || status["phase"] == "Failed";
  });
  // 5 s on a machine that is not busy.
  CHECK(status_written(told) - deletion_asked(deleted) <= 20s);
  const ItemOutcome& outcome = item.end();
  CHECK(outcome.state == Progress::State::failed);
  CHECK(outcome.reason == "PodDeleted");
  const Item parsed = parse_item(stage.get(deploy_items(), "deleted")).value();
  const Json secret = stage.get(wk::secrets(), pod_names(parsed, "").state_secret);
  CHECK(state::head_of_secret(secret)->generation == 1);
}

TEST_CASE("faults: a timeout names the step and saves the state of what heeds SIGTERM") {
  Stage stage;
  stage.world.settings.termination_grace = 15s;  // to save the state in
  Stage short_of_time;
  short_of_time.world.settings.termination_grace = 4s;
  // Long enough for three pods at once to start on a slow machine.
  const std::string timeout = "20s";
  stage.make_item("script", "echo kept > $STATE/x; sleep 600", {{"timeout", timeout}});
  short_of_time.make_item("deaf", "trap '' TERM; echo lost > $STATE/x; while :; do sleep 1; done",
                          {{"timeout", timeout}});
  stage.make(
      deploy_items(),
      {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
       {"kind", "DeployItem"},
       {"metadata", {{"name", "container"}, {"namespace", stage.ns()}}},
       {"spec",
        {{"type", "kubist.io/container"},
         {"timeout", timeout},
         {"config",
          {{"image", "localhost/busybox:1"},
           {"command", Json::array({"/bin/sh", "-c",
                                    "trap 'echo end > $STATE/y; exit 0' TERM; "
                                    "echo kept > $STATE/x; while :; do sleep 1; done"})}}}}}});
  const auto generation = [](Stage& of, const std::string& name) {
    const Item item = parse_item(of.get(deploy_items(), name)).value();
    return state::head_of_secret(of.get(wk::secrets(), pod_names(item, "").state_secret))
        ->generation;
  };
  Background script(stage, "script");
  Background container(stage, "container");
  Background deaf(short_of_time, "deaf");
  for (Background* each : {&script, &container}) {
    const ItemOutcome& late = each->end();
    CHECK(late.reason == "Timeout");
    CHECK(has(late.message, "waiting for the workload of"));
    CHECK(has(late.message, "its state was saved"));
  }
  CHECK(generation(stage, "script") == 1);
  CHECK(generation(stage, "container") == 1);
  const ItemOutcome& killed = deaf.end();
  CHECK(killed.reason == "Timeout");
  CHECK(has(killed.message, "SIGTERM"));
  CHECK(has(killed.message, "the old one stays"));
  CHECK(generation(short_of_time, "deaf") == 0);
  CHECK(home()->list(wk::pods(), stage.ns())->items.empty());
  CHECK(home()->list(wk::pods(), short_of_time.ns())->items.empty());
}

TEST_CASE("faults: under the restricted profile, with an account of its own, at home") {
  Stage stage;
  REQUIRE(home()->run(kube::patch(wk::namespaces(), "", stage.ns(), kube::PatchType::merge,
                                  {{"metadata",
                                    {{"labels",
                                      {{"pod-security.kubernetes.io/enforce", "restricted"},
                                       {"istio-injection", "enabled"}}}}}})));
  stage.make(wk::service_accounts(), {{"apiVersion", "v1"},
                                      {"kind", "ServiceAccount"},
                                      {"metadata", {{"name", "tool"}, {"namespace", stage.ns()}}}});
  const std::string script =
      "echo kept > $STATE/x; t=/var/run/secrets/kubernetes.io/serviceaccount\n"
      "cut -d. -f2 $t/token | tr '_-' '/+' | base64 -d 2> /dev/null | grep -o '\"sub\":\"[^\"]*\"' "
      "| "
      "sed 's/\"sub\":/sub: /' > $EXPORT_PATH; test -s $t/ca.crt";
  Json spec{{"target", {{"name", "elsewhere"}}},
            {"config",
             {{"placement", "Home"},
              {"serviceAccountName", "tool"},
              {"securityContext", {{"runAsUser", 1000}, {"runAsGroup", 1000}}}}}};
  stage.make_item("user", script, spec);
  CHECK(stage.run("user").reason == "AccountNotAllowed");
  stage.world.place_of = [&stage](const std::string& ns, const std::string& target) {
    REQUIRE(target.empty());  // placement: Home
    return Place{.client = stage.world.home, .ns = ns, .grants = {.accounts = {"to*"}}};
  };
  REQUIRE(stage.run("user").state == Progress::State::done);
  CHECK(has(stage.secret("user-export", "config"), stage.ns() + ":tool"));
  const Item item = parse_item(stage.get(deploy_items(), "user")).value();
  CHECK(state::head_of_secret(stage.get(wk::secrets(), pod_names(item, "").state_secret))
            ->generation == 1);
  CHECK_FALSE(
      home()->find(wk::secrets(), stage.ns(), pod_names(item, "").token_secret)->has_value());
  spec["config"]["serviceAccountName"] = "tortoise";
  stage.make_item("nobody", "true", spec);
  CHECK(stage.run("nobody").reason == "AccountNotFound");
}
