// Flags of kubectl's that kubist takes, and what it does otherwise on purpose:
// docs/reference/kubectl.md has each difference with its reason.
#include <algorithm>

#include <doctest/doctest.h>

#include <kubist/data/json.hpp>

#include "support/live.hpp"
#include "twins.hpp"

using namespace kubist;
using namespace kubist::testing;
using data::Json;
using util::cat;

namespace {

void make_some(const Twins& twins) {
  twins.make({"create", "configmap", "a", "--from-literal=k=v"});
  twins.make({"create", "secret", "generic", "s", "--from-literal=p=x"});
}

std::vector<std::string> sorted_lines(const std::string& text) {
  auto lines = util::split(text, '\n');
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// A policy of the API server, in force, that takes no label `denied` in the two namespaces.
class Denial {
 public:
  explicit Denial(const Twins& twins) : m_name(twins.ns("denial")) {
    const std::string head = "apiVersion: admissionregistration.k8s.io/v1\nkind: Validating";
    const std::string named = cat("\nmetadata: {name: ", m_name, "}\nspec:\n");
    twins.write(
        "denial.yaml",
        cat(head, "AdmissionPolicy", named,
            "  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], "
            "operations: [UPDATE], resources: [configmaps]}]}\n  validations: [{expression: "
            "\"!('denied' in object.metadata.?labels.orValue({}))\"}]\n---\n",
            head, "AdmissionPolicyBinding", named, "  policyName: ", m_name,
            "\n  validationActions: [Deny]\n  matchResources: {namespaceSelector: "
            "{matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [",
            twins.ns("kubectl"), ", ", twins.ns("kubist"), "]}]}}\n"));
    const Ran made = kubectl({"apply", "-f", twins.file("denial.yaml")});
    REQUIRE_MESSAGE(made.code == 0, made.err);
    for (const char* who : {"kubectl", "kubist"}) {
      REQUIRE(it::eventually([&] {
        return kubectl({"-n", twins.ns(who), "label", "configmap", "a", "denied=yes",
                        "--dry-run=server"})
                   .code != 0;
      }));
    }
  }
  ~Denial() {
    kubectl({"delete", "validatingadmissionpolicy,validatingadmissionpolicybinding", m_name});
  }
  Denial(const Denial&) = delete;
  Denial& operator=(const Denial&) = delete;

 private:
  std::string m_name;
};

/// The lines without their last column, which is an age.
std::string without_ages(const std::string& table) {
  std::string text;
  for (const std::string& line : util::split(table, '\n')) {
    text += cat(util::trim(line.substr(0, line.rfind(' '))), '\n');
  }
  return text;
}

const std::vector<Words> k_taken{
    {"get", "configmap", "a", "-o", "name", "--cache-dir=/nosuch"},
    {"get", "configmap", "a", "-o", "name", "--disable-compression"},
    {"get", "configmap", "a", "-o", "name", "--log-flush-frequency=1s"},
    {"get", "configmap", "a", "-o", "name", "--profile=none", "--profile-output=nosuch"},
    {"get", "configmap", "a", "-o", "name", "--vmodule=nosuch=9"},
    {"describe", "secret", "s", "--chunk-size=1"},
    {"events", "--chunk-size=1"},
    {"delete", "configmap", "a", "--cascade=true", "--dry-run=client"},
    {"delete", "configmap", "a", "--cascade=false", "--dry-run=client"},
    {"delete", "configmap", "a", "--cascade", "--dry-run=client"},
    {"delete", "configmap", "a", "--request-timeout=5", "--dry-run=server"},
    {"explain", "configmap", "--output=plaintext"},
    {"api-resources", "--api-group=no.such.group"},
    {"api-resources", "--api-group=no.such.group", "--no-headers"},
    {"get", "horizontalpodautoscalers.autoscal"},
    {"get", "hpa.nosuch"},
    {"get", "configmap", "a", "--context=nosuch"},
    {"get", "configmap", "a", "--user=nosuch"},
    {"get", "configmap", "a", "--cluster=nosuch"},
    {"get", "configmap", "a", "--kubeconfig=/nosuch"},
};

}  // namespace

TEST_CASE("meant: flags that change nothing are taken, and shown nowhere") {
  const Twins twins("meant");
  make_some(twins);
  for (const Words& words : k_taken) {
    twins.check_same(words);
  }
  CHECK(run_kubist({"options"}).out.find("--cache-dir") == std::string::npos);
  CHECK(run_kubist({"describe", "--help"}).out.find("--chunk-size") == std::string::npos);
}

TEST_CASE("meant: a category is deleted as its kinds are") {
  const Twins twins("meant");
  make_some(twins);
  for (const char* name : {"one", "two"}) {
    twins.make({"create", "service", "clusterip", name, "--tcp=80:80"});
  }
  twins.make({"label", "service", "one", "app=x", "--overwrite"});
  for (const Words& words :
       {Words{"delete", "all", "-l", "app=none"}, Words{"delete", "all", "-l", "app=x"},
        Words{"delete", "all", "--all", "--dry-run=client"}, Words{"delete", "all", "--all"}}) {
    CAPTURE(util::join(words, " "));
    const Ran theirs = twins.ask("kubectl", words);
    const Ran ours = twins.ask("kubist", words);
    CHECK(sorted_lines(ours.out) == sorted_lines(theirs.out));
    CHECK_MESSAGE(ours.code == 0, ours.err);
    CHECK(theirs.code == 0);
    twins.check_equal({"get", "services,configmaps", "-o", "name"});
  }
}

TEST_CASE("meant: kubectl's warnings before a deletion") {
  const Twins twins("meant");
  make_some(twins);
  for (const Words& words : {Words{"delete", "configmap", "a", "--force"},
                             Words{"delete", "namespace", "meant-no-such-namespace"}}) {
    CAPTURE(util::join(words, " "));
    const Ran theirs = twins.ask("kubectl", words);
    const Ran ours = twins.ask("kubist", words);
    CHECK(theirs.err.starts_with("Warning: "));
    CHECK(ours.err.substr(0, ours.err.find('\n')) == theirs.err.substr(0, theirs.err.find('\n')));
  }
}

TEST_CASE("meant: exit codes tell what kubectl's 1 does not") {
  struct Case {
    Words words;
    int code;
  };
  const Twins twins("meant");
  make_some(twins);
  const Denial denial(twins);
  for (const Case& told :
       {Case{{"wait", "configmap/a", "--for=condition=Never", "--timeout=1s"}, 3},
        Case{{"label", "configmap", "a", "x=y", "--resource-version=1"}, 6},
        Case{{"label", "configmap", "a", "denied=yes"}, 5},
        Case{{"get", "configmaps", "--as=jane"}, 1},  // no right is no policy
        Case{{"get", "configmap", "a", "--nosuch"}, 64},
        Case{{"diff", "-f", "FOLDER/nosuch.yaml"}, 70}}) {
    CAPTURE(util::join(told.words, " "));
    CHECK(twins.ask("kubist", told.words).code == told.code);
    CHECK(twins.ask("kubectl", told.words).code == (told.code == 70 ? 2 : 1));
  }
}

TEST_CASE("meant: what programs read of versions, kinds and events") {
  const Twins twins("meant");
  const Json ours = Json::parse(twins.ask("kubist", {"version", "-o", "json"}).out);
  const Json theirs = Json::parse(twins.ask("kubectl", {"version", "-o", "json"}).out);
  for (const auto& [key, value] : ours["clientVersion"].items()) {
    CAPTURE(key);
    REQUIRE(theirs["clientVersion"].contains(key));
    CHECK(value.type() == theirs["clientVersion"][key].type());
  }
  CHECK(ours["clientVersion"].size() == 4);
  CHECK(ours["clientVersion"]["platform"] == theirs["clientVersion"]["platform"]);
  CHECK(theirs["serverVersion"].size() > 5);
  for (const auto& [key, value] : theirs["serverVersion"].items()) {
    CHECK(ours["serverVersion"][key] == value);
  }
  const Json events = Json::parse(twins.ask("kubist", {"events", "-o", "json"}).out);
  CHECK(events["kind"] == "List");  // kubectl's is an EventList, and nothing where there is none
  const Json kinds = Json::parse(twins.ask("kubist", {"api-resources", "-o", "json"}).out);
  CHECK(kinds["kind"] == "APIResourceList");
}

TEST_CASE("meant: a watch with the events is kubectl's, but for managedFields and ages") {
  const Twins twins("meant");
  make_some(twins);
  const auto both = [&](Words words, const char* more) {
    words.insert(words.begin(), {"-n", twins.ns("kubist")});
    words.insert(words.end(), {"-w", "--output-watch-events", "--request-timeout=5s"});
    const Ran theirs = kubectl(words);
    words.push_back(more);
    const Ran ours = run_kubist(words);
    CHECK(ours.code == 0);
    CHECK(theirs.code == 0);
    return std::pair(ours.out, theirs.out);
  };
  const auto [with, whole] = both({"get", "configmap", "a", "-o", "json"}, "--show-managed-fields");
  CHECK(with == whole);
  CHECK(with.find("managedFields") != std::string::npos);
  const auto [table, theirs] = both({"get", "configmaps"}, "--show-managed-fields=false");
  CHECK(without_ages(table) == without_ages(theirs));
  CHECK(table.find("ADDED      a ") != std::string::npos);
  CHECK(twins.ask("kubist", {"events", "-w", "-o", "name", "--request-timeout=5s"}).code == 0);
}
