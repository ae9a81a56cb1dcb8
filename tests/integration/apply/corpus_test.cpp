#include "apply_support.hpp"

using namespace kubist;
using namespace kubist::testing;
using data::Json;

namespace {

/// Removes what the corpus leaves outside its namespace.
struct ClusterWide {
  std::string ns;
  ~ClusterWide() {
    static_cast<void>(run_kubectl(
        {"delete", "--ignore-not-found", "--wait=false", "crd/widgets." + ns + ".example.com",
         "clusterrole/" + ns + "-web", "validatingwebhookconfiguration/" + ns + "-check",
         "priorityclass/" + ns + "-high", "storageclass/" + ns + "-slow"}));
  }
};

std::map<std::string, Json> corpus_objects(const std::string& ns) {
  return live_objects(corpus(ns), ns);
}

}  // namespace

TEST_CASE("apply: the corpus goes in at once, and again without a write") {
  const TestNamespace ns(false);
  const ClusterWide rest{ns.name()};
  const auto first = run_kubist({"apply", "-f", "-"}, corpus(ns.name()));
  INFO(first.out, first.err);
  REQUIRE(first.exit_code == 0);
  CHECK(count(first.out, " created\n") == 34);

  const Audit audit;
  const auto second = run_kubist({"apply", "-f", "-"}, corpus(ns.name()));
  INFO(second.out, second.err);
  CHECK(second.exit_code == 0);
  CHECK(count(second.out, " unchanged\n") == 34);
  CHECK(audit.writes(ns.name()) == std::vector<std::string>{});

  // kubectl is the oracle: the same input gives the same objects, and nothing is left to do.
  const TestNamespace other(false);
  const ClusterWide other_rest{other.name()};
  const auto kubectl_apply = [&] {
    return run_kubectl({"apply", "--server-side", "--field-manager=kubist", "-f", "-"},
                       corpus(other.name()));
  };
  const auto early = kubectl_apply();  // it does not wait for the CRD of some of the objects
  CHECK(early.exit_code == 1);
  CHECK_MESSAGE(early.err.find("no matches for kind \"Widget\"") != std::string::npos, early.err);
  REQUIRE(run_kubectl({"wait", "--for=condition=established",
                       "crd/widgets." + other.name() + ".example.com"})
              .exit_code == 0);
  const auto late = kubectl_apply();
  REQUIRE_MESSAGE(late.exit_code == 0, late.out, late.err);
  const auto ours = corpus_objects(ns.name());
  const auto theirs = corpus_objects(other.name());
  REQUIRE(ours.size() == theirs.size());
  for (const auto& [key, object] : ours) {
    INFO(key);
    CHECK(object == theirs.at(key));
  }
  const auto diff = run_kubectl({"diff", "--server-side", "--field-manager=kubist", "-f", "-"},
                                corpus(ns.name()));
  INFO(diff.out);
  CHECK(diff.exit_code == 0);

  // A set that was empty gets an element, and is emptied again. Servers may refuse the
  // latter (kubernetes#104694), so what counts is that it is tried.
  const auto widget = [&](const std::string& tags) {
    return run_kubist({"apply", "-f", "-"},
                      util::cat("apiVersion: ", ns.name(), ".example.com/v1\nkind: Widget\n",
                                "metadata: {name: hollow, namespace: ", ns.name(),
                                "}\nspec: {parts: [], routes: [], tags: ", tags, "}\n"));
  };
  const auto filled = widget("[red]");
  CHECK_MESSAGE(count(filled.out, " configured\n") == 1, filled.out, filled.err);
  const Audit emptied;
  widget("[]");
  CHECK(emptied.writes("/widgets/hollow").size() == 1);
}

