// Reports in which every field has a value: the reference names each key.
#include "support/report_keys.hpp"

#include <kubist/engine/report.hpp>

#include "output/case_report.hpp"
#include "output/set_documents.hpp"

using namespace kubist;

TEST_CASE("report keys: the page of report formats names each") {
  util::Error error = util::make_error(util::ErrorKind::invalid, util::SourcePos{"a.yaml", 1, 2},
                                       "no such field", "Remove it.");
  error.reason = "Invalid";
  error.details.push_back(error);
  std::set<std::string> keys;

  const resources::ObjectRef ref{"kubist.io", "Project", "ns", "shop"};
  apply::ObjectResult result;
  result.ref = ref;
  result.message = "kept";
  result.error = error;
  result.conflicts.push_back({"spec.replicas", "hpa", "1", "2", error.pos});
  apply::Report applied;
  applied.results.push_back(result);
  applied.not_ready.push_back({ref, "InProgress", "", false, {}});
  applied.errors.push_back(error);
  testing::check_keys_named(cli::set_report_json(applied, {}), keys);

  engine::NodeReport node;
  node.id = 0;
  node.key = ref;
  node.target = "dev";
  node.reason = node.message = "Failed";
  node.outcome = engine::Outcome::failed;
  node.error = error;
  node.policies.emplace_back();
  node.policies.back().message = node.policies.back().stderr_tail = "no";
  node.policies.back().error = error;
  node.writes.push_back({"patch", "v1 Namespace/shop", "eu", "labels change"});
  node.left_behind.emplace_back("v1 Namespace/shop");
  node.requeue_after = std::chrono::seconds(1);
  engine::Report run;
  run.nodes = {node, node};
  run.nodes[0].children = {1};
  run.nodes[1].id = 1;
  run.roots = {0};
  run.index = {{0, 0}, {1, 1}};
  run.statuses[{ref, "", false}] = error;
  testing::check_keys_named(engine::to_json(run), keys);

  engine::CaseResult failed;
  failed.message = "differs";
  failed.differences.emplace_back();
  testing::check_keys_named(cli::cases_json({failed}), keys);
  CHECK(keys.size() >= 60);
}
