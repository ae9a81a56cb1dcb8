#include "root_images.hpp"

#include <algorithm>
#include <utility>

#include <kubist/apply/set.hpp>
#include <kubist/data/pointer.hpp>

namespace kubist::setup {

using data::Json;

namespace {

constexpr const char* k_manager = "kubist-init";

const kube::ApiResource& roots() {
  static const auto resource =
      kube::make_resource("kubist.io", "v1alpha1", "Root", "roots", false, {"status"});
  return resource;
}

/// Is the kind of Roots one that this dry run would make?
bool lacks_roots(const apply::Report& kinds) {
  return std::any_of(kinds.results.begin(), kinds.results.end(), [](const auto& result) {
    return result.ref.name == "roots.kubist.io" && result.outcome == apply::Outcome::created;
  });
}

/// What `options` names, and beside it what is there: an apply sets all that its manager has.
util::Result<Json> root_with_images(kube::Client& client, const InstallOptions& options,
                                    const std::stop_token& stop) {
  KUBIST_TRY(const auto live, find_root(client, stop));
  Json images = Json::object();
  for (const auto& [field, given] :
       {std::pair{"agent", options.agent_image}, std::pair{"script", options.script_image}}) {
    std::string image = given;
    if (image.empty() && live) {
      image = data::string_at(*live, {"spec", "images", field});
    }
    if (!image.empty()) {
      images[field] = std::move(image);
    }
  }
  return Json{{"apiVersion", roots().api_version()},
              {"kind", roots().kind},
              {"metadata", {{"name", "root"}}},
              {"spec", {{"images", std::move(images)}}}};
}

}  // namespace

util::Result<std::optional<Json>> find_root(kube::Client& client, const std::stop_token& stop) {
  return client.find(roots(), "", "root", stop);
}

apply::Report keep_images(kube::Client& client, const InstallOptions& options,
                          const apply::Report& kinds, const std::stop_token& stop) {
  apply::Report report;
  auto root = root_with_images(client, options, stop);
  if (!root) {
    report.errors.push_back(root.error());
    return report;
  }
  if (options.dry_run != kube::DryRun::none && lacks_roots(kinds)) {
    apply::ObjectResult result;
    result.ref = resources::ObjectView(*root).ref();
    result.outcome = apply::Outcome::created;
    if (options.on_result) {
      options.on_result(result);
    }
    report.results.push_back(std::move(result));
    return report;
  }
  std::vector<resources::Manifest> manifests(1);
  manifests[0].object = *std::move(root);
  apply::Options set;
  set.manager = k_manager;
  set.dry_run = options.dry_run;
  set.timeout = options.timeout;
  set.on_result = options.on_result;
  return apply::apply_set(client, manifests, set, stop);
}

}  // namespace kubist::setup
