#include <algorithm>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/release/routes.hpp>
#include <kubist/release/snapshot.hpp>
#include <kubist/resources/selector.hpp>
#include <kubist/traffic/destination.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::release {

using data::Json;
using resources::ObjectView;
using util::cat;

namespace {

bool carries(const Json& labels, const Json& wanted) {
  for (const auto& [key, value] : wanted.items()) {
    if (data::string_at(labels, {key}) != value) {
      return false;
    }
  }
  return true;
}

/// The Deployments whose pods carry these labels.
std::vector<const Json*> deployments_of(const Running& there, const Json& labels) {
  std::vector<const Json*> found;
  for (const Json& deployment : there.deployments) {
    const Json* own = data::find_path(deployment, {"spec", "template", "metadata", "labels"});
    if (own != nullptr && carries(*own, labels)) {
      found.push_back(&deployment);
    }
  }
  return found;
}

WorkloadStatus status_of(const std::vector<const Json*>& deployments) {
  WorkloadStatus sum;
  for (const Json* deployment : deployments) {
    const ObjectView view(*deployment);
    const auto count = [&](std::string_view field) {
      return data::count_at(*deployment, {"status", field});
    };
    ++sum.deployments;
    sum.replicas += count("replicas");
    sum.updated += count("updatedReplicas");
    sum.available += count("availableReplicas");
    sum.unavailable += count("unavailableReplicas");
    const auto available = view.condition("Available");
    sum.all_available = sum.all_available && available && available->status == "True";
    if (data::int_at(*deployment, {"status", "observedGeneration"}) < view.generation()) {
      sum.behind = view.name();
    }
  }
  return sum;
}

/// Version and the templates of the Deployments behind it: another image is another target.
std::string target_of(const std::vector<const Json*>& deployments, const std::string& version) {
  std::vector<std::string> templates;
  for (const Json* deployment : deployments) {
    const Json* pod = data::find_path(*deployment, {"spec", "template", "spec"});
    const auto* text = pod != nullptr ? pod->get_ptr<const std::string*>() : nullptr;
    templates.push_back(text != nullptr ? *text : pod != nullptr ? pod->dump() : "");
  }
  std::sort(templates.begin(), templates.end());
  return cat(version, '/', util::sha256_hex(util::join(templates, "\n")).substr(0, 10));
}

/// Which Deployments have fewer pods than they ask for; empty: none.
std::string missing_pods(const std::vector<const Json*>& deployments, const std::string& ns) {
  std::vector<std::string> missing;
  for (const Json* deployment : deployments) {
    const auto wanted = data::int_at(*deployment, {"spec", "replicas"}, 1);
    const auto ready = data::int_at(*deployment, {"status", "readyReplicas"});
    if (ready < wanted) {
      missing.push_back(cat("Deployment ", ns, '/', ObjectView(*deployment).name(), " has ", ready,
                            " of ", wanted, " pods ready"));
    }
  }
  return util::join(missing, "; ");
}

/// Is one of the pods with these labels ready, and stays?
bool has_ready_pod(const Running& there, const Json& labels) {
  return std::any_of(there.pods.begin(), there.pods.end(), [&](const Json& pod) {
    const ObjectView view(pod);
    const auto condition = view.condition("Ready");
    const Json* own = data::find_path(pod, {"metadata", "labels"});
    return own != nullptr && carries(*own, labels) && condition && condition->status == "True" &&
           view.deletion_timestamp().empty();
  });
}

util::Error unknown(std::string reason, std::string message) {
  return util::make_error(util::ErrorKind::invalid, std::move(message), "", std::move(reason));
}

util::Result<traffic::Destination> find_destination(const engine::Graph& graph,
                                                    const engine::Node& release,
                                                    const std::string& name) {
  const auto found = graph.find({release.key.group, "Destination", release.key.ns, name});
  if (found.empty()) {
    return util::fail(
        unknown("UnknownDestination",
                cat("spec.destination: there is no Destination ", name, " in ", release.key.ns)));
  }
  return traffic::read_destination(*graph[found.front()].object);
}

/// The labels of the pods of one version.
util::Result<Json> version_labels(const traffic::Destination& destination, const std::string& name,
                                  const std::string& version) {
  const auto subset = destination.subsets.find(version);
  if (subset == destination.subsets.end()) {
    return util::fail(
        unknown("UnknownSubset", cat("Destination ", name, " has no version ", version)));
  }
  Json labels = destination.selector;
  labels.update(subset->second.labels);
  return labels;
}

}  // namespace

util::Result<Snapshot> read_snapshot(const engine::Graph& graph, const engine::Node& release,
                                     const Json& spec) {
  Snapshot snapshot;
  KUBIST_TRY(snapshot.plan, read_plan({{"spec", spec}}));
  const Plan& plan = snapshot.plan;
  snapshot.before = read_progress(release.status());
  KUBIST_TRY(const auto destination, find_destination(graph, release, plan.destination));
  KUBIST_TRY(snapshot.canary.labels, version_labels(destination, plan.destination, plan.canary));
  KUBIST_TRY(snapshot.stable.labels, version_labels(destination, plan.destination, plan.stable));
  KUBIST_CHECK(check_one_target(graph, release, plan.routes));
  snapshot.seen.members = members_of(graph, release, plan.routes, snapshot.before);
  return snapshot;
}

Seen see_target(const Running& there, const std::string& ns, const std::string& target,
                Snapshot& snapshot) {
  const Json& labels = snapshot.canary.labels;
  const auto deployments = deployments_of(there, labels);
  snapshot.canary.on[target] = status_of(deployments);
  snapshot.stable.on[target] = status_of(deployments_of(there, snapshot.stable.labels));
  Seen seen;
  seen.target = target_of(deployments, snapshot.plan.canary);
  seen.target_ready = has_ready_pod(there, labels);
  seen.missing_pods = missing_pods(deployments, ns);
  seen.message = cat("no pod of version ", snapshot.plan.canary, " (",
                     resources::label_text(labels), ") is ready in ", ns);
  return seen;
}

Seen see_targets(const std::vector<std::string>& targets,
                 const std::function<util::Result<Seen>(const std::string&)>& see,
                 const std::string& canary) {
  Seen all;
  std::set<std::string> versions;
  std::vector<std::string> messages;
  std::vector<std::string> missing;
  bool known = !targets.empty();
  for (const std::string& target : targets) {
    const auto seen = see(target);
    known = known && seen;
    if (seen) {
      versions.insert(seen->target);
    }
    if (seen && !seen->missing_pods.empty()) {
      missing.push_back(cat(target, ": ", seen->missing_pods));
    }
    if (!seen || !seen->target_ready) {
      messages.push_back(cat(target, ": ", seen ? seen->message : seen.error().message));
    }
  }
  if (known) {
    const std::vector<std::string> list(versions.begin(), versions.end());
    all.target = list.size() == 1
                     ? list.front()
                     : cat(canary, '/', util::sha256_hex(util::join(list, "\n")).substr(0, 10));
  }
  all.target_ready = known && messages.empty();
  all.missing_pods = util::join(missing, "; ");
  all.message = targets.empty() ? "its routes are kept nowhere" : util::join(messages, "; ");
  return all;
}

}  // namespace kubist::release
