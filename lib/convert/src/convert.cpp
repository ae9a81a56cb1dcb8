#include <kubist/convert/convert.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "argo.hpp"
#include "flagger.hpp"
#include "release.hpp"
#include "source.hpp"

namespace kubist::convert {

using util::cat;
using util::ErrorKind;

namespace {

util::Result<Release> begin_release(const Source& source, const Options& options) {
  const std::string ns(source.ns());
  if (ns.empty() && (options.project.empty() || options.virtual_cluster.empty())) {
    return util::fail(
        ErrorKind::usage,
        cat(resources::ObjectView(source.object()).kind(), '/', source.name(), " has no namespace"),
        "Say the project's by --project, and the virtual cluster by "
        "--virtual-cluster.");
  }
  Release release;
  release.name = source.name();
  release.ns = options.project.empty() ? ns : options.project;
  release.virtual_cluster = options.virtual_cluster.empty() ? ns : options.virtual_cluster;
  release.foreign_ns = ns.empty() ? release.virtual_cluster : ns;
  release.destination = release.name;
  const resources::ObjectView view(source.object());
  release.labels = view.labels();
  release.annotations = view.annotations();
  return release;
}

}  // namespace

util::Result<Converted> convert(const std::vector<resources::Manifest>& input,
                                const Options& options) {
  Inputs inputs(input);
  Converted converted;
  for (const auto& [group, kind, read] : {std::tuple(k_flagger, "Canary", &read_flagger),
                                          std::tuple(k_argo, "Rollout", &read_argo)}) {
    for (Source* source : inputs.all(group, kind)) {
      KUBIST_TRY(Release release, begin_release(*source, options));
      source->used = true;
      read(*source, inputs, release);
      for (Json& object : objects_of(release)) {
        converted.objects.push_back(std::move(object));
      }
    }
  }
  if (converted.objects.empty()) {
    return util::fail(ErrorKind::invalid,
                      "there is no Canary of Flagger and no Rollout of Argo in the input",
                      "It reads kinds Canary (flagger.app) and Rollout (argoproj.io).");
  }
  converted.warnings = inputs.warnings();
  return converted;
}

}  // namespace kubist::convert
