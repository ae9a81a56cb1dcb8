// `logs` prints what kubectl's prints.
#include <algorithm>
#include <atomic>
#include <regex>
#include <thread>

#include <doctest/doctest.h>

#include "watched_sink.hpp"
#include "workloads.hpp"

using namespace kubist;
using namespace kubist::testing;
using util::cat;

namespace {

/// POD stands for the name of the Deployment's first pod.
const std::vector<Words> k_logs{
    {"logs", "POD"},
    {"logs", "pod/POD", "side"},
    {"logs", "POD", "-c", "side"},
    {"logs", "POD", "--all-containers"},
    {"logs", "POD", "--all-containers", "--prefix"},
    {"logs", "POD", "--tail=1"},
    {"logs", "POD", "--tail=0"},
    {"logs", "deployment/web"},
    {"logs", "deployment/web", "side", "--prefix"},
    {"logs", "deployment/web", "--all-pods"},
    {"logs", "-l", "app=web"},
    {"logs", "-l", "app in (web, db)", "-c", "main", "--prefix"},
    {"logs", "-l", "app=web", "--all-containers", "--tail=-1", "--prefix"},
    {"logs", "-l", "no=match"},
    {"logs", "sts/db", "--since=1h"},
    {"logs", "ds/ds", "--since-time=2020-01-01T00:00:00Z"},
    {"logs", "job/job", "-f"},
    {"logs", "service/db"},
    {"logs", "job/job", "--timestamps"},
    {"logs", "crash"},
    {"logs", "crash", "-p"},
    {"logs", "job/job", "-p"},
    {"logs"},
    {"logs", "a", "b", "c"},
    {"logs", "nosuch"},
    {"logs", "deployment/nosuch"},
    {"logs", "cm/kube-root-ca.crt"},
    {"logs", "POD", "nosuch"},
    {"logs", "POD", "side", "-c", "main"},
    {"logs", "POD", "side", "--all-containers"},
    {"logs", "POD", "-l", "app=web"},
    {"logs", "POD", "--tail=-2"},
    {"logs", "POD", "--since=-1s"},
    {"logs", "POD", "--since-time=yesterday"},
    {"logs", "POD", "--since=1h", "--since-time=2020-01-01T00:00:00Z"},
    {"logs", "-f", "-l", "app=web", "--max-log-requests=1"},
};

/// One container that wrote "first" and failed, and in its second run "second".
void make_crash(const Twins& twins) {
  twins.write("crash.yaml", R"(apiVersion: v1
kind: Pod
metadata: {name: crash}
spec:
  terminationGracePeriodSeconds: 0
  volumes: [{name: v, emptyDir: {}}]
  containers:
  - name: main
    image: localhost/busybox:1
    volumeMounts: [{name: v, mountPath: /v}]
    command: [sh, -c, "[ ! -e /v/x ] || { echo second; exec sleep 1000; }; touch /v/x; echo first; exit 1"]
)");
  twins.make({"apply", "-f", "FOLDER/crash.yaml"});
  for (const char* condition :
       {"jsonpath={.status.containerStatuses[0].restartCount}=1", "condition=Ready"}) {
    twins.make({"wait", "pod/crash", cat("--for=", condition), "--timeout=200s"});
  }
}

std::string first_pod(const Twins& twins, const std::string& who) {
  const Ran pods = kubectl({"-n", twins.ns(who), "get", "pods", "-l", "app=web", "-o",
                            "jsonpath={.items[0].metadata.name}"});
  REQUIRE(pods.code == 0);
  return pods.out;
}

/// Names of pods and times are each namespace's own; containers come in any order from kubectl.
std::string plain_lines(const std::string& out) {
  std::string text =
      std::regex_replace(out, std::regex("pod/(web|ds|job)(-[a-z0-9]+)+"), "pod/$1-POD");
  text = std::regex_replace(text, std::regex("20[0-9-]+T[0-9:.]+Z"), "TIME");
  auto lines = util::split(text, '\n');
  std::sort(lines.begin(), lines.end());
  return util::join(lines, "\n");
}

}  // namespace

TEST_CASE("logs: what is printed is what kubectl prints") {
  const Twins twins("logs");
  make_workloads(twins);
  twins.make({"create", "service", "clusterip", "db", "--tcp=80:80"});
  make_crash(twins);
  for (const Words& words : k_logs) {
    CAPTURE(util::join(words, " "));
    const auto ask = [&](const std::string& who) {
      Words own;
      for (const std::string& word : words) {
        own.push_back(util::replace_all(word, "POD", first_pod(twins, who)));
      }
      return twins.ask(who, own);
    };
    const Ran theirs = ask("kubectl");
    const Ran ours = ask("kubist");
    CHECK_MESSAGE(plain_lines(ours.out) == plain_lines(theirs.out), ours.err, theirs.err);
    CHECK_MESSAGE((ours.code == 0) == (theirs.code == 0), ours.err, theirs.err);
  }
  const Ran chosen = twins.ask("kubist", {"logs", "deployment/web"});
  CHECK_MESSAGE(chosen.err.find("Found 2 pods, using pod/web-") != std::string::npos, chosen.err);
  CHECK(chosen.err.find("Defaulted container \"main\" out of: main, side") != std::string::npos);
}

TEST_CASE("logs: pods are followed side by side until they end") {
  const Twins twins("logs");
  make_workloads(twins);
  WatchedSink out;
  cli::StringSink err;
  std::atomic<int> code = -1;
  std::thread following([&] {
    code = cli::run(
        {"-n", twins.ns("kubist"), "logs", "-f", "-l", "app=web", "--all-containers", "--prefix"},
        out, err);
  });
  const Ran pods = kubectl({"-n", twins.ns("kubist"), "get", "pods", "-l", "app=web", "-o",
                            "jsonpath={.items[*].metadata.name}"});
  const auto names = util::split(pods.out, ' ');
  REQUIRE(names.size() == 2);
  for (const std::string& name : names) {
    CHECK(out.wait_for(cat("[pod/", name, "/main] three\n")));
    CHECK(out.wait_for(cat("[pod/", name, "/side] aside\n")));
  }
  CHECK(code == -1);
  CHECK(kubectl({"-n", twins.ns("kubist"), "delete", "deployment", "web"}).code == 0);
  following.join();
  CHECK_MESSAGE(code == 0, err.text());
}

TEST_CASE("logs: a workload without pods is waited for, and the time ends it") {
  const Twins twins("logs");
  twins.make({"create", "deployment", "none", "--image=localhost/busybox:1", "--replicas=0"});
  const Ran ran = twins.ask("kubist", {"logs", "deployment/none", "--pod-running-timeout=100ms"});
  CHECK(ran.code == 3);
  CHECK(ran.out.empty());
  CHECK_MESSAGE(ran.err.find("no pod of app=none came") != std::string::npos, ran.err);
}
