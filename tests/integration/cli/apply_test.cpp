// `apply` beside `kubectl apply --server-side`: what either made or changed by other commands, and
// what stands in the file, gives equal objects. Their words on stdout differ:
// docs/reference/kubectl.md.
#include <cstdlib>

#include <doctest/doctest.h>

#include "twins.hpp"

using namespace kubist;
using namespace kubist::testing;
using util::cat;

namespace {

/// kubectl's words get `--server-side`; kubist always does. kubist's exit code.
int apply_by_both(const Twins& twins, const Words& words) {
  CAPTURE(util::join(words, " "));
  Words theirs = words;
  theirs.push_back("--server-side");
  const Ran ours = twins.ask("kubist", words);
  const Ran by_kubectl = twins.ask("kubectl", theirs);
  CHECK_MESSAGE((ours.code == 0) == (by_kubectl.code == 0), ours.err, by_kubectl.err);
  return ours.code;
}

std::string map_of(const std::string& data) {
  return cat("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {", data, "}\n");
}

std::string deployment_of(const std::string& more) {
  return cat("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n", more,
             "  selector: {matchLabels: {a: b}}\n"
             "  template:\n    metadata: {labels: {a: b}}\n"
             "    spec: {containers: [{name: c, image: localhost/busybox:1}]}\n");
}

/// A kind for each of the two programs; both are gone with this.
class Kinds {
 public:
  explicit Kinds(const Twins& twins) : m_twins(twins) {}
  ~Kinds() {
    kubectl({"delete", "crd", plural("kubectl"), plural("kubist"), "--ignore-not-found",
             "--wait=false"});
  }
  Kinds(const Kinds&) = delete;
  Kinds& operator=(const Kinds&) = delete;

  std::string group(const std::string& who) const { return m_twins.ns(who) + ".example.com"; }
  std::string plural(const std::string& who) const { return "things." + group(who); }
  std::string singular(const std::string& who) const { return "thing." + group(who); }
  std::string object(const std::string& who) const {
    return cat("apiVersion: ", group(who), "/v1\nkind: Thing\nmetadata: {name: one}\n");
  }
  std::string definition(const std::string& who) const {
    return cat(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: ",
        plural(who), "}\nspec:\n  group: ", group(who),
        "\n  scope: Namespaced\n  names: {kind: Thing, plural: things, singular: thing}\n"
        "  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: "
        "{type: object}}}]\n");
  }

 private:
  const Twins& m_twins;
};

const Words k_map{"get", "configmap", "m", "-o", "jsonpath={.data} {.metadata.labels}"};

}  // namespace

TEST_CASE("apply: a field that leaves the file of client-side kubectl apply goes") {
  const Twins twins("apply");
  twins.write("two.yaml", map_of("a: '1', b: '1'"));
  twins.write("one.yaml", map_of("a: '1'"));
  twins.make({"apply", "-f", "FOLDER/two.yaml"});
  CHECK(apply_by_both(twins, {"apply", "-f", "FOLDER/one.yaml"}) == 0);
  CHECK(twins.ask("kubist", k_map).out == "{\"a\":\"1\"} ");
  // What kubectl leaves there of its own annotation nobody reads any more.
  twins.check_equal({"get", "configmap", "m", "-o", "jsonpath={.data}"});
}

TEST_CASE("apply: what other commands of kubectl own is a conflict, and forced it changes hands") {
  struct Case {
    const char* manager;
    std::vector<Words> made;
  };
  const Words create{"create", "-f", "FOLDER/one.yaml"};
  const std::vector<Case> cases{
      {"kubectl-create", {{"create", "-f", "FOLDER/two.yaml"}}},
      {"kubectl-replace", {create, {"replace", "-f", "FOLDER/two.yaml"}}},
      {"kubectl-patch", {create, {"patch", "configmap", "m", "-p", R"({"data":{"a":"two"}})"}}},
      {"kubectl-edit", {create, {"edit", "configmap", "m"}}},
      {"kubectl-label", {create, {"label", "configmap", "m", "app=two"}}},
  };
  ::setenv("KUBE_EDITOR", "sed -i s/one/two/", 1);
  for (const Case& made : cases) {
    CAPTURE(made.manager);
    const Twins twins("apply");
    twins.write("one.yaml", map_of("a: one, b: other"));
    twins.write("two.yaml", map_of("a: two, b: other"));
    twins.write("new.yaml",
                util::replace_all(map_of("a: three"), "name: m", "name: m, labels: {app: three}"));
    for (const Words& words : made.made) {
      twins.make(words);
    }
    CHECK(kubectl({"-n", twins.ns("kubist"), "get", "configmap", "m", "--show-managed-fields", "-o",
                   "jsonpath={.metadata.managedFields[*].manager}"})
              .out.find(made.manager) != std::string::npos);
    CHECK(apply_by_both(twins, {"apply", "-f", "FOLDER/new.yaml"}) == 6);
    twins.check_equal(k_map);
    CHECK(apply_by_both(twins, {"apply", "-f", "FOLDER/new.yaml", "--force-conflicts"}) == 0);
    twins.check_equal(k_map);
    CHECK(twins.ask("kubist", k_map).out.find("\"a\":\"three\"") != std::string::npos);
  }
  ::unsetenv("KUBE_EDITOR");
}

