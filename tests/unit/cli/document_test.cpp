// -o json, yaml and jsonpath of commands that have a form of their own for people.
#include <doctest/doctest.h>

#include <kubist/data/json.hpp>

#include "output/set_report.hpp"
#include "run_words.hpp"

using namespace kubist;
using data::Json;
using testing::Ran;
using testing::run_words;

namespace {

apply::SetDiff config_map_diff(const std::string& name, apply::Outcome outcome,
                               std::vector<resources::ChangedPath> paths) {
  apply::SetDiff diff;
  diff.result.ref = {"", "ConfigMap", "shop", name};
  diff.result.api_version = "v1";
  diff.result.outcome = outcome;
  diff.diff.text = paths.empty() ? "" : "--- a\n+++ b\n";
  diff.diff.paths = std::move(paths);
  return diff;
}

}  // namespace

TEST_CASE("output: jsonpath prints a part of what json prints") {
  const Ran json = run_words({"policy", "list", "--offline", "-o", "json"});
  REQUIRE_MESSAGE(json.code == 0, json.err);
  const Json policies = Json::parse(json.out)["policies"];
  REQUIRE(policies.size() > 5);
  const Ran names =
      run_words({"policy", "list", "--offline", "-o", "jsonpath={.policies[0].name}"});
  CHECK(names.code == 0);
  CHECK(names.out == policies[0]["name"].get<std::string>());
  const Ran as_json =
      run_words({"policy", "list", "--offline", "-o", "jsonpath-as-json={.policies[*].name}"});
  CHECK(Json::parse(as_json.out).size() == policies.size());

  const Ran wrong = run_words({"policy", "list", "--offline", "-o", "jsonpath={.policies["});
  CHECK(wrong.code == 1);
  CHECK(wrong.out.empty());
  CHECK(wrong.err.find("error: ") != std::string::npos);
  CHECK(run_words({"policy", "list", "--offline", "-o", "jsonpath"}).code == 64);
}

TEST_CASE("output: explain as a document") {
  const Ran yaml = run_words({"explain", "project.spec", "--offline", "-o", "yaml"});
  REQUIRE_MESSAGE(yaml.code == 0, yaml.err);
  CHECK(yaml.out.find("field: spec\n") != std::string::npos);
  const Ran required = run_words({"explain", "virtualcluster.spec", "--offline", "-o",
                                  "jsonpath={.fields[?(@.required==true)].name}"});
  CHECK(required.code == 0);
  CHECK(required.out.find("clusterRef") != std::string::npos);
  CHECK(required.out.find("settings") == std::string::npos);
}

TEST_CASE("output: diff tells of what differs or failed") {
  using Change = resources::ChangedPath::Change;
  apply::SetDiffs diffs;
  diffs.objects = {config_map_diff("same", apply::Outcome::unchanged, {}),
                   config_map_diff("other", apply::Outcome::configured,
                                   {{"data.a", Change::replaced}, {"data.b", Change::added}})};
  diffs.objects.push_back(config_map_diff("bad", apply::Outcome::failed, {}));
  diffs.objects.back().result.error = util::make_error(util::ErrorKind::invalid, "no");
  CHECK(cli::diffs_json(diffs, {}) == Json::parse(R"({"differs": true, "objects": [
    {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "other",
     "outcome": "configured", "diff": "--- a\n+++ b\n",
     "changes": [{"path": "data.a", "change": "replaced"}, {"path": "data.b", "change": "added"}]},
    {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "bad",
     "outcome": "failed", "diff": "", "changes": [], "error": {"kind": "invalid", "message": "no"}}
  ]})"));
}
