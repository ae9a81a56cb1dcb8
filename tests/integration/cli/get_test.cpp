#include <thread>

#include <doctest/doctest.h>
#include <unistd.h>

#include <kubist/cli/run.hpp>
#include <kubist/data/json.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/process.hpp>
#include <kubist/util/text.hpp>

#include "both.hpp"
#include "support/fault_proxy.hpp"
#include "support/live.hpp"
#include "watched_sink.hpp"

// kubectl is the oracle: the same words must give the same bytes on stdout and the same exit code.
using namespace kubist;
using namespace kubist::testing;

namespace {

/// A namespace with some objects whose ages do not matter, gone at the end.
class Objects {
 public:
  Objects() : m_ns("get-test-" + std::to_string(getpid()) + "-" + std::to_string(s_count++)) {
    CHECK(kubectl({"create", "namespace", m_ns}).code == 0);
    for (const char* name : {"a", "much-longer-name", "b-10", "b-9"}) {
      CHECK(kubectl({"-n", m_ns, "create", "configmap", name, "--from-literal=k=line\ntwo: <x>"})
                .code == 0);
    }
    CHECK(kubectl({"-n", m_ns, "label", "configmap", "a", "app=web", "x.io/tier=1"}).code == 0);
    CHECK(
        kubectl({"-n", m_ns, "create", "secret", "generic", "s", "--from-literal=p=hidden"}).code ==
        0);
  }
  ~Objects() { kubectl({"delete", "namespace", m_ns, "--wait=false"}); }
  const std::string& ns() const { return m_ns; }

 private:
  inline static int s_count = 0;
  std::string m_ns;
};

}  // namespace

TEST_CASE("get: every format is byte for byte kubectl's") {
  const Objects objects;
  const std::vector<std::vector<std::string>> cases{
      {"get", "cm", "-o", "json"},
      {"get", "cm", "-o", "yaml"},
      {"get", "cm", "a", "-o", "yaml"},
      {"get", "cm/a", "-o", "json"},
      {"get", "cm", "a", "b-9", "-o", "json"},
      {"get", "cm,secret", "-o", "name"},
      {"get", "cm", "-l", "app=web", "-o", "name"},
      {"get", "cm", "-l", "app=none", "-o", "yaml"},
      {"get", "cm", "--field-selector", "metadata.name=a", "-o", "name"},
      {"get", "cm", "-o", "jsonpath={.items[*].metadata.name}"},
      {"get", "cm", "a", "-o", "jsonpath={.data}"},
      {"get", "cm", "-o", "custom-columns=N:.metadata.name,L:.metadata.labels,D:.data"},
      {"get", "cm", "--sort-by=.metadata.name", "-o", "name"},
      {"get", "cm", "--no-headers", "-o", "custom-columns=N:.metadata.name"},
      {"get", "cm", "no-such", "--ignore-not-found"},
      {"get", "cm", "no-such"},
      {"get", "no-such-type"},
      {"get", "deployments"},
      {"api-resources", "-o", "name"},
      {"describe", "secret", "s"},
      {"explain", "configmap"},
      {"explain", "deployment.spec.strategy"},
      {"wait", "--for=jsonpath={.data}", "cm/a"},
  };
  for (std::vector<std::string> words : cases) {
    CAPTURE(util::join(words, " "));
    words.insert(words.end(), {"-n", objects.ns()});
    const Ran theirs = kubectl(words);
    const Ran ours = run_kubist(words);
    CHECK(ours.out == theirs.out);
    CHECK((ours.code == 0) == (theirs.code == 0));
  }
}

TEST_CASE("get: tables are kubectl's, but for ages") {
  const Objects objects;
  // The roles of a server are as old as it is. Of a young one that age changes each second: what
  // counts is what kubectl says both before and after.
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"get", "clusterroles"},
           {"get", "roles", "-A"},
           {"get", "roles", "-n", "kube-system", "--show-labels"},
           {"get", "clusterroles", "-L", "kubernetes.io/bootstrapping", "--no-headers"},
           {"get", "clusterrolebindings", "-o", "wide"},
           {"get", "roles,cm", "-n", "no-such-namespace"}}) {
    CAPTURE(util::join(words, " "));
    Ran before;
    Ran ours;
    Ran after = kubectl(words);
    for (int turn = 0; turn < 10 && (turn == 0 || before.out != after.out); ++turn) {
      before = std::move(after);
      ours = run_kubist(words);
      after = kubectl(words);
    }
    REQUIRE(before.out == after.out);
    CHECK(ours.out == after.out);
    CHECK(ours.code == after.code);
  }
  const Ran none = run_kubist({"get", "deployments", "-n", objects.ns()});
  CHECK(none.err == "No resources found in " + objects.ns() + " namespace.\n");
  CHECK(none.out.empty());
}

TEST_CASE("get -w: goes on through a broken connection, each change printed once") {
  const Objects objects;
  it::FaultProxy proxy;
  WatchedSink out;
  cli::StringSink err;
  std::thread watching([&] {
    cli::run(proxy.through({"get", "cm", "-n", objects.ns(), "-w", "-o", "name"}), out, err);
  });
  CHECK(out.wait_for("configmap/much-longer-name"));
  CHECK(kubectl({"-n", objects.ns(), "create", "cm", "before"}).code == 0);
  CHECK(out.wait_for("configmap/before"));
  proxy.cut();
  CHECK(kubectl({"-n", objects.ns(), "create", "cm", "after"}).code == 0);
  CHECK(out.wait_for("configmap/after"));
  out.close();
  CHECK(kubectl({"-n", objects.ns(), "create", "cm", "last"}).code == 0);
  watching.join();
  const std::string text = out.text();
  CHECK(text.find("configmap/before") == text.rfind("configmap/before"));
  CHECK(text.find("configmap/after") == text.rfind("configmap/after"));
}

TEST_CASE("wait: a timeout ends with 3, what is not there with 1, a failed Job at once with 3") {
  const Objects objects;
  const std::vector<std::string> in_ns{"-n", objects.ns()};
  const auto wait = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "wait");
    words.insert(words.end(), in_ns.begin(), in_ns.end());
    return run_kubist(words);
  };
  CHECK(wait({"--for=condition=Never", "cm/a", "--timeout=200ms"}).code == 3);
  CHECK(wait({"--for=condition=Ready", "cm/none"}).code == 1);
  CHECK(wait({"--for=delete", "cm/none"}).code == 0);
  it::FaultProxy proxy;
  proxy.rules(data::Json::array({{{"path", "watch=1"}, {"fault", "count"}}}));
  std::thread later([&] {  // what is gone before it is listed is not waited for
    CHECK(it::eventually([&] { return proxy.counts().front().seen > 0; }));
    kubectl({"-n", objects.ns(), "delete", "cm", "a"});
  });
  CHECK(wait(proxy.through({"--for=delete", "cm/a"})).out == "configmap/a condition met\n");
  later.join();
  std::thread creator([&] { kubectl({"-n", objects.ns(), "create", "cm", "new"}); });
  CHECK(wait({"--for=create", "--for=jsonpath={.metadata.name}=new", "cm/new"}).code == 0);
  creator.join();
}
