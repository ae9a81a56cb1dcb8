#include <kubist/data/pointer.hpp>
#include <kubist/deployers/handshake.hpp>
#include <kubist/deployers/item_state.hpp>
#include <kubist/deployers/pod.hpp>
#include <kubist/deployers/upstream.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "item/job.hpp"
#include "pod/pod_deployer.hpp"
#include "pod/state_secrets.hpp"

namespace kubist::deployers {
namespace {

using util::cat;
using util::ErrorKind;

struct Located {
  Item item;
  Workload workload;
  Job job;
  PodNames names;
};

util::Result<Located> locate(World& world, const std::string& ns, const std::string& name) {
  KUBIST_TRY(Json object, world.home->json(kube::get(deploy_items(), ns, name), world.stop));
  Located found;
  KUBIST_TRY(found.item, parse_item(object));
  const auto* deployer =
      dynamic_cast<const PodDeployer*>(find_deployer(found.item.type, world.settings));
  if (deployer == nullptr) {
    return util::fail(ErrorKind::invalid, cat("DeployItem ", ns, "/", name, " is of type ",
                                              found.item.type, ", which has no state folder"));
  }
  KUBIST_TRY(found.workload, parse_workload(found.item, deployer->script(), world.settings));
  if (found.workload.state_claim) {
    return util::fail(ErrorKind::invalid,
                      cat("DeployItem ", ns, "/", name, " keeps its state in a volume"),
                      "Mount the claim into a pod to see what is in it.");
  }

  KUBIST_TRY(found.job.place, find_place(world, found.item));
  found.job.id = cat("put-", util::random_uuid());
  found.names = pod_names(found.item, found.job.id);
  return found;
}

/// A run reads the state when it starts and writes it when it ends.
util::Result<> check_idle(const Located& at) {
  const Json status = from_upstream_status(sound_status(at.item.object));
  if (!job_pending(status)) {
    return {};
  }
  return util::fail(
      ErrorKind::denied,
      cat("DeployItem ", at.item.ns, "/", at.item.name, " runs (phase ",
          data::string_at(status, {"phase"}, phase::k_init), "), its state is in use"),
      "Wait for it (`kubist deployitem logs -f` follows it), or interrupt it.", "ItemRuns");
}

}  // namespace

util::Result<OpenState> open_item_state(World& world, const std::string& ns,
                                        const std::string& name) {
  KUBIST_TRY(const Located at, locate(world, ns, name));
  const Place& place = at.job.place;
  auto stored = state::open_state(*place.client, {place.ns, at.names.state_secret}, world.stop);
  if (!stored && stored.error().kind == ErrorKind::not_found) {
    return util::fail(ErrorKind::not_found,
                      cat("DeployItem ", ns, "/", name, " has no state: it has not run yet"));
  }
  if (!stored) {
    return util::fail(stored.error());
  }
  return OpenState{place, *std::move(stored)};
}

util::Result<state::Head> put_item_state(World& world, const std::string& ns,
                                         const std::string& name,
                                         const std::filesystem::path& folder) {
  KUBIST_TRY(const Located at, locate(world, ns, name));
  KUBIST_CHECK(check_idle(at));
  const Place& place = at.job.place;
  // A sidecar that is still there (cut off, or about to end) finds another job's name, and stops.
  KUBIST_CHECK(ensure_state_secrets(world, {*place.client, place.cluster}, at.item, at.job,
                                    at.names, at.workload.state_limit, true));
  const state::SaveOptions options{.job = at.job.id,
                                   .limit = at.workload.state_limit,
                                   .field_manager = world.writer.rules().field_manager,
                                   .replace_corrupt = true};
  return state::save_state(*place.client, {place.ns, at.names.state_secret}, folder, options,
                           world.stop);
}

}  // namespace kubist::deployers
