#include <algorithm>
#include <set>

#include <kubist/executors/prepare.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "keep/namespaces.hpp"

namespace kubist::executors {
namespace {

using data::Json;
using resources::ObjectView;
using util::cat;

/// That of a Project; empty for any other object.
std::string brought_namespace(const Json& object) {
  const ObjectView view(object);
  return view.kind() == "Project" && view.group() == resources::k_kubist_group
             ? resources::project_namespace(object)
             : "";
}

/// Of these kinds imports take their values.
bool gives_values(const resources::ObjectRef& ref) {
  return ref.group.empty() && (ref.kind == "Secret" || ref.kind == "ConfigMap");
}

}  // namespace

util::Result<> select_applied(kube::Client& client, const apply::Report& report,
                              ReconcileOptions& options, const std::stop_token& stop) {
  KUBIST_TRY(const auto serving, load_served_kinds(client, stop));
  for (const apply::ObjectResult& result : report.results) {
    const bool pruned = result.outcome == apply::Outcome::pruned;
    if (pruned && options.dry_run != kube::DryRun::none) {
      continue;  // it is still there
    }
    options.ignore_missing = options.ignore_missing || pruned;
    const resources::Kind* kind = resources::find_kind(result.ref.group, result.ref.kind);
    const bool is_served =
        kind == nullptr &&
        std::any_of(serving.begin(), serving.end(), [&](const resources::ServedKind& each) {
          return each.group == result.ref.group && each.kind == result.ref.kind;
        });
    if (is_served || (kind != nullptr && kind->node)) {
      options.selection.push_back(result.ref);
    }
    if ((is_served || kind != nullptr || gives_values(result.ref)) &&
        options.dry_run != kube::DryRun::none) {
      options.planned.push_back(result.live);
    }
  }
  return {};
}

util::Result<std::vector<apply::Needed>> needed_namespaces(
    kube::Client& client, const std::vector<resources::Manifest>& objects, std::stop_token stop) {
  std::set<std::string, std::less<>> to_come;
  for (const resources::Manifest& manifest : objects) {
    const ObjectView view(manifest.object);
    if (view.kind() == "Namespace" && view.group().empty()) {
      to_come.emplace(view.name());
    }
  }
  std::string home_uid;
  std::vector<apply::Needed> needed;
  for (const resources::Manifest& manifest : objects) {
    const std::string ns = brought_namespace(manifest.object);
    if (ns.empty()) {
      continue;
    }
    if (resources::is_reserved_namespace(ns)) {
      return util::fail(util::ErrorKind::invalid, manifest.position("/spec/namespace"),
                        cat("a project cannot own namespace ", ns), "", "NamespaceReserved");
    }
    KUBIST_TRY(const auto live, client.find(kube::well_known::namespaces(), "", ns, stop));
    if (live || !to_come.insert(ns).second) {
      continue;
    }
    if (home_uid.empty()) {
      KUBIST_TRY(home_uid, cluster_uid(client, stop));
    }
    const ObjectView project(manifest.object);
    const std::string mark = owner_mark(home_uid, project.ref());
    needed.push_back({namespace_object(project_wish(manifest.object, project.spec()), mark),
                      field_manager(mark)});
  }
  return needed;
}

}  // namespace kubist::executors
