#include <filesystem>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"

namespace kubist::cli {
namespace {

using util::cat;
using util::ErrorKind;
namespace fs = std::filesystem;

// NAME and KIND stand for those given.
constexpr const char* k_definition =
    R"(# A policy: a pure function of a ResourceList, see docs/policies.md. Test it with
#   kubist policy test NAME.yaml NAME.test.yaml
apiVersion: kubist.io/v1alpha1
kind: PolicyDefinition
metadata:
  name: NAME
spec:
  description: What it does, in a sentence.
  kinds: [KIND]
  parameters:                 # a JSON schema; what is not given comes from settings, then from here
    type: object
    properties:
      team: {type: string, default: nobody}
  runtime:
    jsonnet:
      source: |
        function(list)
          local team = list.functionConfig.parameters.team;
          list {
            items: [list.items[0] { spec+: { labels+: { team: team } } }] + list.items[1:],
            results: [{ severity: 'info', message: 'labelled for team ' + team }],
          }
)";

constexpr const char* k_cases =
    R"(# Cases for `kubist policy test`: maps in `expected` may leave out keys.
name: labels its resource with the team
policies:
  - name: NAME
    parameters: {team: shop}
input:
  apiVersion: config.kubernetes.io/v1
  kind: ResourceList
  items:
    - apiVersion: kubist.io/v1alpha1
      kind: KIND
      metadata: {name: example, namespace: example}
      spec: {labels: {kept: "yes"}}
  functionConfig: {}
expected:
  items:
    - spec: {labels: {kept: "yes", team: shop}}
  results:
    - {severity: info, message: labelled for team shop}
)";

constexpr const char* k_release_definition =
    R"(# A policy of canaries: a pure function of a ResourceList, see docs/canary.md and docs/policies.md. It can only
# be more cautious than the policies before it. Test it with
#   kubist policy test NAME.yaml NAME.test.yaml
apiVersion: kubist.io/v1alpha1
kind: PolicyDefinition
metadata:
  name: NAME
spec:
  description: What it does, in a sentence.
  kinds: [CanaryRelease]
  parameters:                 # a JSON schema; what is not given comes from settings, then from here
    type: object
    properties:
      maxWeight: {type: integer, default: 50}
  runtime:
    jsonnet:
      source: |
        function(list)
          local limit = list.functionConfig.parameters.maxWeight;
          local weight = list.items[0].status.weight;
          local decision = if weight >= limit
          then { action: 'pause', reason: 'WeightLimit', message: 'somebody must look at ' + weight + ' %' }
          else { action: 'advance', reason: 'BelowLimit', message: weight + ' % is below ' + limit + ' %' };
          list { functionConfig+: { status: { decision: decision } } }
)";

constexpr const char* k_release_cases =
    R"(# Cases for `kubist policy test`: maps in `expected` may leave out keys.
name: goes on below the limit
policy: NAME
input:
  apiVersion: config.kubernetes.io/v1
  kind: ResourceList
  items:
    - apiVersion: kubist.io/v1alpha1
      kind: CanaryRelease
      metadata: {name: example, namespace: example}
      spec: {}
      status: {state: Waiting, weight: 10}
  functionConfig: {kind: PolicyRun}
expected:
  functionConfig: {decision: {action: advance, reason: BelowLimit}}
---
name: pauses at it
policies: [{name: NAME, parameters: {maxWeight: 25}}]
input:
  apiVersion: config.kubernetes.io/v1
  kind: ResourceList
  items:
    - apiVersion: kubist.io/v1alpha1
      kind: CanaryRelease
      metadata: {name: example, namespace: example}
      spec: {}
      status: {state: Waiting, weight: 25}
  functionConfig: {kind: PolicyRun}
expected:
  functionConfig: {decision: {action: pause, reason: WeightLimit}}
)";

util::Result<> write_new(const std::vector<std::pair<fs::path, std::string>>& files, Sink& out) {
  for (const auto& [file, text] : files) {
    std::error_code error;
    if (fs::exists(fs::symlink_status(file, error))) {
      return util::fail(ErrorKind::invalid, cat(file.string(), " exists already"),
                        "Choose another name or --dir, or remove it.");
    }
  }
  constexpr unsigned k_mode = 0644;
  for (const auto& [file, text] : files) {
    KUBIST_CHECK(util::write_file(file, text, k_mode));
    out.write(file.string() + '\n');
  }
  return {};
}

util::Result<int> run_policy_init(Context& context, const Arguments& arguments) {
  const std::string& name = arguments.words()[0];
  if (!resources::is_dns_subdomain(name)) {
    return util::fail(ErrorKind::usage, cat('"', name, "\" cannot be the name of an object"),
                      "Use lower-case letters, digits and dashes.");
  }
  const std::string word = arguments.text("kind");
  const resources::Kind* kind = resources::find_kind_by_word(word);
  if (kind == nullptr || !kind->node) {
    return util::fail(ErrorKind::usage,
                      cat("no policy runs on ", word, ": kubist does not reconcile that kind"));
  }
  const bool release = kind->name == "CanaryRelease";
  const auto filled = [&](const char* text) {
    return util::replace_all(util::replace_all(text, "NAME", name), "KIND", kind->name);
  };
  const fs::path folder = arguments.text("dir");
  KUBIST_CHECK(
      write_new({{folder / (name + ".yaml"), filled(release ? k_release_definition : k_definition)},
                 {folder / (name + ".test.yaml"), filled(release ? k_release_cases : k_cases)}},
                context.out()));
  return k_ok;
}

}  // namespace

CommandSpec policy_init_command() {
  return {
      .path = "policy init",
      .group = "Policies",
      .summary = "Write a custom policy to start from, with cases that test it",
      .details =
          "Writes NAME.yaml, a PolicyDefinition in Jsonnet that works, and NAME.test.yaml, cases "
          "for 'kubist policy test'. Files that exist are never touched. For a CanaryRelease the "
          "policy takes a decision; for other kinds it sets a label.",
      .arguments = "NAME",
      .min_words = 1,
      .max_words = 1,
      .flags = {{"kind", 0, FlagKind::text, "KIND", "the kind that it is for", "VirtualCluster",
                 Completes::resource_types},
                {"dir", 0, FlagKind::text, "FOLDER", "where the files go", ".", Completes::files}},
      .examples = {{"A policy for canaries, tested at once",
                    "kubist policy init weekday --kind CanaryRelease && kubist policy test "
                    "weekday.yaml weekday.test.yaml"}},
      .run = run_policy_init};
}

}  // namespace kubist::cli
