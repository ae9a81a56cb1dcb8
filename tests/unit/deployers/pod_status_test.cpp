#include "pod/pod_status.hpp"

#include <doctest/doctest.h>

#include <kubist/util/duration.hpp>

using namespace kubist;
using namespace kubist::deployers;
using namespace std::chrono_literals;

namespace {

const TimePoint k_now{1'800'000'000s};

std::string ago(std::chrono::seconds age) { return util::format_time(k_now - age); }

/// A pod whose containers are in these states (null: no status yet).
Json pod(const Json& restore, const Json& collect, const Json& workload,
         std::string_view phase = "Running") {
  Json result{{"metadata", {{"name", "p"}, {"namespace", "n"}, {"creationTimestamp", ago(20s)}}},
              {"status",
               {{"phase", phase},
                {"startTime", ago(20s)},
                {"initContainerStatuses", Json::array()},
                {"containerStatuses", Json::array()}}}};
  const auto add = [&result](const char* list, const char* name, const Json& state) {
    if (!state.is_null()) {
      result["status"][list].push_back({{"name", name}, {"state", state}});
    }
  };
  add("initContainerStatuses", "restore", restore);
  add("initContainerStatuses", "collect", collect);
  add("containerStatuses", "workload", workload);
  return result;
}

Json ended(int code, std::string_view reason = "Completed", std::chrono::seconds age = 1s) {
  return {{"terminated", {{"exitCode", code}, {"reason", reason}, {"finishedAt", ago(age)}}}};
}
Json waits(std::string_view reason) {
  return {{"waiting", {{"reason", reason}, {"message", "why"}}}};
}
const Json k_running{{"running", Json::object()}};

state::Mark mark(std::string exports_error = "", std::string state_error = "") {
  return {"job", exports_error.empty() ? "abc" : "", std::move(exports_error), 1,
          std::move(state_error)};
}

Verdict judge(const Json& object, const std::optional<state::Mark>& own = {}) {
  return judge_pod(object, own, "job", Settings{}, k_now);
}

using State = Verdict::State;

}  // namespace

TEST_CASE("pod status: done needs the workload's end and the mark of this job") {
  const Json done = pod(ended(0), k_running, ended(0));
  CHECK(judge(done, mark()).state == State::succeeded);
  CHECK(judge(done).state == State::running);
  CHECK(judge(done).reason == "Collecting");
  state::Mark old = mark();
  old.job = "job before";
  CHECK(judge(done, old).state == State::running);
  CHECK(judge(pod(ended(0), k_running, k_running), mark()).state == State::running);
}

TEST_CASE("pod status: exit code, memory and signals are told") {
  const Verdict code = judge(pod(ended(0), k_running, ended(3, "Error")), mark());
  CHECK(code.state == State::failed);
  CHECK(code.reason == "WorkloadFailed");
  CHECK(code.message.find("code 3") != std::string::npos);
  CHECK(judge(pod(ended(0), k_running, ended(143, "Error")), mark()).message.find("signal 15") !=
        std::string::npos);
  CHECK(judge(pod(ended(0), k_running, ended(137, "OOMKilled")), mark()).reason == "OOMKilled");
}

TEST_CASE("pod status: a workload has started when it runs or has run, not before") {
  CHECK(workload_started(pod(ended(0), k_running, k_running)));
  CHECK(workload_started(pod(ended(0), k_running, ended(3, "Error"))));
  CHECK(workload_started(pod(ended(0), k_running, ended(137, "OOMKilled"))));
  CHECK_FALSE(workload_started(pod(ended(1), nullptr, waits("PodInitializing"))));
  CHECK_FALSE(workload_started(pod(ended(0), k_running, waits("ErrImagePull"))));
  CHECK_FALSE(workload_started(pod(ended(0), k_running, ended(128, "StartError"))));
  CHECK_FALSE(workload_started(pod(nullptr, nullptr, nullptr, "Pending")));
}

TEST_CASE("pod status: bad exports and unsaved state fail the job") {
  const Json done = pod(ended(0), ended(0), ended(0), "Succeeded");
  CHECK(judge(done, mark("exports:1:2: no")).reason == "InvalidExports");
  CHECK(judge(done, mark("", "too large")).reason == "StateNotSaved");
  CHECK(judge(done).reason == "NotCollected");
}

TEST_CASE("pod status: a sidecar that died without a mark is waited for no longer than its grace") {
  Json failed_sidecar = ended(1, "Error");
  failed_sidecar["terminated"]["message"] = "forbidden";
  const Verdict fresh = judge(pod(ended(0), failed_sidecar, ended(0, "Completed", 1s)));
  CHECK(fresh.state == State::running);
  REQUIRE(fresh.ask_again);
  const Verdict late = judge(pod(ended(0), failed_sidecar, ended(0, "Completed", 120s)));
  CHECK(late.state == State::failed);
  CHECK(late.message.find("forbidden") != std::string::npos);
}

TEST_CASE("pod status: faults that may mend themselves have a grace") {
  Json waiting = pod({}, {}, waits("ImagePullBackOff"), "Pending");
  const Verdict fresh = judge(waiting);
  CHECK(fresh.state == State::running);
  REQUIRE(fresh.ask_again);
  CHECK(*fresh.ask_again > 9s);
  CHECK(*fresh.ask_again < 11s);
  waiting["status"]["startTime"] = ago(31s);
  const Verdict late = judge(waiting);
  CHECK(late.state == State::failed);
  CHECK(late.reason == "ImagePullBackOff");
  CHECK(late.message.find("container workload") != std::string::npos);
  CHECK(judge(pod({}, {}, waits("CreateContainerConfigError"), "Pending")).state == State::failed);
  CHECK(judge(pod({}, {}, waits("InvalidImageName"), "Pending")).codes ==
        std::vector<std::string>{"ERR_CONFIGURATION_PROBLEM"});
  CHECK(judge(pod({}, {}, waits("PodInitializing"), "Pending")).state == State::running);
}

TEST_CASE("pod status: an image that cannot be pulled names the field to set") {
  Settings settings;
  settings.script_image = "r/shell:1";
  const auto told = [&](const Json& object) {
    return judge_pod(object, {}, "job", settings, k_now).message;
  };
  const auto has = [](const std::string& text, const char* word) {
    return text.find(word) != std::string::npos;
  };
  for (const char* why : {"ErrImagePull", "ImagePullBackOff", "InvalidImageName"}) {
    const std::string agents = told(pod(waits(why), {}, waits("PodInitializing"), "Pending"));
    CHECK_MESSAGE(has(agents, "spec.images.agent of the Root"), agents);
    CHECK_MESSAGE(has(agents, "kubist init --agent-image IMAGE"), agents);

    Json scripts = pod(ended(0), k_running, waits(why), "Pending");
    scripts["status"]["containerStatuses"][0]["image"] = "r/shell:1";
    CHECK_MESSAGE(has(told(scripts), "spec.images.script of the Root"), told(scripts));

    const std::string own = told(pod(ended(0), k_running, waits(why), "Pending"));
    CHECK_MESSAGE(has(own, "the item's field image"), own);
    CHECK_MESSAGE(has(own, "imagePullSecrets"), own);
  }
  const std::string other = told(pod({}, {}, waits("CreateContainerConfigError"), "Pending"));
  CHECK_MESSAGE(!has(other, "image"), other);
}

TEST_CASE("pod status: a pod that no node takes fails after its grace") {
  Json pending = pod({}, {}, {}, "Pending");
  pending["status"]["conditions"] = Json::array({{{"type", "PodScheduled"},
                                                  {"status", "False"},
                                                  {"reason", "Unschedulable"},
                                                  {"message", "0/1 nodes"},
                                                  {"lastTransitionTime", ago(10s)}}});
  CHECK(judge(pending).state == State::running);
  pending["status"]["conditions"][0]["lastTransitionTime"] = ago(121s);
  CHECK(judge(pending).reason == "Unschedulable");
}

namespace {

Json with_conditions(Json object, const Json& conditions) {
  for (const auto& [type, status] : conditions.items()) {
    object["status"]["conditions"].push_back({{"type", type}, {"status", status}});
  }
  return object;
}

}  // namespace

TEST_CASE("pod status: a lost node is told, and its pod waited for") {
  const Json alive = pod(ended(0), k_running, k_running);
  CHECK(judge(with_conditions(alive, {{"Ready", "True"}, {"ContainersReady", "True"}})).reason ==
        "Running");
  CHECK(judge(with_conditions(alive, {{"Ready", "False"}, {"ContainersReady", "False"}})).reason ==
        "Running");
  Json lost = with_conditions(alive, {{"Ready", "False"}, {"ContainersReady", "True"}});
  lost["spec"]["nodeName"] = "node7";
  const Verdict verdict = judge(lost);
  CHECK(verdict.state == State::running);
  CHECK(verdict.reason == "NodeLost");
  CHECK(verdict.message.find("node7") != std::string::npos);
}

TEST_CASE("pod status: a pod that is deleted or evicted says by whom") {
  Json deleted = pod(ended(0), k_running, k_running);
  deleted["metadata"]["deletionTimestamp"] = ago(0s);
  CHECK(judge(deleted).reason == "PodDeleted");
  CHECK(judge(deleted).state == State::running);
  Json over = pod(ended(0), ended(0), ended(143, "Error"), "Failed");
  over["metadata"]["deletionTimestamp"] = ago(0s);
  over["status"]["conditions"] = Json::array({{{"type", "DisruptionTarget"},
                                               {"status", "True"},
                                               {"reason", "PreemptionByScheduler"},
                                               {"message", "a pod of higher priority"}}});
  CHECK(judge(over, mark()).reason == "PodDeleted");
  CHECK(judge(over, mark()).message.find("PreemptionByScheduler") != std::string::npos);
  // It ended well before the deletion reached it.
  Json done = pod(ended(0), ended(0), ended(0), "Succeeded");
  done["metadata"]["deletionTimestamp"] = ago(0s);
  CHECK(judge(done, mark()).state == State::succeeded);

  Json evicted = pod(ended(0), ended(0), ended(137, "Error"), "Failed");
  evicted["status"]["reason"] = "Evicted";
  evicted["status"]["message"] = "The node was low on resource: memory.";
  CHECK(judge(evicted, mark()).reason == "Evicted");
  CHECK(judge(evicted, mark()).message.find("low on resource") != std::string::npos);
}

TEST_CASE("pod status: after its deadline the sidecar still gets to save the state") {
  Json late = pod(ended(0), k_running, k_running, "Failed");
  late["status"]["reason"] = "DeadlineExceeded";
  CHECK(judge(late).state == State::running);
  CHECK(judge(late, mark()).reason == "Timeout");
  CHECK(state_outcome(mark(), "job", Settings{}) == "its state was saved");
  CHECK(state_outcome(mark("", "too large"), "job", Settings{}).find("too large") !=
        std::string::npos);
  CHECK(state_outcome(mark(), "another", Settings{}).find("30 s of SIGTERM") != std::string::npos);
  CHECK(state_outcome({}, "job", Settings{}).find("the old one stays") != std::string::npos);
}

TEST_CASE("pod status: restore, deadline and eviction") {
  Json corrupt = ended(1, "Error");
  corrupt["terminated"]["message"] = "error: the state is corrupt";
  const Verdict restore = judge(pod(corrupt, {}, waits("PodInitializing"), "Pending"));
  CHECK(restore.reason == "RestoreFailed");
  CHECK(restore.message.find("corrupt") != std::string::npos);
  CHECK(restore.message.find("older kubist") == std::string::npos);
  const Verdict older = judge(pod(ended(64, "Error"), {}, waits("PodInitializing"), "Pending"));
  CHECK(older.reason == "RestoreFailed");
  CHECK(older.message.find("its image is of an older kubist") != std::string::npos);
  CHECK(older.message.find("kubist init --agent-image IMAGE") != std::string::npos);
  Json late = pod(ended(0), ended(0), ended(143, "Error"), "Failed");
  late["status"]["reason"] = "DeadlineExceeded";
  CHECK(judge(late, mark()).reason == "Timeout");
  Json evicted = pod({}, {}, {}, "Failed");
  evicted["status"]["reason"] = "Evicted";
  CHECK(judge(evicted).reason == "Evicted");
}
