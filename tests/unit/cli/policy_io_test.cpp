// The schemas of what policies read and write, against what the engine makes. What others' checkers
// say of them: tests/schemas/policy_io.py.
#include "policy_io.hpp"

#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/engine/graph.hpp>
#include <kubist/engine/resource_list.hpp>
#include <kubist/release/experiment_observation.hpp>
#include <kubist/release/observation.hpp>
#include <kubist/util/text.hpp>

#include "recorded_case.hpp"
#include "run_words.hpp"

using namespace kubist;
using data::Json;
using kubist::testing::run_words;

namespace {

/// What the schema of that document says of one.
std::string faults(std::string_view name, const Json& document) {
  const auto kind = cli::find_policy_io(name);
  REQUIRE(kind);
  const auto schema = data::Schema::compile(*kind->schema, *kind->components);
  REQUIRE_MESSAGE(schema, (schema ? "" : schema.error().to_string()));
  std::vector<std::string> all;
  for (const util::Error& error : schema->validate(document)) {
    all.push_back(error.message);
  }
  return util::join(all, "; ");
}

Json release_observation() {
  release::Plan plan;
  plan.canary = "v2";
  release::Seen seen{.target = "v2/abc", .target_ready = false, .message = "no pod is ready"};
  seen.members = {{.name = "web", .weight = 10}, {.name = "api", .settled = true}};
  return release::observation(plan, seen);
}

Json experiment_observation() {
  experiment::Plan plan;
  plan.route = "web";
  plan.variants.resize(2);
  plan.goals.resize(1);
  plan.goals[0].name = "orders";
  const experiment::Totals seen{100, 20, 20};
  return experiment::observation(plan, {},
                                 experiment::Reading{.counters = {{seen, seen}}, .at = {}});
}

/// All that a policy can get.
engine::PolicyInput whole_input() {
  engine::PolicyInput input;
  input.resource = {{"apiVersion", "kubist.io/v1alpha1"},
                    {"kind", "CanaryRelease"},
                    {"metadata", {{"name", "web"}, {"namespace", "shop"}}},
                    {"spec", {{"canary", "v2"}}}};
  input.observed = {release_observation(), experiment_observation()};
  input.parameters = {{"limit", 3}};
  input.settings = {{"team", "shop"}};
  input.state = {{"runs", 1}};
  input.metrics = {{"window", {{"reason", "WindowOpen"}, {"message", "it is open"}}},
                   {"waiting", {{"value", 3.5}}}};
  input.answers = {{"gate", {{"status", 200}, {"message", "ok"}}}};
  input.decision = engine::Decision{
      .action = engine::Action::advance, .weight = 20, .reason = "Passed", .by = "Metric"};
  input.target = {{"namespace", "shop"}};
  input.run_id = "r";
  input.seed = "s";
  return input;
}

Json whole_list() {
  engine::PolicyDefinition definition;
  definition.name = "some";
  definition.wants_now = definition.wants_run = true;
  return engine::make_policy_input(definition, whole_input());
}

}  // namespace

TEST_CASE("policy io: the schemas take all that the engine hands to a policy") {
  const Json list = whole_list();
  CHECK(faults("ResourceList", list) == "");
  CHECK(faults("PolicyRun", list["functionConfig"]) == "");
  CHECK(faults("ReleaseObservation", list["items"][1]) == "");
  CHECK(faults("ExperimentObservation", list["items"][2]) == "");
  // Each part is one that the schema knows: none of them may be of another type.
  for (const auto& [field, value] : list["functionConfig"].items()) {
    CAPTURE(field);
    Json wrong = list["functionConfig"];
    wrong[field] = Json::array({true});
    CHECK((faults("PolicyRun", wrong).empty()) == (field == "state"));
  }
}

TEST_CASE("policy io: the schemas take what `policy trace --record` writes") {
  engine::Node node;
  node.key = {"kubist.io", "CanaryRelease", "shop", "web"};
  engine::PolicyVerdict verdict;
  engine::PolicyTrace& trace = verdict.trace.emplace_back();
  trace.name = "some";
  trace.input = whole_list();
  trace.output = trace.input;
  trace.output["functionConfig"]["status"] = {{"decision", {{"action", "hold"}}}};
  const auto recorded = data::read_document(cli::recorded_cases(node, verdict), "cases.yaml");
  REQUIRE(recorded);
  CHECK(recorded->value["expected"]["functionConfig"]["status"]["decision"]["action"] == "hold");
  CHECK(faults("ResourceList", recorded->value["input"]) == "");
  CHECK(faults("ResourceList", trace.output) == "");
}

TEST_CASE("explain: what policies read and write is explained without a server") {
  const auto text = run_words({"explain", "policyrun.status.requeueAfter"});
  CHECK(text.code == 0);
  CHECK_MESSAGE(text.out.find("VERSION:    v1alpha1\n") != std::string::npos, text.out);
  CHECK(text.out.find("such as 30s") != std::string::npos);
  CHECK(run_words({"explain", "PolicyRun.status.requeueAftr"}).err.find("did you mean") !=
        std::string::npos);
  CHECK(run_words({"explain", "PolicyRn", "--offline"}).err.find("did you mean \"PolicyRun\"?") !=
        std::string::npos);
  for (const std::string& name : cli::policy_io_names()) {
    CAPTURE(name);
    const auto schema = run_words({"explain", name, "-o", "jsonschema"});
    CHECK(schema.code == 0);
    const Json fields = Json::parse(schema.out)["properties"];
    CHECK(fields["kind"]["const"] == name);
    CHECK(fields["apiVersion"]["const"] ==
          (name == "ResourceList" ? "config.kubernetes.io/v1" : "kubist.io/v1alpha1"));
  }
}
