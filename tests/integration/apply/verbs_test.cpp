#include "apply_support.hpp"

using namespace kubist;
using namespace kubist::testing;

namespace {

std::string names(const std::string& ns, const std::string& type) {
  const auto got = run_kubectl({"-n", ns, "get", type, "-o", "name", "--ignore-not-found"});
  std::string result;
  for (const std::string& line : util::split(got.out, '\n')) {
    if (!line.empty() && line != "configmap/kube-root-ca.crt") {
      result += line + '\n';
    }
  }
  return result;
}

}  // namespace

TEST_CASE("apply: an object that fails leaves the others alone") {
  const TestNamespace ns;
  const auto result = run_kubist(
      {"apply", "-f", "-"},
      util::cat("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: ", ns.name(),
                "-none}\n---\n", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: ",
                ns.name(), "}\n"));
  CHECK(result.exit_code == 1);
  CHECK(result.out == "configmap/b created\n");
  CHECK(result.err.find("stdin:1:1: configmap/a:") != std::string::npos);
  CHECK(result.err.find("not found") != std::string::npos);
}

TEST_CASE("apply: bad input writes nothing and names the place") {
  const TestNamespace ns;
  const std::string good = config_map("good", "1");
  struct Case {
    std::string text;
    std::string says;
  };
  const std::vector<Case> cases{
      {"---\na: [1\n", "stdin:"},
      {"---\napiVersion: v1\nkind: ConfigMab\nmetadata: {name: x}\n", "ConfigMap"},
      {"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: x, namespace: other}\n",
       "not namespaced"},
      {config_map("good", "2"), "twice"},
      {"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {}\n", "name"},
      {"---\napiVersion: kubist.io/v1alpha1\nkind: Project\nmetadata: {name: p}\nspec: {namespaze: "
       "x}\n",
       "namespace"},
  };
  for (const Case& bad : cases) {
    const auto result = run_kubist({"apply", "-n", ns.name(), "-f", "-"}, good + bad.text);
    INFO(bad.text, result.err);
    CHECK(result.exit_code == 1);
    CHECK(result.out.empty());
    CHECK(result.err.find(bad.says) != std::string::npos);
    CHECK(names(ns.name(), "cm").empty());
  }
}

TEST_CASE("apply: prune deletes what left the set and is still its own") {
  const TestNamespace ns;
  const auto apply = [&](const std::string& text) {
    return run_kubist({"apply", "-n", ns.name(), "-f", "-", "--inventory", "set", "--prune"}, text);
  };
  REQUIRE(apply(config_map("a", "1") + config_map("b", "1") + config_map("c", "1")).exit_code == 0);
  const Audit audit;
  REQUIRE(apply(config_map("a", "1") + config_map("b", "1") + config_map("c", "1")).exit_code == 0);
  CHECK(audit.writes(ns.name()).empty());

  run_kubectl({"-n", ns.name(), "label", "cm", "c", "applyset.kubernetes.io/part-of-"});
  const auto pruned = apply(config_map("a", "1"));
  CHECK(pruned.exit_code == 0);
  CHECK(pruned.out.find("configmap/b pruned\n") != std::string::npos);
  CHECK(pruned.out.find("configmap/c kept: ") != std::string::npos);
  CHECK(names(ns.name(), "cm") == "configmap/a\nconfigmap/c\nconfigmap/set\n");

  // One that somebody made again under the same name is not ours.
  REQUIRE(apply(config_map("a", "1") + config_map("d", "1")).exit_code == 0);
  run_kubectl({"-n", ns.name(), "delete", "cm", "d"});
  const auto label =
      run_kubectl({"-n", ns.name(), "get", "cm", "a", "-o",
                   "jsonpath={.metadata.labels.applyset\\.kubernetes\\.io/part-of}"});
  run_kubectl({"-n", ns.name(), "create", "cm", "d"});
  run_kubectl({"-n", ns.name(), "label", "cm", "d", "applyset.kubernetes.io/part-of=" + label.out});
  CHECK(apply(config_map("a", "1")).out.find("configmap/d kept: ") != std::string::npos);

  run_kubectl({"-n", ns.name(), "create", "cm", "plain"});
  const auto refused = run_kubist({"apply", "-n", ns.name(), "-f", "-", "--inventory", "plain"},
                                  config_map("a", "1"));
  CHECK(refused.exit_code == 6);
  CHECK(refused.err.find("is no inventory") != std::string::npos);
}

