#include <iterator>

#include <kubist/apply/set.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/setup/install.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/version.hpp>

#include "root_images.hpp"

namespace kubist::setup {

using data::Json;
using resources::ObjectView;
using util::cat;

namespace {

std::string_view not_ours(std::string_view kind) {
  return kind == "CustomResourceDefinition"
             ? "somebody else installed it: only items of types kubist.io/* are claimed"
         : kind == "ClusterRole"
             ? "somebody else made it: its rights are those of who is bound to it"
             : "somebody else made it";
}

/// What is installed may replace what an older kubist wrote, never what a newer one or somebody
/// else did.
util::Result<apply::Admission> admit(const Json* live, const std::string& version) {
  if (live == nullptr) {
    return apply::Admission{};
  }
  const std::string_view group = data::string_at(*live, {"spec", "group"});
  if (!is_own_crd(*live) && group != resources::k_kubist_group) {
    return apply::Admission{false, std::string(not_ours(ObjectView(*live).kind()))};
  }
  const std::string installed(ObjectView(*live).annotation(k_version_annotation));
  if (util::parse_version(installed) > util::parse_version(version)) {
    return apply::Admission{false, cat("a newer kubist (", installed, ") installed it")};
  }
  return apply::Admission{};
}

}  // namespace

bool is_own_crd(const Json& crd) {
  const ObjectView view(crd);
  return view.label(resources::k_managed_by_label) == "kubist" ||
         !view.annotation(k_version_annotation).empty();
}

std::vector<Json> install_objects(const InstallOptions& options) {
  std::vector<Json> objects = resources::crds();
  const auto add = [&objects](std::vector<Json> more) {
    std::move(more.begin(), more.end(), std::back_inserter(objects));
  };
  add(project_roles());
  if (options.controller) {
    add(controller_objects(*options.controller));
  }
  for (Json& object : objects) {
    resources::set_annotation(object, k_version_annotation, options.version);
  }
  return objects;
}

apply::Report install_crds(kube::Client& client, const InstallOptions& options,
                           std::stop_token stop) {
  std::vector<resources::Manifest> manifests;
  for (Json& object : install_objects(options)) {
    manifests.emplace_back().object = std::move(object);
  }
  apply::Options set;
  // Nobody else has a say in kubist's own kinds, and a half-written CRD helps nobody.
  set.force_conflicts = true;
  set.dry_run = options.dry_run;
  set.wait = options.controller.has_value();
  set.timeout = options.timeout;
  set.on_result = options.on_result;
  set.admit = [&options](std::size_t, const Json* live) { return admit(live, options.version); };
  apply::Report report = apply::apply_set(client, manifests, set, stop);
  if (report.ok() && !(options.agent_image.empty() && options.script_image.empty())) {
    report.append(keep_images(client, options, report, stop));
  }
  return report;
}

}  // namespace kubist::setup