TEST_CASE("apply: empty lists are as they should be until they get elements, and again without") {
  const TestNamespace ns;
  const auto apply = [&](const std::string& env, const std::string& volumes) {
    const std::string input = util::cat(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: grafana, annotations: {}}
spec:
  replicas: 0
  selector: {matchLabels: {app: grafana}}
  template:
    metadata: {labels: {app: grafana}}
    spec:
      containers: [{name: grafana, image: "localhost/busybox:1", ports: [], env: )",
                                        env, "}]\n      volumes: ", volumes, "\n");
    return run_kubist({"apply", "-n", ns.name(), "-f", "-"}, input);
  };
  const auto live = [&] {
    return run_kubectl({"-n", ns.name(), "get", "deployment", "grafana", "-o",
                        "jsonpath={.spec.template.spec.containers[0].env[*].name}"
                        "/{.spec.template.spec.volumes[*].name}"})
        .out;
  };
  const std::string env = "[{name: A, value: '1'}]";
  const std::string volumes = "[{name: scratch, emptyDir: {}}]";
  CHECK(apply("[]", "[]").out == "deployment.apps/grafana created\n");
  // Its controller adds an annotation, and so becomes the owner of the map.
  REQUIRE(run_kubectl({"-n", ns.name(), "wait", "deployment/grafana", "--timeout=120s",
                       "--for=jsonpath={.status.observedGeneration}=1"})
              .exit_code == 0);
  {
    const Audit audit;
    CHECK(apply("[]", "[]").out == "deployment.apps/grafana unchanged\n");
    CHECK(audit.writes(ns.name()) == std::vector<std::string>{});
  }
  CHECK(apply(env, volumes).out == "deployment.apps/grafana configured\n");
  CHECK(live() == "A/scratch");
  CHECK(apply("[]", "[]").out == "deployment.apps/grafana configured\n");
  CHECK(live() == "/");

  // Elements of others stay: an apply of an empty list takes away only what it gave.
  REQUIRE(
      run_kubectl({"-n", ns.name(), "set", "env", "deployment/grafana", "THEIRS=1"}).exit_code ==
      0);
  const Audit audit;
  CHECK(apply("[]", "[]").out == "deployment.apps/grafana unchanged\n");
  CHECK(audit.writes(ns.name()) == std::vector<std::string>{});
  CHECK(live() == "THEIRS/");
}

TEST_CASE("apply: one changed field is one write, and diff shows it before") {
  const TestNamespace ns;
  const std::string before = config_map("a", "1") + config_map("b", "1");
  const std::string after = config_map("a", "2") + config_map("b", "1");
  REQUIRE(run_kubist({"apply", "-n", ns.name(), "-f", "-"}, before).exit_code == 0);
  const auto none = run_kubist({"diff", "-n", ns.name(), "-f", "-"}, before);
  CHECK(none.exit_code == 0);
  CHECK(none.out.empty());

  const Audit audit;
  const auto diff = run_kubist({"diff", "-n", ns.name(), "-f", "-"}, after);
  CHECK(diff.exit_code == 1);
  CHECK(diff.out.find("-  a: \"1\"\n+  a: \"2\"\n") != std::string::npos);
  const auto dry = run_kubist({"apply", "-n", ns.name(), "-f", "-", "--dry-run=server"}, after);
  CHECK(dry.out ==
        "configmap/a configured (server dry run)\nconfigmap/b unchanged (server dry run)\n");
  CHECK(audit.writes(ns.name()).empty());

  const auto applied = run_kubist({"apply", "-n", ns.name(), "-f", "-"}, after);
  CHECK(applied.out == "configmap/a configured\nconfigmap/b unchanged\n");
  CHECK(audit.writes(ns.name()).size() == 1);
}

TEST_CASE("apply: others' edits are put back, their additions stay") {
  const TestNamespace ns;
  REQUIRE(run_kubist({"apply", "-n", ns.name(), "-f", "-"}, config_map("a", "1")).exit_code == 0);
  REQUIRE(run_kubectl({"-n", ns.name(), "patch", "cm", "a", "--type=merge", "-p",
                       R"({"data":{"b":"theirs"},"metadata":{"finalizers":["example.com/f"]}})"})
              .exit_code == 0);
  const Audit audit;
  CHECK(run_kubist({"apply", "-n", ns.name(), "-f", "-"}, config_map("a", "1")).out ==
        "configmap/a unchanged\n");
  CHECK(audit.writes(ns.name()).empty());
  REQUIRE(run_kubectl({"-n", ns.name(), "patch", "cm", "a", "--type=merge", "-p",
                       R"({"data":{"a":"theirs"}})"})
              .exit_code == 0);
  const auto refused = run_kubist({"apply", "-n", ns.name(), "-f", "-"}, config_map("a", "1"));
  CHECK(refused.exit_code == 6);
  CHECK(refused.err.find("\"theirs\"") != std::string::npos);
  CHECK(refused.err.find("kubectl-patch") != std::string::npos);
  CHECK(run_kubist({"apply", "-n", ns.name(), "-f", "-", "--force-conflicts"}, config_map("a", "1"))
            .out == "configmap/a configured\n");
  const auto data = run_kubectl({"-n", ns.name(), "get", "cm", "a", "-o", "jsonpath={.data}"});
  CHECK(data.out == R"({"a":"1","b":"theirs"})");
  run_kubectl({"-n", ns.name(), "patch", "cm", "a", "--type=merge", "-p",
               R"({"metadata":{"finalizers":null}})"});
}
