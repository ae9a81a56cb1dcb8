#include <set>

#include <kubist/executors/prepare.hpp>
#include <kubist/executors/project.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "keep/namespaces.hpp"

namespace kubist::executors {
namespace {

using data::Json;
using resources::ObjectView;
using util::cat;

util::Result<> make_namespace(kube::Client& client, const std::string& home_uid,
                              const Json& project, const std::stop_token& stop) {
  const ObjectView view(project);
  const std::string mark = owner_mark(home_uid, view.ref());
  kube::ApplyOptions options;
  options.field_manager = field_manager(mark);
  KUBIST_CHECK(
      client.run(kube::apply(kube::well_known::namespaces(),
                             namespace_object(project_wish(project, view.spec()), mark), options),
                 stop));
  return {};
}

}  // namespace

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
    const ObjectView view(manifest.object);
    if (view.kind() != "Project" || view.group() != resources::k_kubist_group) {
      continue;
    }
    const std::string ns = resources::project_namespace(manifest.object);
    if (is_reserved_namespace(ns)) {
      auto error = util::make_error(util::ErrorKind::invalid, manifest.position("/spec/namespace"),
                                    cat("a project cannot own namespace ", ns));
      error.reason = "NamespaceReserved";
      return util::fail(std::move(error));
    }
    KUBIST_TRY(const auto live, client.find(kube::well_known::namespaces(), "", ns, stop));
    if (live || in_input.contains(ns)) {
      continue;
    }
    if (home_uid.empty()) {
      KUBIST_TRY(home_uid, cluster_uid(client, stop));
    }
    KUBIST_CHECK(make_namespace(client, home_uid, manifest.object, stop));
  }
  return {};
}

}  // namespace kubist::executors
