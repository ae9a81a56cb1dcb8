#include "releases/release_target.hpp"

#include <algorithm>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "keep/traffic_place.hpp"

namespace kubist::executors {

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
std::vector<const Json*> deployments_of(const RunningThere& there, const Json& labels) {
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
      return static_cast<int>(data::int_at(*deployment, {"status", field}));
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
    templates.push_back((*deployment)["spec"]["template"]["spec"].dump());
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

}  // namespace

release::Seen look_at_target(const RunningThere& there, const deployers::Place& place,
                             const std::string& target, ReleaseLook& look) {
  release::Seen seen;
  const Json& labels = look.canary.labels;
  const auto deployments = deployments_of(there, labels);
  look.canary.on[target] = status_of(deployments);
  look.stable.on[target] = status_of(deployments_of(there, look.stable.labels));
  const auto ready = std::count_if(there.pods.begin(), there.pods.end(), [&](const Json& pod) {
    const ObjectView view(pod);
    const auto condition = view.condition("Ready");
    const Json* own = data::find_path(pod, {"metadata", "labels"});
    return own != nullptr && carries(*own, labels) && condition && condition->status == "True" &&
           view.deletion_timestamp().empty();
  });
  seen.target = target_of(deployments, look.plan.canary);
  seen.target_ready = ready > 0;
  seen.missing_pods = missing_pods(deployments, place.ns);
  seen.message = cat("no pod of version ", look.plan.canary, " (", label_text(labels),
                     ") is ready in ", place.ns);
  return seen;
}

release::Seen joined(const std::vector<std::string>& targets,
                     const std::function<util::Result<release::Seen>(const std::string&)>& look,
                     const std::string& canary) {
  release::Seen all;
  std::set<std::string> versions;
  std::vector<std::string> messages;
  std::vector<std::string> missing;
  bool known = !targets.empty();
  for (const std::string& target : targets) {
    const auto seen = look(target);
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

}  // namespace kubist::executors
