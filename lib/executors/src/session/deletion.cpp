#include <algorithm>

#include <kubist/executors/deletion.hpp>
#include <kubist/executors/removal.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/resources/kinds.hpp>

#include "session/deletion_parts.hpp"

namespace kubist::executors {

namespace {

using apply::Target;
using util::ErrorKind;

bool is_deploy_item(const Target& target) {
  return target.resource.kind == "DeployItem" &&
         target.resource.group == resources::k_landscaper_group;
}

/// The kinds that ExecutorDefinitions serve, asked for only where one may be among the targets.
/// Where nobody may tell, a finalizer keeps such objects until a run of the engine.
std::vector<resources::ServedKind> served_among(kube::Client& home,
                                                const std::vector<Target>& targets,
                                                const std::stop_token& stop) {
  const bool any = std::any_of(targets.begin(), targets.end(), [](const Target& target) {
    return target.resource.group.find('.') != std::string::npos &&
           !target.resource.group.ends_with(".k8s.io") &&
           resources::find_kind(target.resource.group, target.resource.kind) == nullptr;
  });
  const auto served =
      any ? load_served_kinds(home, stop) : util::Result<std::vector<resources::ServedKind>>{};
  return served ? *served : std::vector<resources::ServedKind>{};
}

/// Takes those for which it holds out of `targets`.
template <class Holds>
std::vector<Target> taken(std::vector<Target>& targets, const Holds& holds) {
  const auto rest = std::stable_partition(targets.begin(), targets.end(), holds);
  std::vector<Target> found(std::make_move_iterator(targets.begin()),
                            std::make_move_iterator(rest));
  targets.erase(targets.begin(), rest);
  return found;
}

bool all_gone(const apply::Report& report) {
  return std::all_of(report.results.begin(), report.results.end(), [](const auto& result) {
    return result.ok() || (result.error && result.error->kind == ErrorKind::not_found);
  });
}

}  // namespace

util::Result<apply::Report> delete_objects(kube::Client& home, std::vector<Target> targets,
                                           const DeletionOptions& options,
                                           const DeletionHooks& hooks,
                                           const std::stop_token& stop) {
  const auto served = served_among(home, targets, stop);
  const auto tree = taken(
      targets, [&](const Target& target) { return is_removed_by_engine(target.resource, served); });
  const auto items = taken(targets, is_deploy_item);
  DeletionOptions after_tree = options;
  apply::Report report;
  // Executions take their items along; what is left of the items goes before what they may need.
  if (!tree.empty()) {
    KUBIST_TRY(TreeDeletion deletion,
               delete_tree(home, tree, items.empty() ? targets : std::vector<Target>(), options,
                           hooks, stop));
    report = std::move(deletion.report);
    if (items.empty() || !deletion.gone || !report.ok()) {
      return report;
    }
    after_tree.remove.ignore_not_found = true;
  }
  if (!items.empty()) {
    KUBIST_CHECK(delete_items(home, items, after_tree, hooks, report, stop));
    if (!targets.empty() && !all_gone(report)) {
      hooks.log("what the DeployItems may need is not deleted");
      return report;
    }
  }
  report.append(apply::remove_set(home, targets, after_tree.remove, stop));
  return report;
}

}  // namespace kubist::executors
