#include "file_targets.hpp"

#include "input.hpp"

namespace kubist::cli {

util::Result<Targets> targets_of_files(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto manifests, read_input(context, arguments));
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  Targets targets;
  for (const resources::Manifest& manifest : manifests) {
    const resources::ObjectView view(manifest.object);
    KUBIST_TRY(auto resource,
               client->discovery().find_kind(view.api_version(), view.kind(), context.stop()));
    const std::string own(view.ns());
    const std::string object_ns = !resource.namespaced ? "" : own.empty() ? ns : own;
    if (targets.list.empty() || targets.list.back().resource != resource ||
        targets.list.back().ns != object_ns) {
      targets.list.push_back({std::move(resource), object_ns, {}});
    }
    targets.list.back().names.emplace_back(view.name());
  }
  targets.single = manifests.size() == 1;
  return targets;
}

}  // namespace kubist::cli
