#include "pod/state_claim.hpp"

#include <kubist/kube/api_error.hpp>
#include <kubist/util/text.hpp>

#include "pod/pod_parts.hpp"

namespace kubist::deployers {
namespace {

const kube::ApiResource& claims() { return kube::well_known::persistent_volume_claims(); }

}  // namespace

Json state_claim(const Item& item, const StateClaim& wanted, const Job& job,
                 const PodNames& names) {
  Json spec{{"accessModes", wanted.access_modes},
            {"resources", {{"requests", {{"storage", wanted.size}}}}}};
  if (wanted.storage_class) {
    spec["storageClassName"] = *wanted.storage_class;
  }
  return {{"apiVersion", "v1"},
          {"kind", "PersistentVolumeClaim"},
          {"metadata", place_metadata(item, job, names.state_claim)},
          {"spec", std::move(spec)}};
}

util::Result<> ensure_state_claim(World& world, const kube::Target& target, const Item& item,
                                  const StateClaim& wanted, const Job& job, const PodNames& names) {
  const std::string& name = wanted.existing.empty() ? names.state_claim : wanted.existing;
  KUBIST_TRY(const auto present, target.client.find(claims(), job.place.ns, name, world.stop));
  if (present) {
    return {};
  }
  if (!wanted.existing.empty()) {
    return util::fail(util::ErrorKind::not_found,
                      util::cat("config.state.claimName: PersistentVolumeClaim ", job.place.ns, "/",
                                name, " does not exist"),
                      "", "ClaimNotFound");
  }
  const auto made = world.writer.create(target, claims(), state_claim(item, wanted, job, names));
  if (!made && !kube::already_exists(made.error())) {
    return util::fail(made.error());
  }
  return {};
}

util::Result<> remove_state_claim(World& world, const kube::Target& target, const Job& job,
                                  const PodNames& names) {
  KUBIST_CHECK(world.writer.remove(target, claims(), job.place.ns, names.state_claim));
  return {};
}

}  // namespace kubist::deployers
