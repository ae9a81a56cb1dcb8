#include <algorithm>

#include <kubist/util/text.hpp>

#include "item/config_check.hpp"
#include "manifest/manifest_deployer.hpp"
#include "manifest/manifest_drift.hpp"
#include "manifest/manifest_run.hpp"

namespace kubist::deployers {

util::Result<> ManifestDeployer::check(const Item& item, const Settings& /*settings*/) const {
  if (!item.import_secret.empty() || item.import_values) {
    return util::fail(config_error(
        "a manifest item takes no imports: its objects are used as they are written",
        "Render them from imports in an Execution's item of type Templates, or in a helm chart."));
  }
  KUBIST_CHECK(parse_manifest_plan(item));
  return {};
}

util::Result<std::vector<Drifted>> ManifestDeployer::drift(World& world, const Item& item,
                                                           const Place& place) const {
  return find_drift(world, item, place);
}

Json ManifestDeployer::announced(World& world, const Item& item, const Job& job) const {
  auto plan = parse_manifest_plan(item);
  return plan ? ManifestRun(world, item, job).announced(*std::move(plan)) : Json::object();
}

util::Result<Progress> ManifestDeployer::advance(World& world, const Item& item,
                                                 const Job& job) const {
  ManifestRun run(world, item, job);
  if (job.remove) {
    return run.remove();
  }
  KUBIST_TRY(auto plan, parse_manifest_plan(item));
  return run.advance(std::move(plan), {});
}

util::Result<Progress> ManifestDeployer::preview(World& world, const Item& item,
                                                 const Job& job) const {
  KUBIST_TRY(auto plan, parse_manifest_plan(item));
  return ManifestRun(world, item, job).preview(std::move(plan), {});
}

Uninstall ManifestDeployer::uninstall(const Item& item) const {
  const auto managed = managed_of(item);
  const auto count = std::count_if(managed.begin(), managed.end(), [](const Managed& one) {
    return one.policy != ManagePolicy::keep;
  });
  return {true,
          util::cat("deletes the ", count, count == 1 ? " object" : " objects", " that it keeps")};
}

const Deployer& manifest_deployer() {
  static const ManifestDeployer deployer;
  return deployer;
}

}  // namespace kubist::deployers
