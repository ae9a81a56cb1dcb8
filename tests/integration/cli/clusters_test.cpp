// `cluster add|check|rotate` between two real API servers.
#include <doctest/doctest.h>
#include <unistd.h>

#include <kubist/util/base64.hpp>

#include "contexts.hpp"
#include "support/comes_true.hpp"
#include "support/variable.hpp"

using namespace kubist;
using namespace kubist::testing;
using data::Json;
using util::cat;

namespace {

using Words = std::vector<std::string>;

/// A project's namespace on home, and the account that the test makes there as on a target.
class Project {
 public:
  Project() {
    REQUIRE(contexts.kubist({"init"}).code == 0);
    must({"create", "namespace", ns});
  }
  ~Project() {
    contexts.kubectl({"delete", "namespace", ns, "--wait=false"});
    there({"delete", "namespace", account_ns, "--wait=false"});
    there({"delete", "clusterrolebinding", binding()});
    there({"delete", "clusterrole", "kubist-target"});
  }
  Project(const Project&) = delete;
  Project& operator=(const Project&) = delete;

  static std::string must(const Ran& ran) {
    REQUIRE_MESSAGE(ran.code == 0, ran.err);
    return ran.out;
  }
  std::string must(const Words& words) const { return must(contexts.kubectl(words)); }
  /// kubectl on the target.
  Ran there(Words words) const {
    words.insert(words.end(), {"--context", "eu"});
    return contexts.kubectl(words);
  }
  /// A command line that kubist printed, on the target.
  void run_there(const std::string& command) const {
    const auto ran =
        util::run_command({.args = {"sh", "-c",
                                    util::replace_all(command, "kubectl ",
                                                      cat("kubectl --kubeconfig ", contexts.file(),
                                                          " --context eu "))},
                           .timeout = std::chrono::minutes(4)});
    REQUIRE(ran);
    CHECK_MESSAGE(ran->exit_code == 0, command, ran->err);
  }
  Ran add(Words more = {}) const {
    more.insert(more.begin(), {"cluster", "add", "eu", "--context", "eu", "-n", ns,
                               "--account-namespace", account_ns});
    return contexts.kubist(more);
  }
  std::string binding() const { return cat("kubist-target:", account_ns, ":kubist-", ns); }
  std::string user() const { return cat("system:serviceaccount:", account_ns, ":kubist-", ns); }
  /// The kubeconfig in the Secret, as a file; its token.
  std::string kubeconfig(const std::string& name) const {
    const std::string text = util::base64_decode(must({"get", "secret", "eu-kubeconfig", "-n", ns,
                                                       "-o", "jsonpath={.data.value}"}))
                                 .value_or("");
    const std::string file = (m_folder.path() / name).string();
    REQUIRE(util::write_file(file, text));
    return file;
  }
  std::string token(const std::string& file) const {
    return testing::kubectl({"config", "view", "--raw", "--kubeconfig", file, "-o",
                             "jsonpath={.users[0].user.token}"})
        .out;
  }

  const Contexts contexts{{{"home", "home"}, {"eu", "target1"}}};
  const std::string ns = cat("clusters-", ::getpid(), '-', s_count++);
  const std::string account_ns = cat(ns, "-accounts");

