#include "file_targets.hpp"

#include <kubist/data/schema.hpp>
#include <kubist/resources/manifest.hpp>

namespace kubist::cli {

util::Result<Targets> targets_of_files(kube::Client& client, const std::vector<std::string>& files,
                                       bool recursive, const std::string& ns,
                                       std::stop_token stop) {
  resources::ManifestOptions options;
  options.recursive = recursive;
  resources::ManifestSet set = resources::read_manifests(files, options);
  if (!set.errors.empty()) {
    return util::fail(data::combine_errors(std::move(set.errors), "the files"));
  }
  Targets targets;
  for (const resources::Manifest& manifest : set.manifests) {
    const resources::ObjectView view(manifest.object);
    KUBIST_TRY(auto resource,
               client.discovery().find_kind(view.api_version(), view.kind(), stop));
    const std::string own(view.ns());
    const std::string object_ns = !resource.namespaced ? "" : own.empty() ? ns : own;
    if (targets.list.empty() || targets.list.back().resource != resource ||
        targets.list.back().ns != object_ns) {
      targets.list.push_back({std::move(resource), object_ns, {}});
    }
    targets.list.back().names.emplace_back(view.name());
  }
  targets.single = set.manifests.size() == 1;
  return targets;
}

}  // namespace kubist::cli