TEST_CASE(
    "apply: an inventory of more than one ConfigMap prunes, shrinks and needs all its parts") {
  const TestNamespace ns;
  constexpr int k_objects = 2050;
  std::string text;
  for (int i = 0; i < k_objects; ++i) {
    text += config_map(util::cat("m", i), "1");
  }
  const auto apply = [&](const std::string& input) {
    return run_kubist({"apply", "-n", ns.name(), "-f", "-", "--inventory", "set", "--prune"},
                      input);
  };
  const auto parts = [&] {
    const auto got =
        run_kubectl({"-n", ns.name(), "get", "cm", "-o", "name", "-l", "kubist.io/inventory-of"});
    return util::split(util::trim(got.out), '\n');
  };
  const auto first = apply(text);
  REQUIRE_MESSAGE(first.exit_code == 0, first.err);
  REQUIRE(parts().size() == 1);
  const std::string part = parts()[0];
  CHECK(part.starts_with("configmap/set-"));
  CHECK(run_kubectl(
            {"-n", ns.name(), "get", part, "-o", "jsonpath={.metadata.ownerReferences[0].name}"})
            .out == "set");
  const Audit audit;
  CHECK(apply(text).exit_code == 0);
  CHECK(audit.writes(ns.name()).empty());

  // Without all of it nobody knows what was applied: nothing is written at all.
  const auto kept = run_kubectl({"-n", ns.name(), "get", part, "-o", "json"});
  run_kubectl({"-n", ns.name(), "delete", part});
  const auto broken = apply(config_map("m1", "2"));
  CHECK(broken.exit_code == 1);
  CHECK(broken.err.find("a part of the inventory ConfigMap") != std::string::npos);
  CHECK(audit.writes(ns.name()).empty());
  REQUIRE(run_kubectl({"create", "-f", "-"}, kept.out).exit_code == 0);

  const auto pruned = apply(config_map("m1", "1"));
  CHECK_MESSAGE(pruned.exit_code == 0, pruned.err);
  CHECK(count(pruned.out, " pruned\n") == k_objects - 1);
  CHECK(names(ns.name(), "cm") == "configmap/m1\nconfigmap/set\n");
}

TEST_CASE("apply: a killed run leaves nothing that the next one does not know") {
  const TestNamespace ns;
  const util::TempDir folder;
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += config_map(util::cat("m", i), "1");
  }
  const std::string file = (folder.path() / "set.yaml").string();
  REQUIRE(util::write_file(file, text));
  for (const char* after : {"0.05", "0.1", "0.2", "0.3", "0.5"}) {
    run({"timeout", "-s", "KILL", after, kubist::paths::program(), "apply", "-n", ns.name(), "-f",
         file, "--inventory", "set"});
  }
  const auto next =
      run_kubist({"apply", "-n", ns.name(), "-f", "-", "--inventory", "set", "--prune"},
                 config_map("m7", "1") + config_map("new", "1"));
  CHECK(next.exit_code == 0);
  CHECK(names(ns.name(), "cm") == "configmap/m7\nconfigmap/new\nconfigmap/set\n");
}

TEST_CASE("apply: waiting says what is not ready and why") {
  const TestNamespace ns;
  const std::string deployment =
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 1\n"
      "  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n"
      "    spec: {terminationGracePeriodSeconds: 0, containers: [{name: c, image: "
      "'localhost/busybox:1', "
      "command: [COMMAND]}]}\n";
  util::CommandResult bad;
  CHECK_MESSAGE(it::eventually([&] {  // the kubelet may be late
                  bad =
                      run_kubist({"apply", "-n", ns.name(), "-f", "-", "--wait", "--timeout", "6s"},
                                 util::replace_all(deployment, "COMMAND", "nothing"));
                  return bad.err.find("Failed") != std::string::npos;
                }),
                bad.err);
  CHECK(bad.exit_code == 3);
  CHECK(bad.err.find("deployment.apps/web is not ready: InProgress") != std::string::npos);
  const auto good = run_kubist({"apply", "-n", ns.name(), "-f", "-", "--wait", "--timeout", "60s"},
                               util::replace_all(deployment, "COMMAND", "sleep, '3600'"));
  CHECK_MESSAGE(good.exit_code == 0, good.err);
  CHECK(run_kubectl(
            {"-n", ns.name(), "get", "deploy", "web", "-o", "jsonpath={.status.readyReplicas}"})
            .out == "1");
}

