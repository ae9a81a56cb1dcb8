#include <algorithm>
#include <set>

#include <kubist/executors/prepare.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "keep/namespaces.hpp"

namespace kubist::executors {
namespace {

using data::Json;
using resources::ObjectView;
using util::cat;

util::Result<> make_namespace(kube::Client& client, const std::string& home_uid,
                              const Json& project) {
  const ObjectView view(project);
  const std::string mark = owner_mark(home_uid, view.ref());
  const kube::Writer writer({.field_manager = field_manager(mark)});
  KUBIST_CHECK(writer.apply({client}, kube::well_known::namespaces(),
                            namespace_object(project_wish(project, view.spec()), mark)));
  return {};
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

std::string brought_namespace(const Json& object) {
  const ObjectView view(object);
  return view.kind() == "Project" && view.group() == resources::k_kubist_group
             ? resources::project_namespace(object)
             : "";
}

util::Result<> prepare_projects(kube::Client& client,
                                const std::vector<resources::Manifest>& objects,
                                std::stop_token stop) {
  std::set<std::string, std::less<>> in_input;
  for (const resources::Manifest& manifest : objects) {
    const ObjectView view(manifest.object);
    if (view.kind() == "Namespace" && view.group().empty()) {
      in_input.emplace(view.name());
    }
  }
  std::string home_uid;
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
    if (live || in_input.contains(ns)) {
      continue;
    }
    if (home_uid.empty()) {
      KUBIST_TRY(home_uid, cluster_uid(client, stop));
    }
    KUBIST_CHECK(make_namespace(client, home_uid, manifest.object));
  }
  return {};
}

}  // namespace kubist::executors
