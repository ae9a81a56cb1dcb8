// Words that mean one thing and could be read as another: names and namespaces that are none, empty
// values, two ways of choosing at once. Both programs refuse them, and nothing is deleted.
#include <doctest/doctest.h>

#include "twins.hpp"

using namespace kubist;
using namespace kubist::testing;

namespace {

void make_safe_maps(const Twins& twins) {
  for (const char* name : {"a", "b", "c"}) {
    twins.make({"create", "configmap", name, "--from-literal=k=v"});
  }
  twins.make({"label", "configmap", "a", "app=x"});
  twins.write("c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n");
}

const Words k_maps{"get", "configmaps", "-o", "name"};

/// Each is an error by both, and says nothing on stdout.
const std::vector<Words> k_refused{
    // Names that would reach another address than an object's.
    {"delete", "configmap", ".."},
    {"delete", "configmap/.."},
    {"delete", "pods", ".."},
    {"delete", "configmap", "."},
    {"delete", "configmap", "a%2fb"},
    {"get", "configmap", ".."},
    {"get", "configmap", "."},
    {"describe", "configmap/.."},
    {"wait", "configmap/..", "--for=delete", "--timeout=1s"},
    {"label", "configmap", "..", "x=y"},
    // Namespaces that would be all of them.
    {"delete", "configmap", "--all", "-n", ".."},
    {"delete", "configmap", "-l", "app=x", "-n", "."},
    {"get", "configmaps", "-n", ".."},
    {"get", "configmaps", "-n", "a/b"},
    {"apply", "-n", "..", "-f", "FOLDER/c.yaml"},
    // No name, where one is meant.
    {"get", "configmap", ""},
    {"get", "configmap", "", "-o", "name"},
    {"describe", "configmap", ""},
    {"wait", "configmap", "", "--for=delete", "--timeout=1s"},
    {"delete", "configmap", ""},
    {"delete", "configmap/"},
    // Two ways of choosing, or none.
    {"delete", "configmaps", "--all", "-l", "app=x"},
    {"delete", "configmaps", "a", "-l", "app=x"},
    {"delete", "configmaps", "a", "--all"},
    {"delete", "configmaps"},
    {"delete", "configmaps", "--selector="},
    {"delete", "configmap", "a", "-A"},
    {"delete", "configmap/a", "-A"},
    {"get", "configmap", "a", "-A"},
    // Ways of ending a pod that exclude each other.
    {"delete", "pod", "p", "--force", "--grace-period=1"},
    {"delete", "pod", "p", "--force", "--now"},
    {"delete", "pod", "p", "--now", "--grace-period=3"},
    {"get", "configmaps", "--output-watch-events"},
};

/// An empty value behind the '=', as an unset variable leaves it, is a value.
const std::vector<Words> k_empty_values{
    {"get", "configmap", "--namespace=", "kube-root-ca.crt", "-o", "name"},
    {"get", "configmap", "--selector=", "a", "-o", "name"},
    {"get", "configmaps", "--field-selector=", "-o", "name"},
    {"delete", "configmap", "--selector=", "nosuch"},
    {"api-resources", "--api-group=", "-o", "name"},
};

}  // namespace

TEST_CASE("safety: what could delete more than was meant is refused by both programs") {
  const Twins twins("safety");
  make_safe_maps(twins);
  for (const Words& words : k_refused) {
    CAPTURE(util::join(words, " "));
    twins.check_same(words);
    const Ran ours = twins.ask("kubist", words);
    CHECK_MESSAGE(ours.code != 0, ours.out);
    CHECK(ours.out.empty());
    CHECK(ours.err.starts_with("error: "));
  }
  CHECK(twins.ask("kubist", k_maps).out ==
        "configmap/a\nconfigmap/b\nconfigmap/c\nconfigmap/kube-root-ca.crt\n");
  twins.check_equal(k_maps);
}

TEST_CASE("safety: an empty value never takes the next word") {
  const Twins twins("safety");
  make_safe_maps(twins);
  for (const Words& words : k_empty_values) {
    twins.check_same(words);
  }
  CHECK(twins.ask("kubist", k_empty_values[1]).out == "configmap/a\n");
  twins.check_equal(k_maps);
}

TEST_CASE("safety: of a namespace before and behind the command the last one counts") {
  const Twins twins("safety");
  make_safe_maps(twins);
  const Words elsewhere{"delete", "configmaps", "--all", "-n", "safety-no-such-namespace"};
  twins.check_same(elsewhere);  // Twins puts -n in front
  CHECK(twins.ask("kubist", elsewhere).out == "No resources found\n");
  twins.check_equal(k_maps);
}