 private:
  inline static int s_count = 0;
  util::TempDir m_folder{"clusters"};
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("cluster: added, checked, rotated; no output has a token") {
  const Project project;
  const std::string& ns = project.ns;
  const Ran dry = project.add({"--dry-run=client", "-o", "yaml"});
  CHECK_MESSAGE(dry.code == 0, dry.err);
  CHECK(has(dry.out, "value: '***'"));
  CHECK(project.there({"get", "namespace", project.account_ns}).code != 0);

  const Ran added = project.add({"-v", "9"});
  REQUIRE_MESSAGE(added.code == 0, added.err);
  CHECK(has(added.err,
            cat("will make clusterrolebinding.rbac.authorization.k8s.io/", project.binding())));
  CHECK(has(added.out, "cluster.kubist.io/eu created\n"));
  const std::string first = project.kubeconfig("first");
  const std::string token = project.token(first);
  REQUIRE(token.size() > 100);
  CHECK(!has(added.out + added.err, token));
  CHECK(!has(added.out + added.err, util::base64_encode(token).substr(0, 60)));
  CHECK(kubectl(
            {"auth", "whoami", "--kubeconfig", first, "-o", "jsonpath={.status.userInfo.username}"})
            .out == project.user());
  const Ran again = project.add({"-v", "6"});
  CHECK(!has(again.err, "PATCH "));
  CHECK_MESSAGE(again.code == 0, again.err);
  CHECK(!has(again.out, "created"));
  CHECK(!has(again.out, "configured"));
  CHECK(!has(again.err, "will make"));

  const Words check{"cluster", "check", "eu", "-n", ns};
  const Ran checked = project.contexts.kubist(check);
  CHECK_MESSAGE(checked.code == 0, checked.out, checked.err);
  CHECK(has(checked.out, "all that kubist needs"));
  CHECK(has(checked.out, project.user()));

  const Ran rotated = project.contexts.kubist({"cluster", "rotate", "eu", "-n", ns, "-v", "9"});
  REQUIRE_MESSAGE(rotated.code == 0, rotated.err);
  const std::string second = project.kubeconfig("second");
  CHECK(project.token(second) != token);
  CHECK(!has(rotated.out + rotated.err, project.token(second)));
  CHECK(kubectl({"auth", "whoami", "--kubeconfig", second}).code == 0);
  // The API server remembers tokens for ten seconds.
  CHECK(comes_true([&] {
    return run_kubist({"auth", "whoami", "--kubeconfig", first}).code != 0;
  }));
  CHECK(Project::must(project.there({"get", "secrets", "-n", project.account_ns, "-o", "name"})) ==
        cat("secret/kubist-", ns, "-eu-token-2\n"));
  CHECK(project.contexts.kubist(check).code == 0);
}

TEST_CASE("cluster: what is missing is said with commands that grant it") {
  const Project project;
  REQUIRE(project.add().code == 0);
  const auto patch_role = [&](const std::string& patch) {
    Project::must(
        project.there({"patch", "clusterrole", "kubist-target", "--type=json", "-p", patch}));
  };
  patch_role(R"([{"op": "replace", "path": "/rules/0/verbs", "value": ["get", "list"]}])");
  Words check{"cluster", "check", "eu", "-n", project.ns};
  const Ran lacking = project.contexts.kubist(check);
  CHECK(lacking.code == 3);
  CHECK_MESSAGE(has(lacking.out, "may not watch, create, patch, delete on namespaces"),
                lacking.out);
  check.insert(check.end(), {"-o", "json"});
  const Json report = Json::parse(project.contexts.kubist(check).out);
  REQUIRE(report["problems"].size() == 1);
  const std::string command = report["problems"][0]["next"];
  project.run_there(command);
  CHECK(project.contexts.kubist(check).code == 0);
  const std::string extra = cat(project.account_ns, "-kubist-", project.ns, "-namespaces");
  Project::must(project.there({"delete", "clusterrole,clusterrolebinding", extra}));
  // A star of a group, too, is what kubectl takes.
  patch_role(R"([{"op": "replace", "path": "/rules", "value": []}])");
  const Json none = Json::parse(project.contexts.kubist(check).out);
  CHECK(none["problems"].size() > 20);
  bool starred = false;
  for (const Json& problem : none["problems"]) {
    const std::string next = problem["next"];
    if (has(next, "--resource='*.networking.istio.io'")) {
      starred = true;
      project.run_there(next.substr(0, next.find(" && ")) + " --dry-run=server");
    }
  }
  CHECK(starred);
  // A server that is not there, a Secret that is gone, a Cluster that never was.
  project.must({"delete", "secret", "eu-kubeconfig", "-n", project.ns});
  const Ran gone = project.contexts.kubist({"cluster", "check", "eu", "-n", project.ns});
  CHECK(gone.code == 3);
  CHECK(has(gone.out, "eu-kubeconfig"));
  CHECK(project.contexts.kubist({"cluster", "check", "nosuch", "-n", project.ns}).code == 1);
}

TEST_CASE("cluster: the target must be named; what is in the way is said before a write") {
  const Project project;
  CHECK(project.contexts.kubist({"cluster", "add", "x", "-n", project.ns}).code == 64);
  project.must({"create", "secret", "generic", "eu-kubeconfig", "-n", project.ns});
  const Ran refused = project.add();
  CHECK_MESSAGE(refused.code == 6, refused.err);
  CHECK(has(refused.err, "eu-kubeconfig"));
  CHECK(project.there({"get", "namespace", project.account_ns}).code != 0);
  CHECK(project.contexts.kubist({"cluster", "rotate", "eu", "-n", project.ns}).code == 6);
  CHECK(project.contexts.kubist({"cluster", "rotate", "no", "-n", project.ns}).code == 1);
}

TEST_CASE("cluster: a member who changes the Secret gets no token of another account") {
  const Project project;
  REQUIRE(project.add().code == 0);
  project.must({"annotate", "secret", "eu-kubeconfig", "-n", project.ns, "--overwrite",
                "kubist.io/target-account=kube-system/default"});
  const Words rotate{"cluster", "rotate", "eu", "-n", project.ns};
  for (const Words& more : {Words{"--context", "eu"}, Words{}}) {
    Words words = rotate;
    words.insert(words.end(), more.begin(), more.end());
    const Ran refused = project.contexts.kubist(words);
    CHECK_MESSAGE(refused.code == 5, refused.err);
    CHECK(has(refused.err, "system:serviceaccount:kube-system:default"));
  }
  const Words add{"cluster", "add", "eu", "--context", "eu", "-n", project.ns};
  CHECK(project.contexts.kubist(add).code == 5);
  CHECK(!has(Project::must(project.there({"get", "secrets", "-n", "kube-system", "-o", "name"})),
             "-token-"));
}

TEST_CASE("cluster: rotate goes by the Secret only where a run would") {
  const Project project;
  REQUIRE(project.add().code == 0);
  const std::string text =
      R"({"apiVersion": "v1", "kind": "Config", "current-context": "a",
          "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
          "clusters": [{"name": "a", "cluster": {"server": "https://127.0.0.1:1"}}],
          "users": [{"name": "a", "user": {"token": "t"}}]})";
  project.must({"patch", "secret", "eu-kubeconfig", "-n", project.ns, "--type=merge", "-p",
                Json{{"data", {{"value", util::base64_encode(text)}}}}.dump()});
  const Ran refused = project.contexts.kubist({"cluster", "rotate", "eu", "-n", project.ns});
  CHECK(refused.code == 1);
  CHECK_MESSAGE(has(refused.err, "a loopback address"), refused.err);
  CHECK_MESSAGE(has(refused.err, "spec.allow.clusters"), refused.err);
  // An administrator's context mends it.
  const Ran mended =
      project.contexts.kubist({"cluster", "rotate", "eu", "-n", project.ns, "--context", "eu"});
  CHECK_MESSAGE(mended.code == 0, mended.err);
  CHECK(has(mended.out, "https://127.0.0.1:1"));
  CHECK(project.contexts.kubist({"cluster", "check", "eu", "-n", project.ns}).code == 0);
}