TEST_CASE("apply: who may not list is read object by object") {
  const TestNamespace ns;
  run_kubectl(
      {"-n", ns.name(), "create", "role", "r", "--verb=get,create,patch", "--resource=configmaps"});
  run_kubectl({"-n", ns.name(), "create", "rolebinding", "r", "--role=r", "--user=" + ns.name()});
  REQUIRE(it::eventually([&] {
    return run_kubectl({"-n", ns.name(), "auth", "can-i", "patch", "configmaps", "--as", ns.name()})
               .exit_code == 0;
  }));
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text += config_map(util::cat("m", i), "1");
  }
  CHECK(run_kubist({"apply", "-n", ns.name(), "--as", ns.name(), "-f", "-"}, text).exit_code == 0);
  const Audit audit;
  const auto again = run_kubist({"apply", "-n", ns.name(), "--as", ns.name(), "-f", "-"}, text);
  CHECK(count(again.out, " unchanged\n") == 30);
  CHECK(audit.writes(ns.name()).empty());
}

TEST_CASE("apply: machine-readable reports") {
  const TestNamespace ns;
  const auto json =
      run_kubist({"apply", "-n", ns.name(), "-f", "-", "--report", "json"}, config_map("a", "1"));
  const auto report = data::Json::parse(json.out);
  CHECK(report["ok"] == true);
  CHECK(report["summary"]["created"] == 1);
  CHECK(report["results"][0]["line"] == 2);
  const auto objects =
      run_kubist({"apply", "-n", ns.name(), "-f", "-", "-o", "json"}, config_map("a", "2"));
  CHECK(data::Json::parse(objects.out)["data"]["a"] == "2");
  CHECK(run_kubist({"apply", "-n", ns.name(), "-f", "-", "-o", "name"}, config_map("a", "2")).out ==
        "configmap/a\n");
  run_kubectl({"-n", ns.name(), "apply", "--server-side", "--force-conflicts", "--field-manager=x",
               "-f", "-"},
              config_map("a", "3"));
  const auto github =
      run_kubist({"apply", "-n", ns.name(), "-f", "-", "--report", "github"}, config_map("a", "2"));
  CHECK(github.out ==
        "::error file=stdin,line=5,col=11,title=kubist apply%3A Conflict::configmap/a: data.a "
        "belongs to x (Apply)\n");
}

TEST_CASE(
    "apply: what client-side kubectl apply made is taken over, so that what left the file goes") {
  const TestNamespace ns;
  const auto map = [](const std::string& data) {
    return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {" + data + "}\n";
  };
  const auto kubist = [&](const std::string& data, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"apply", "-n", ns.name(), "-f", "-"});
    return run_kubist(more, map(data));
  };
  const auto live = [&] { return it::get("home", "configmap", "m", ns.name()); };
  REQUIRE(run_kubectl({"apply", "-n", ns.name(), "-f", "-"}, map("a: '1', b: '1'")).exit_code == 0);
  // Nobody takes over what he disagrees with unasked.
  CHECK(kubist("a: '2'").exit_code == 6);
  CHECK((*live())["data"] == data::Json{{"a", "1"}, {"b", "1"}});

  const auto planned = kubist("a: '1'", {"--dry-run=client"});
  CHECK_MESSAGE(planned.out == "configmap/m configured (dry run)\n", planned.out, planned.err);
  const auto shown = run_kubist({"diff", "-n", ns.name(), "-f", "-"}, map("a: '1'"));
  CHECK(shown.exit_code == 1);
  CHECK_MESSAGE(shown.err.find("configmap/m: apply takes it over") != std::string::npos, shown.err);
  const auto taken = kubist("a: '1'");
  CHECK_MESSAGE(taken.exit_code == 0, taken.err);
  CHECK(taken.out == "configmap/m configured\n");
  CHECK((*live())["data"] == data::Json{{"a", "1"}});
  CHECK(!(*live())["metadata"].contains("annotations"));
  const auto managers = run_kubectl({"-n", ns.name(), "get", "cm", "m", "--show-managed-fields",
                                     "-o", "jsonpath={.metadata.managedFields[*].manager}"});
  CHECK(managers.out == "kubist");
  const Audit audit;
  CHECK(kubist("a: '1'").out == "configmap/m unchanged\n");
  CHECK(audit.writes(ns.name()).empty());

  run_kubectl({"-n", ns.name(), "delete", "cm", "m"});
  REQUIRE(run_kubectl({"apply", "-n", ns.name(), "-f", "-"}, map("a: '1', b: '1'")).exit_code == 0);
  const auto forced = kubist("a: '3'", {"--force-conflicts"});
  CHECK_MESSAGE(forced.exit_code == 0, forced.err);
  CHECK((*live())["data"] == data::Json{{"a", "3"}});
}

