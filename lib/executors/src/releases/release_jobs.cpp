#include "releases/release_jobs.hpp"

#include <algorithm>

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/function.hpp>
#include <kubist/deployers/handshake.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "keep/item_world.hpp"
#include "policies/container_runtime.hpp"
#include "world/allow_lists.hpp"
#include "world/patterns.hpp"

namespace kubist::executors {

using data::Json;
using engine::JobCall;
using engine::RequestedCall;
using util::cat;

namespace {

deployers::FunctionCall function_of(const World& world, const engine::Node& node,
                                    const release::Snapshot& snapshot,
                                    const RequestedCall& requested) {
  const engine::PolicyCall& call = requested.call;
  const auto& what = std::get<JobCall>(call.what);
  deployers::FunctionCall job;
  job.ns = node.key.ns;
  job.name = deployers::short_name(cat("job-", call.name, '-', node.key.name),
                                   cat("CanaryRelease/", node.key.name, '/', snapshot.before.weight,
                                       '/', call.step, '/', call.name));
  // Its DeployItems stay as long as the release has that policy (is_function_used()).
  job.function = util::lower(node.policies[requested.policy].name);
  job.owner = {{"apiVersion", (*node.object)["apiVersion"]},
               {"kind", node.key.kind},
               {"name", node.key.name},
               {"uid", node.uid}};
  job.annotations[std::string(resources::k_owner_annotation)] =
      owner_mark(world.home_uid, node.key);
  job.config = what.config;
  job.timeout = what.timeout;
  job.wait = false;
  // What makes a try of an attempt another one than the last.
  job.input = data::to_json({{"release", node.key.name},
                             {"namespace", node.key.ns},
                             {"destination", snapshot.plan.destination},
                             {"stable", snapshot.plan.stable},
                             {"canary", snapshot.plan.canary},
                             {"weight", snapshot.before.weight},
                             {"wave", snapshot.before.wave + 1},
                             {"attempt", snapshot.before.attempt},
                             {"target", snapshot.before.target},
                             {"try", call.failed + 1}});
  return job;
}

/// Is that the label of a policy of the release that calls for jobs?
bool has_jobs_of(const World& world, const engine::Node& release, std::string_view label) {
  return std::any_of(release.policies.begin(), release.policies.end(), [&](const auto& policy) {
    const auto found = world.policies->find(release, policy);
    return found && (*found)->calls_jobs &&
           deployers::label_value(util::lower(policy.name)) == label;
  });
}

bool is_job_of(const World& world, const engine::Node& release, const engine::Node& item) {
  if (!is_function_item(item)) {
    return false;
  }
  const resources::ObjectView view(*item.object);
  const auto owners = view.owners();
  return std::any_of(owners.begin(), owners.end(),
                     [&](const auto& owner) { return owner.uid == release.uid; }) &&
         has_jobs_of(world, release, data::string_at(view.labels(), {deployers::k_function_label}));
}

}  // namespace

util::Result<> check_job_image(const engine::Graph& graph, const engine::Node& release,
                               std::string_view image) {
  for (const Json* list : allow_lists(graph, release, "jobs")) {
    if (image_matches_any(list, image)) {
      return {};
    }
  }
  return util::fail(util::ErrorKind::forbidden,
                    cat("its image ", image, " is not one that the Project allows"),
                    "An administrator can add it to spec.allow.jobs of the Project or of the Root.",
                    "ImageNotAllowed");
}

Json run_job(World& world, const engine::Graph& graph, const engine::Node& node,
             const release::Snapshot& snapshot, const RequestedCall& call,
             const std::stop_token& stop) {
  const auto allowed = check_job_image(
      graph, node, data::string_at(std::get<JobCall>(call.call.what).config, {"image"}));
  if (!allowed) {
    return {{"reason", allowed.error().reason},
            {"message", cat(allowed.error().message, ". ", allowed.error().hint)}};
  }
  const deployers::FunctionCall job = function_of(world, node, snapshot, call);
  deployers::World items =
      home_items_world(world, job.ns, field_manager(owner_mark(world.home_uid, node.key)), stop);
  const auto answer = deployers::run_function(items, job);
  if (answer) {
    return {{"succeeded", true}, {"message", ""}};
  }
  const util::Error& error = answer.error();
  if (error.reason == deployers::k_function_running) {
    return {{"reason", engine::k_reason_job_running}, {"message", error.message}};
  }
  if (error.reason == "FunctionFailed") {
    return {{"succeeded", false},
            {"message", cat(error.message, " (kubist deployitem logs ", job.name, ')')}};
  }
  return {{"reason", error.reason.empty() ? "JobNotRun" : error.reason},
          {"message", error.message}};
}

util::Result<> end_jobs(World& world, const engine::Graph& graph, const engine::Node& release,
                        const std::stop_token& stop) {
  for (const engine::Node& item : graph.nodes()) {
    if (!is_job_of(world, release, item) || !deployers::job_pending(item.status())) {
      continue;
    }
    deployers::World items = home_items_world(
        world, item.key.ns, field_manager(owner_mark(world.home_uid, release.key)), stop);
    KUBIST_CHECK(deployers::interrupt_item(items, item.key.ns, item.key.name));
  }
  return {};
}

}  // namespace kubist::executors
