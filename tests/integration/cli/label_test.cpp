// `label` and `annotate` do and say what kubectl's do.
#include <doctest/doctest.h>

#include "twins.hpp"

using namespace kubist;
using namespace kubist::testing;

namespace {

void make_labelled(const Twins& twins) {
  for (const char* name : {"a", "b"}) {
    twins.make({"create", "configmap", name, "--from-literal=k=v"});
  }
  twins.make({"create", "service", "clusterip", "s", "--tcp=80:80"});
  twins.write("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
}

/// In their order: each finds what those before left.
const std::vector<Words> k_labelling{
    {"label", "cm", "a", "x=1"},
    {"label", "cm", "a", "x=1"},
    {"label", "cm", "a", "x=2"},
    {"label", "cm", "a", "x=2", "y=1", "--overwrite"},
    {"label", "cm", "a", "x-", "z=1"},
    {"label", "cm", "a", "nope-"},
    {"label", "cm", "a", "z-"},
    {"label", "cm/a", "service/s", "q=1"},
    {"label", "cm,service", "-l", "q=1", "r=1"},
    {"label", "cm", "-l", "no=match", "q=1"},
    {"label", "cm", "--field-selector", "metadata.name=b", "f=1"},
    {"label", "cm", "--all", "w=1", "--dry-run=client"},
    {"label", "cm", "--all", "w=1", "--dry-run=server"},
    {"label", "cm", "b", "--list"},
    {"label", "cm", "-l", "f", "--list"},
    {"label", "service", "s", "x=", "-o", "name"},
    {"label", "-f", "FOLDER/a.yaml", "file=1"},
    {"label", "cm", "a", "nosuch", "half=1"},
    {"label", "cm", "w=1"},
    {"label", "cm", "a"},
    {"label", "cm", "a", "x=a b"},
    {"label", "cm", "a", "v=1", "v-"},
    {"label", "cm", "a", "v=1", "cm/b"},
    {"label", "cm", "a", "-l", "q=1", "v=1"},
    {"label", "cm", "--all", "-l", "q=1", "v=1"},
    {"label", "cm", "a", "v=2", "--resource-version=1"},
    {"label", "cm", "a", "b", "v=2", "--resource-version=1"},
    {"label", "cm", "a", "q=1", "-o", "jsonpath={.metadata.labels.q}"},
    {"annotate", "cm", "a", "x=1"},
    {"annotate", "cm", "a", "x=1"},
    {"annotate", "cm", "a", "x=2"},
    {"annotate", "cm", "a", "x=2", "--overwrite"},
    {"annotate", "cm", "a", "x-", "y=a=b c"},
    {"annotate", "cm", "a", "nope-"},
    {"annotate", "cm", "b", "x.io/y=1", "--dry-run=server"},
    {"annotate", "cm", "a", "--list"},
    {"annotate", "cm", "-l", "q=1", "--list"},
    {"annotate", "-f", "FOLDER/a.yaml", "file=1"},
    {"annotate", "cm", "a", "v=1", "v-"},
    {"annotate", "cm", "a"},
    {"annotate", "cm", "nosuch", "a=1"},
};

const Words k_metadata{"get", "cm,service", "-o",
                       "jsonpath={range .items[*]}{.metadata.name} {.metadata.labels} "
                       "{.metadata.annotations}{\"\\n\"}{end}"};

}  // namespace

TEST_CASE("label: what it says and does is what kubectl says and does") {
  const Twins twins("label");
  make_labelled(twins);
  for (const Words& words : k_labelling) {
    twins.check_same(words);
  }
  twins.check_equal(k_metadata);
}

TEST_CASE("label: what changes nothing writes nothing, and a dry run neither") {
  const Twins twins("label");
  make_labelled(twins);
  const Words version{"get", "cm", "a", "-o", "jsonpath={.metadata.resourceVersion}"};
  CHECK(twins.ask("kubist", {"annotate", "cm", "a", "x=1"}).code == 0);
  const std::string before = twins.ask("kubist", version).out;
  for (const Words& words : {Words{"annotate", "cm", "a", "x=1"}, Words{"label", "cm", "a", "x-"},
                             Words{"label", "cm", "a", "y=1", "--dry-run=server"},
                             Words{"label", "cm", "a", "y=1", "--dry-run=client"}}) {
    CAPTURE(util::join(words, " "));
    CHECK(twins.ask("kubist", words).code == 0);
    CHECK(twins.ask("kubist", version).out == before);
  }
  CHECK(twins.ask("kubist", {"label", "cm", "a", "y=1"}).code == 0);
  CHECK(twins.ask("kubist", version).out != before);
}

TEST_CASE("label: the value of an annotation stays out of errors, and usage has its exit code") {
  const Twins twins("label");
  make_labelled(twins);
  CHECK(twins.ask("kubist", {"annotate", "cm", "a", "x=hunter2"}).code == 0);
  const Ran refused = twins.ask("kubist", {"annotate", "cm", "a", "x=other"});
  CHECK(refused.code == 1);
  CHECK(refused.err.find("'x' already has a value, and --overwrite is false") != std::string::npos);
  CHECK(refused.err.find("hunter2") == std::string::npos);
  CHECK(twins.ask("kubist", {"label", "cm", "a"}).code == 64);
  CHECK(twins.ask("kubist", {"label", "cm", "a", "v=2", "--resource-version=1"}).code == 6);
  twins.write(
      "default.yaml",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kube-root-ca.crt, namespace: default}\n");
  twins.check_same({"label", "-f", "FOLDER/default.yaml", "v=1"});  // of another namespace than -n
  CHECK(kubectl({"label", "-n", "default", "cm", "kube-root-ca.crt", "--list"}).out == "");
}