TEST_CASE("delete: waits until objects are gone, and names what holds them") {
  const TestNamespace ns;
  REQUIRE(
      run_kubist({"apply", "-n", ns.name(), "-f", "-"}, config_map("a", "1") + config_map("b", "1"))
          .exit_code == 0);
  run_kubectl({"-n", ns.name(), "patch", "cm", "a", "--type=merge", "-p",
               R"({"metadata":{"finalizers":["example.com/hold"]}})"});
  const auto held = run_kubist({"delete", "-n", ns.name(), "cm", "a", "b", "--timeout", "10s"});
  CHECK(held.exit_code == 3);
  const std::string from = util::cat(" from ", ns.name(), " namespace\n");
  CHECK(held.out == "configmap \"a\" deleted" + from + "configmap \"b\" deleted" + from);
  CHECK(held.err.find("example.com/hold") != std::string::npos);
  run_kubectl({"-n", ns.name(), "patch", "cm", "a", "--type=merge", "-p",
               R"({"metadata":{"finalizers":null}})"});
  CHECK(names(ns.name(), "cm").empty());
  CHECK(run_kubist({"delete", "-n", ns.name(), "cm/a"}).exit_code == 1);
  CHECK(run_kubist({"delete", "-n", ns.name(), "cm/a", "--ignore-not-found"}).exit_code == 0);
  CHECK(run_kubist({"delete", "-n", ns.name(), "cm"}).exit_code == 64);

  run_kubectl({"-n", ns.name(), "create", "cm", "x"});
  run_kubectl({"-n", ns.name(), "label", "cm", "x", "a=b"});
  run_kubectl({"-n", ns.name(), "create", "cm", "y"});
  CHECK(
      run_kubist({"delete", "-n", ns.name(), "configmaps", "-l", "a=b", "--dry-run=server"}).out ==
      "configmap \"x\" deleted from " + ns.name() + " namespace (server dry run)\n");
  CHECK(run_kubist({"delete", "-n", ns.name(), "configmaps", "-l", "a=b"}).out ==
        "configmap \"x\" deleted" + from);
  CHECK(names(ns.name(), "cm") == "configmap/y\n");
}

TEST_CASE("apply: a project and what lives in it go in together, and again without a write") {
  REQUIRE(run_kubist({"init"}).exit_code == 0);
  const TestNamespace ns(false);
  const std::string text = util::replace_all(
      "apiVersion: kubist.io/v1alpha1\nkind: Cluster\nmetadata: {name: here, namespace: NAME}\n"
      "spec: {home: true}\n---\n"
      "apiVersion: kubist.io/v1alpha1\nkind: Project\nmetadata: {name: NAME}\nspec: {}\n",
      "NAME", ns.name());
  const auto first = run_kubist({"apply", "-f", "-"}, text);
  INFO(first.err);
  CHECK(first.exit_code == 0);
  CHECK(count(first.out, " created\n") == 3);  // with its namespace
  CHECK(run_kubectl(
            {"get", "ns", ns.name(), "-o", "jsonpath={.metadata.annotations.kubist\\.io/owner}"})
            .out.ends_with("/Project//" + ns.name()));
  const Audit audit;
  CHECK(count(run_kubist({"apply", "-f", "-"}, text).out, " unchanged\n") == 2);
  CHECK(audit.writes(ns.name()).empty());

  const auto bad = run_kubist(
      {"apply", "-f", "-"},
      util::replace_all(text, "home: true", "home: true, policies: [{name: TimedWindou}]"));
  CHECK(bad.exit_code == 1);
  CHECK(bad.err.find("stdin:4:") != std::string::npos);
  CHECK(bad.err.find("TimedWindow") != std::string::npos);
  run_kubectl({"-n", ns.name(), "delete", "clusters.kubist.io", "here", "--wait=false"});
  run_kubectl({"delete", "projects.kubist.io", ns.name(), "--wait=false"});
}
