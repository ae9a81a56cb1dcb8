// `diff` as kubectl's: which objects, which program compares them, and its exit code.
#include <cstdlib>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "twins.hpp"

using namespace kubist;
using namespace kubist::testing;
using util::cat;

namespace {

constexpr const char* k_diff_variable = "KUBECTL_EXTERNAL_DIFF";

/// The variable for both programs, gone at the end.
class DiffProgram {
 public:
  explicit DiffProgram(const std::string& words) { ::setenv(k_diff_variable, words.c_str(), 1); }
  ~DiffProgram() { ::unsetenv(k_diff_variable); }
  DiffProgram(const DiffProgram&) = delete;
  DiffProgram& operator=(const DiffProgram&) = delete;
};

std::string new_map(const std::string& name, const std::string& more) {
  return cat("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ", name, more,
             "}\ndata: {k: new}\n");
}

void make_diff_set(const Twins& twins) {
  twins.make({"create", "configmap", "a", "--from-literal=k=old"});
  twins.make({"label", "configmap", "a", "app=x"});
  twins.make({"create", "secret", "generic", "s", "--from-literal=p=correct-horse"});
  twins.write("set.yaml", new_map("a", ", labels: {app: x}") + new_map("b", ""));
  twins.write("secret.yaml",
              "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {p: battery}\n");
  // Names of folders and times differ from run to run: what counts is files and lines.
  twins.write(
      "compare",
      "#!/bin/sh\nfor side in \"$1\" \"$2\"; do (cd \"$side\" && for f in *; do "
      "[ -f \"$f\" ] && echo \"$f\" && grep '^  [kp]: ' \"$f\"; done); done; exit ${3:-1}\n");
  REQUIRE(::chmod(twins.file("compare").c_str(), 0700) == 0);
}

const Words k_diff{"diff", "--server-side", "--force-conflicts", "-f", "FOLDER/set.yaml"};

}  // namespace

TEST_CASE("diff: another program gets the same files, says what it likes, and how it ended") {
  const Twins twins("diff");
  make_diff_set(twins);
  {
    const DiffProgram program(twins.file("compare"));
    twins.check_same(k_diff);
    const Ran ours = twins.ask("kubist", k_diff);
    CHECK(ours.code == 1);
    CHECK(ours.out ==
          "v1.ConfigMap.NS.a\n  k: old\nv1.ConfigMap.NS.b\n"
          "v1.ConfigMap.NS.a\n  k: new\nv1.ConfigMap.NS.b\n  k: new\n");
    const Ran secret = twins.ask("kubist", {"diff", "-f", "FOLDER/secret.yaml"});
    CHECK(secret.out.find("v1.Secret.NS.s\n  p: '*** (before)'\n") != std::string::npos);
  }
  for (const char* words : {"true", "false", "grep no-such-word"}) {
    const DiffProgram program(words);
    CAPTURE(words);
    twins.check_same(k_diff);
  }
  const DiffProgram program("no-such-program");
  const Ran ours = twins.ask("kubist", k_diff);
  CHECK(ours.code == 70);
  CHECK_MESSAGE(ours.err.find("$KUBECTL_EXTERNAL_DIFF") != std::string::npos, ours.err);
}

TEST_CASE("diff: only what has the labels, and flags that change nothing are taken") {
  const Twins twins("diff");
  make_diff_set(twins);
  const DiffProgram program(twins.file("compare"));
  for (const Words& more : {Words{"-l", "app=x"}, Words{"-l", "!app"}, Words{"--concurrency=4"}}) {
    Words words = k_diff;
    words.insert(words.end(), more.begin(), more.end());
    twins.check_same(words);
  }
  Words labelled = k_diff;
  labelled.insert(labelled.end(), {"-l", "app=x"});
  CHECK(twins.ask("kubist", labelled).out ==
        "v1.ConfigMap.NS.a\n  k: old\nv1.ConfigMap.NS.a\n  k: new\n");
  // Where nothing differs, there is nothing to compare.
  CHECK(twins.ask("kubist", {"diff", "-f", "FOLDER/set.yaml", "-l", "app=none"}).code == 0);
  labelled.push_back("--prune");
  labelled.push_back("--inventory=set");
  CHECK(twins.ask("kubist", labelled).code == 64);
}
