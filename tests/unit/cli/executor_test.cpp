#include <fstream>

#include <doctest/doctest.h>

#include <kubist/util/fs.hpp>

#include "run_words.hpp"

using namespace kubist;
using testing::Ran;
using testing::run_words;

TEST_CASE("executor test: cases of policies are another command's") {
  const util::TempDir folder("executor-test");
  const std::string file = folder.path() / "cases.yaml";
  std::ofstream(file) << "policy: JsonPatch\ninput: {items: [{spec: {}}]}\nexpected: {}\n";
  const Ran ran = run_words({"executor", "test", file});
  CHECK(ran.code == 1);
  CHECK(ran.err.find("no cases of executor in") != std::string::npos);
}

// Jsonnet itself is run by the built program: unit.examples.executors, unit.function.init.
TEST_CASE("executor test: a name that no file defines fails its case") {
  const util::TempDir folder("executor-test");
  const std::string file = folder.path() / "cases.yaml";
  std::ofstream(file) << "executor: {name: teams}\ninput: {items: [{spec: {}}]}\nexpected: {}\n";
  const Ran ran = run_words({"executor", "test", file});
  CHECK(ran.code == 1);
  CHECK_MESSAGE(ran.out.find("unknown executor \"teams\"") != std::string::npos, ran.out);
  std::ofstream(file) << "executor: {parameters: {}}\ninput: {items: [{spec: {}}]}\nexpected: {}\n";
  CHECK(run_words({"executor", "test", file}).err.find("its executor has no name") !=
        std::string::npos);
  CHECK(run_words({"executor", "run", "-f", file}).code == 64);
}

TEST_CASE("executor list: the built-in ones without a cluster") {
  const Ran ran = run_words({"executor", "list", "--offline"});
  CHECK(ran.code == 0);
  CHECK(ran.out.starts_with("NAME"));
  CHECK(ran.out.find("\nTrafficRoute") != std::string::npos);
  CHECK(ran.out.find("Instead") != std::string::npos);
}

TEST_CASE("executor init: kinds that cannot name one are usage errors") {
  const util::TempDir folder("executor-init");
  const std::string dir = folder.path();
  CHECK(run_words({"executor", "init", "x", "--kind", "DeployItem", "--dir", dir}).code == 64);
  CHECK(run_words({"executor", "init", "x", "--kind", "Moon", "--dir", dir}).code == 64);
  CHECK(run_words({"executor", "init", "X_y", "--dir", dir}).code == 64);
  CHECK(run_words({"executor", "init", "x", "--dir", dir}).code == 0);
  CHECK(run_words({"executor", "init", "x", "--dir", dir}).code == 1);
}