TEST_CASE("cluster: the guard of either context stands before its cluster") {
  const Project project;
  const util::TempDir folder("guards");
  const std::string file = (folder.path() / "config.yaml").string();
  const Variable config("KUBIST_CONFIG", file);
  for (const char* guarded : {"eu", "home"}) {
    CAPTURE(guarded);
    REQUIRE(util::write_file(file, cat("contexts:\n  ", guarded, ": {readOnly: true}\n")));
    const Ran refused = project.add();
    CHECK_MESSAGE(refused.code == 5, refused.err);
    CHECK(has(refused.err, cat(file, ":2:")));
    CHECK(project.contexts.kubectl({"get", "secret", "eu-kubeconfig", "-n", project.ns}).code != 0);
    const bool made = project.there({"get", "namespace", project.account_ns}).code == 0;
    CHECK(made == (guarded == std::string("home")));
    CHECK(project.add({"--dry-run=server"}).code == 0);
  }
}

TEST_CASE("cluster: trees of several contexts name them, in both forms") {
  const Project project;
  const std::string name = cat("Project/", project.ns);
  const util::TempDir folder("trees");
  const std::string file = (folder.path() / "project.yaml").string();
  REQUIRE(util::write_file(
      file, cat("apiVersion: kubist.io/v1alpha1\nkind: Project\nmetadata: {name: ", project.ns,
                "}\nspec: {home: {namespaces: [", project.ns, "]}}\n")));
  REQUIRE(project.contexts.kubist({"apply", "-f", file}).code == 0);
  const Contexts contexts({{"one", "home"}, {"two", "home"}, {"gone", "nobody"}});
  const Ran drawn = contexts.kubist({"tree", name, "--contexts", "two,gone,one"});
  CHECK(drawn.code == 1);
  CHECK_MESSAGE(has(drawn.err, "context gone: "), drawn.err);
  CHECK(drawn.out.starts_with("CONTEXT  NAME"));
  CHECK(has(drawn.out, cat("\ntwo      ", name)));
  CHECK(has(drawn.out, cat("\none      ", name)));
  const Ran json = contexts.kubist(
      {"tree", name, "--contexts", "two,one", "-o", "jsonpath={.roots[*].context}"});
  CHECK(json.out == "two one");
  project.must({"delete", "project.kubist.io", project.ns, "--wait=false"});
}
