// `rollout status` and `rollout restart` do and say what kubectl's do.
#include <thread>

#include <doctest/doctest.h>

#include "watched_sink.hpp"
#include "workloads.hpp"

using namespace kubist;
using namespace kubist::testing;
using util::cat;

namespace {

/// Of workloads that have rolled out.
const std::vector<Words> k_rolled_out{
    {"rollout", "status", "deployment/web"},
    {"rollout", "status", "sts", "db"},
    {"rollout", "status", "ds/ds", "--watch=false"},
    {"rollout", "status", "deployment"},
    {"rollout", "status", "deployment,sts", "-l", "app=web"},
    {"rollout", "status", "deployment", "-l", "no=match"},
    {"rollout", "status", "deployment/web", "--revision=1"},
    {"rollout", "status", "deployment/web", "--revision=7"},
    {"rollout", "status", "deployment/web", "--revision=-1"},
    {"rollout", "status", "deployment/nosuch"},
    {"rollout", "status", "cm/kube-root-ca.crt"},
    {"rollout", "status", "job/job"},
    {"rollout", "status"},
    {"rollout", "restart", "cm/kube-root-ca.crt"},
    {"rollout", "restart", "deployment/nosuch"},
    {"rollout", "restart", "deployment", "-l", "no=match"},
    {"rollout", "restart"},
};

std::string last_line(const std::string& text) {
  return util::split(util::trim(text), '\n').back();
}

}  // namespace

TEST_CASE("rollout: what is said and done is what kubectl says and does") {
  const Twins twins("rollout");
  make_workloads(twins);
  for (const Words& words : k_rolled_out) {
    twins.check_same(words);
  }
  const Words pods{"get", "pods", "-l", "app=web", "-o", "jsonpath={.items[*].metadata.uid}"};
  const Ran before = twins.ask("kubist", pods);
  twins.check_same({"rollout", "restart", "deployment/web", "sts/db"});
  twins.check_same({"rollout", "restart", "ds", "-l", "app=web", "-o", "name"});
  const Words status{"rollout", "status", "deployment/web", "--timeout=60s"};
  const Ran theirs = twins.ask("kubectl", status);
  const Ran ours = twins.ask("kubist", status);
  CHECK_MESSAGE(ours.code == 0, ours.err);
  CHECK(last_line(ours.out) == last_line(theirs.out));
  for (const std::string& uid : util::split(before.out, ' ')) {
    CHECK(twins.ask("kubist", pods).out.find(uid) == std::string::npos);
  }
  twins.check_equal({"get", "deployment,sts,ds", "-o",
                     "jsonpath={range .items[*]}{.metadata.name} {.metadata.generation} "
                     "{.spec.template.metadata.labels}{\"\\n\"}{end}"});
  const Ran at = twins.ask("kubist", {"get", "deployment/web", "-o",
                                      "jsonpath={.spec.template.metadata.annotations."
                                      "kubectl\\.kubernetes\\.io/restartedAt}"});
  CHECK(at.out.size() == std::string("2026-01-01T00:00:00Z").size());
}

TEST_CASE("rollout: what fails, takes too long or is deleted ends it") {
  const Twins twins("rollout");
  make_workloads(twins);
  twins.make({"patch", "deployment", "web", "-p",
              R"({"spec":{"progressDeadlineSeconds":2,"template":{"spec":{"containers":[)"
              R"({"name":"main","image":"localhost/nosuch:1"}]}}}})"});
  const Ran late = twins.ask("kubist", {"rollout", "status", "deployment/web", "--timeout=1ms"});
  CHECK(late.code == 3);
  CHECK_MESSAGE(late.err.find("the time is over") != std::string::npos, late.err);
  const Words status{"rollout", "status", "deployment/web", "--timeout=60s"};
  const Ran theirs = twins.ask("kubectl", status);
  const Ran ours = twins.ask("kubist", status);
  const std::string words = "deployment \"web\" exceeded its progress deadline";
  CHECK_MESSAGE(theirs.err.find(words) != std::string::npos, theirs.err);
  CHECK_MESSAGE(ours.err.find(words) != std::string::npos, ours.err);
  CHECK(ours.code == 3);
  twins.make({"rollout", "pause", "deployment/web"});
  twins.check_same({"rollout", "restart", "deployment/web"});

  twins.make({"patch", "sts", "db", "-p",
              R"({"spec":{"template":{"spec":{"nodeSelector":{"no":"such"}}}}})"});
  WatchedSink out;
  cli::StringSink err;
  int code = 0;
  std::thread following([&] {
    code = cli::run({"-n", twins.ns("kubist"), "rollout", "status", "sts/db", "--timeout=60s"}, out,
                    err);
  });
  CHECK(out.wait_for("Waiting for 1 pods to be ready..."));
  CHECK(kubectl({"-n", twins.ns("kubist"), "delete", "sts", "db"}).code == 0);
  following.join();
  CHECK(code == 1);
  CHECK_MESSAGE(err.text().find("object has been deleted") != std::string::npos, err.text());
}
