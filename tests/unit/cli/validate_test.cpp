// `kubist validate` without a cluster: what it finds, where, and how it reports.
#include <doctest/doctest.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/process.hpp>
#include <kubist/util/text.hpp>

#include "run_words.hpp"
#include "support/paths.hpp"

using namespace kubist;
using kubist::testing::run_words;

namespace {

class InputFile {
 public:
  explicit InputFile(std::string_view text) {
    REQUIRE(util::write_file(m_folder.path() / "input.yaml", text));
  }
  std::string path() const { return m_folder.path() / "input.yaml"; }

 private:
  util::TempDir m_folder{"validate-test"};
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Lines 1 to 4.
constexpr std::string_view k_project = R"(apiVersion: kubist.io/v1alpha1
kind: Project
metadata: {name: shop}
---
)";

// Lines 5 to 21.
constexpr std::string_view k_others = R"(apiVersion: kubist.io/v1alpha1
kind: VirtualCluster
metadata: {name: dev, namespace: shop}
spec:
  clusterRef: {name: hom}
---
apiVersion: kubist.io/v1alpha1
kind: Execution
metadata: {name: app, namespace: shop}
spec:
  virtualClusterRef: {name: nope}
  dependsOn:
    - Execution/nothere
  items:
    - name: make
      type: Script
      script: exit 0
)";

}  // namespace

TEST_CASE("validate: of a project in the input, what it refers to has to be there") {
  const InputFile file(util::cat(k_project, k_others));
  const auto ran = run_words({"validate", "-f", file.path()});
  CAPTURE(ran.err);
  CHECK(ran.code == 1);
  CHECK(ran.out.empty());
  CHECK(has(ran.err, util::cat(file.path(),
                               ":9:22: VirtualCluster/dev: there is no Cluster/hom in "
                               "namespace \"shop\"")));
  CHECK(has(ran.err, util::cat(file.path(),
                               ":15:29: Execution/app: there is no "
                               "VirtualCluster/nope in namespace \"shop\"")));
  CHECK(
      has(ran.err, util::cat(file.path(), ":17:7: Execution/app: there is no Execution/nothere")));
  // Without it they may be in the cluster.
  CHECK(run_words({"validate", "-f", InputFile(k_others).path()}).code == 0);
}

TEST_CASE("validate: the report of a valid input names its objects") {
  const InputFile file(k_project);
  const auto junit = run_words({"validate", "-f", file.path(), "--report", "junit"});
  CHECK(junit.code == 0);
  CHECK(junit.out.starts_with("<?xml version=\"1.0\""));
  CHECK(has(junit.out, "tests=\"1\" failures=\"0\" errors=\"0\""));
  CHECK(has(junit.out, util::cat("name=\"project.kubist.io/shop\" time=\"0.000\" file=\"",
                                 file.path(), "\" line=\"1\"/>")));
  const InputFile bad(util::cat(k_project, k_others));
  const auto refused = run_words({"validate", "-f", bad.path(), "--report", "junit"});
  CHECK(refused.code == 1);
  CHECK(has(refused.out, "tests=\"3\" failures=\"3\""));
  CHECK(has(refused.out, util::cat("file=\"", bad.path(), "\" line=\"17\"><failure")));
}

// Jsonnet runs in a child, which is the program itself.
TEST_CASE("validate: Jsonnet is checked, with its place in the file") {
  const auto validate = [](const std::string& path) {
    const auto ran = util::run_command({.args = {paths::program(), "validate", "-f", path}});
    REQUIRE(ran);
    return *ran;
  };
  const std::string head = R"(apiVersion: kubist.io/v1alpha1
kind: Execution
metadata: {name: app, namespace: shop}
spec:
  items:
    - name: web
      type: Templates
)";
  const InputFile good(head + "      template: |\n        function(ctx)\n          []\n");
  const auto passed = validate(good.path());
  CHECK_MESSAGE(passed.exit_code == 0, passed.err);

  const std::string name = "Execution/app/items/web/template: ";
  const InputFile unknown(head + "      template: |\n        function(ctx)\n          [objs]\n");
  const auto ran = validate(unknown.path());
  CHECK(ran.exit_code == 1);
  CHECK_MESSAGE(has(ran.err, util::cat(unknown.path(), ":10:12: ", name, "Unknown variable: objs")),
                ran.err);

  const InputFile cut(head + "      template: \"function(c) [\"\n");
  const auto end = validate(cut.path());
  CHECK(end.exit_code == 1);
  CHECK_MESSAGE(has(end.err, util::cat(cut.path(), ":8:17: ", name, "at its end: ")), end.err);

  const InputFile folded(head + "      template: \"function(c) foo\"\n");
  CHECK(has(validate(folded.path()).err,
            util::cat(":8:17: ", name, "line 1, column 13: Unknown variable: foo")));

  const InputFile policy(R"(apiVersion: kubist.io/v1alpha1
kind: PolicyDefinition
metadata: {name: p, namespace: shop}
spec:
  runtime:
    jsonnet:
      source: "{a: 1}"
)");
  const auto object = validate(policy.path());
  CHECK(object.exit_code == 1);
  CHECK_MESSAGE(has(object.err, ":7:15: PolicyDefinition/p: the source is not a function"),
                object.err);
}
