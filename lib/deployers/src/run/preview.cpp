#include <kubist/deployers/runner.hpp>
#include <kubist/deployers/upstream.hpp>
#include <kubist/util/text.hpp>

#include "helm/helm_deployer.hpp"
#include "helm/helm_render.hpp"
#include "manifest/managed.hpp"
#include "manifest/manifest_deployer.hpp"
#include "run/prepared.hpp"

namespace kubist::deployers {

using util::cat;

namespace {

/// A client's dry run renders no chart: it may have to be fetched, and is then not looked at.
util::Result<ItemOutcome> preview_unrendered(World& world, const Prepared& prepared,
                                             ItemOutcome outcome) {
  for (const auto& [ref, why] : prepared.job.repairs) {
    world.writer.tell(
        {"patch", name_of(ref), prepared.job.place.cluster, cat("repaired: ", why), {}});
  }
  if (prepared.job.repairs.empty()) {
    KUBIST_CHECK(find_helm());
    outcome.message = "the objects of its chart are known when it runs";
  }
  return outcome;
}

}  // namespace

util::Result<ItemOutcome> preview_item(World& world, const Json& deploy_item, bool force) {
  ItemOutcome outcome;
  outcome.reason = "DryRun";
  outcome.item = deploy_item;
  KUBIST_TRY(Item item, parse_item(deploy_item));
  const Deployer* deployer = find_deployer(item.type, world.settings);
  const bool is_chart = deployer == &helm_deployer();
  const bool is_sent = world.writer.rules().dry_run == kube::DryRun::server;
  if (!is_chart && (deployer != &manifest_deployer() || !is_sent)) {
    return outcome;
  }
  KUBIST_TRY(Prepared prepared, prepare(world, std::move(item)));
  const Json status = from_upstream_status(deploy_item.value("status", Json::object()));
  if (!force && !job_pending(status) && last_hash(status) == prepared.job.hash) {
    KUBIST_CHECK(find_repairs(world, prepared));
    outcome.drift = prepared.left;
    if (prepared.job.repairs.empty()) {
      return outcome;
    }
  }
  if (!is_sent) {
    return preview_unrendered(world, prepared, std::move(outcome));
  }
  prepared.job.started = world.clock->now();
  set_remaining(prepared.job, prepared.item, world);
  KUBIST_TRY(const Progress progress,
             prepared.deployer->preview(world, prepared.item, prepared.job));
  outcome.state = progress.state;
  outcome.reason = progress.reason;
  outcome.message = progress.message;
  return outcome;
}

}  // namespace kubist::deployers
