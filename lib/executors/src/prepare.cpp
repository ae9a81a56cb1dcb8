#include <set>

#include <kubist/executors/prepare.hpp>
#include <kubist/executors/project.hpp>
#include <kubist/executors/world.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {
namespace {

using data::Json;
using resources::ObjectView;
using util::cat;

util::Result<> make_namespace(kube::Client& client, const std::string& home_uid,
                              std::string_view project, const std::string& ns,
                              const std::stop_token& stop) {
  const std::string mark = cat(home_uid, "/Project//", project);
  const Json object{{"apiVersion", "v1"},
                    {"kind", "Namespace"},
                    {"metadata",
                     {{"name", ns},
                      {"labels", {{"kubist.io/project", project}, {k_managed_by_label, "kubist"}}},
                      {"annotations", {{k_owner_annotation, mark}}}}}};
  kube::ApplyOptions options;
  options.field_manager = cat("kubist-", util::sha256_hex(mark).substr(0, 10));
  KUBIST_CHECK(client.run(kube::apply(kube::well_known::namespaces(), object, options), stop));
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
      KUBIST_TRY(const auto system,
                 client.find(kube::well_known::namespaces(), "", "kube-system", stop));
      home_uid = system ? ObjectView(*system).uid() : std::string_view{};
    }
    KUBIST_CHECK(make_namespace(client, home_uid, view.name(), ns, stop));
  }
  return {};
}

}  // namespace kubist::executors