TEST_CASE("apply: what kubectl scale set stays where the file does not say it") {
  const Twins twins("apply");
  twins.make({"create", "quota", "none", "--hard=pods=0"});
  twins.write("first.yaml", deployment_of("  replicas: 0\n"));
  twins.write("silent.yaml", deployment_of(""));
  twins.write("says.yaml", deployment_of("  replicas: 2\n"));
  const Words k_replicas{"get", "deployment", "web", "-o", "jsonpath={.spec.replicas}"};
  for (const char* who : {"kubist", "kubectl"}) {
    Words words{"apply", "-f", "FOLDER/first.yaml"};
    words.resize(who == std::string("kubectl") ? 4 : 3, "--server-side");
    REQUIRE(twins.ask(who, words).code == 0);
  }
  twins.make({"scale", "deployment/web", "--replicas=1"});
  CHECK(apply_by_both(twins, {"apply", "-f", "FOLDER/says.yaml"}) == 6);
  CHECK(apply_by_both(twins, {"apply", "-f", "FOLDER/silent.yaml"}) == 0);
  twins.check_equal(k_replicas);
  CHECK(twins.ask("kubist", k_replicas).out == "1");
}

TEST_CASE("apply: nulls and fields of another kind mean what they mean server-side") {
  const Twins twins("apply");
  twins.write("quota.yaml",
              "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {cpu: null, "
              "pods: '0'}}\n");
  CHECK(apply_by_both(twins, {"apply", "-f", "FOLDER/quota.yaml"}) == 0);
  twins.check_equal({"get", "quota", "q", "-o", "jsonpath={.spec}"});
  twins.write("rolling.yaml", deployment_of("  replicas: 0\n"));
  twins.write("recreate.yaml", deployment_of("  replicas: 0\n  strategy: {type: Recreate}\n"));
  CHECK(apply_by_both(twins, {"apply", "-f", "FOLDER/rolling.yaml"}) == 0);
  CHECK(apply_by_both(twins, {"apply", "-f", "FOLDER/recreate.yaml"}) == 1);
  twins.check_equal({"get", "deployment", "web", "-o", "jsonpath={.spec.strategy}"});
  twins.write("unknown.yaml", map_of("a: one") + "foo: bar\n");
  for (const char* mode : {"strict", "warn", "false"}) {
    CHECK(apply_by_both(twins, {"apply", "-f", "FOLDER/unknown.yaml", cat("--validate=", mode)}) ==
          1);
  }
  twins.check_equal({"get", "configmaps", "-o", "name"});
}

TEST_CASE("apply: all or nothing of what is wrong in itself, and kinds before what needs them") {
  const Twins twins("apply");
  twins.write("set/a.yaml", map_of("a: one"));
  twins.write("set/b.yaml", map_of("a: one") + "foo: bar\n");
  CHECK(twins.ask("kubectl", {"apply", "-f", "FOLDER/set"}).code != 0);
  const Ran refused = twins.ask("kubist", {"apply", "-f", "FOLDER/set"});
  CHECK(refused.code == 1);
  CHECK(refused.out.empty());
  CHECK(twins.ask("kubist", {"get", "configmap", "m", "--ignore-not-found"}).out.empty());
  CHECK(!twins.ask("kubectl", {"get", "configmap", "m", "--ignore-not-found"}).out.empty());

  // A kind is the whole cluster's, so each program has one of its own.
  const Kinds kinds(twins);
  for (const char* who : {"kubectl", "kubist"}) {
    twins.write(cat("kinds/", who, "/a.yaml"), kinds.object(who));
    twins.write(cat("kinds/", who, "/b.yaml"), kinds.definition(who));
  }
  const Words theirs{"apply", "--server-side", "-f", "FOLDER/kinds/kubectl"};
  const Ran first = twins.ask("kubectl", theirs);
  CHECK(first.code == 1);
  CHECK_MESSAGE(first.err.find("ensure CRDs are installed first") != std::string::npos, first.err);
  const Ran ours = twins.ask("kubist", {"apply", "-f", "FOLDER/kinds/kubist"});
  CHECK_MESSAGE(ours.code == 0, ours.err);
  for (const char* who : {"kubectl", "kubist"}) {
    const std::string made =
        kubectl({"-n", twins.ns(who), "get", kinds.plural(who), "-o", "name", "--ignore-not-found"})
            .out;
    CHECK((made == cat(kinds.singular(who), "/one\n")) == (who == std::string("kubist")));
  }
}

TEST_CASE("apply: what it prints, and flags that change nothing") {
  const Twins twins("apply");
  twins.write("m.yaml", map_of("a: one"));
  CHECK(twins.ask("kubist", {"apply", "--server-side", "-f", "FOLDER/m.yaml"}).out ==
        "configmap/m created\n");
  CHECK(twins.ask("kubist", {"apply", "--server-side", "-f", "FOLDER/m.yaml"}).out ==
        "configmap/m unchanged\n");
  CHECK(twins.ask("kubectl", {"apply", "--server-side", "-f", "FOLDER/m.yaml"}).code == 0);
  for (const Words& more :
       {Words{"--overwrite"}, Words{"--openapi-patch=false"}, Words{"-o", "name"},
        Words{"-o", "jsonpath={.data.a}"}, Words{"--cache-dir=/nosuch"}}) {
    Words words{"apply", "-f", "FOLDER/m.yaml", "--server-side"};
    words.insert(words.end(), more.begin(), more.end());
    CAPTURE(util::join(words, " "));
    const Ran theirs = twins.ask("kubectl", words);
    const Ran ours = twins.ask("kubist", words);
    CHECK(ours.out == util::replace_all(theirs.out, "serverside-applied", "unchanged"));
    CHECK_MESSAGE(ours.code == 0, ours.err);
    CHECK(theirs.code == 0);
  }
}
