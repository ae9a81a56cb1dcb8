#include <map>

#include <kubist/apply/owned.hpp>
#include <kubist/apply/wait.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/namespaces.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/resources/ordering.hpp>
#include <kubist/util/text.hpp>

#include "item/requests.hpp"
#include "manifest/managed.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

/// Deletes one wave after the other until one is not gone at once.
class DeleteStep {
 public:
  DeleteStep(World& world, const Item& item, const Job& job)
      : m_world(world), m_item(item), m_job(job) {}

  util::Result<Pending> run(std::vector<Managed>& managed) {
    Pending pending;
    std::vector<resources::ObjectRef> refs;
    refs.reserve(managed.size());
    for (const Managed& one : managed) {
      refs.push_back(one.ref);
    }
    std::vector<bool> gone(managed.size());
    for (const auto& wave : resources::delete_waves(refs)) {
      if (pending.empty()) {
        KUBIST_CHECK(delete_wave(managed, wave.items, gone, pending));
      }
    }
    std::vector<Managed> left;
    for (std::size_t i = 0; i < managed.size(); ++i) {
      if (!gone[i]) {
        left.push_back(std::move(managed[i]));
      }
    }
    managed = std::move(left);
    return pending;
  }

 private:
  /// Asks for the deletion of what is there, and looks whether that was enough.
  util::Result<> delete_wave(const std::vector<Managed>& managed,
                             const std::vector<std::size_t>& wave, std::vector<bool>& gone,
                             Pending& pending) {
    for (int round = 0; round < 2 && pending.empty(); ++round) {
      std::vector<std::size_t> tags;
      std::vector<apply::Recorded> records;
      for (const std::size_t tag : wave) {
        if (!gone[tag]) {
          tags.push_back(tag);
          records.push_back(managed[tag]);
        }
      }
      kube::Reservation reservation(m_item.ns);
      const auto found = apply::find_owned(*m_job.place.deletions(), records, kube::Form::object,
                                           m_world.stop, &reservation);
      for (std::size_t i = 0; i < tags.size(); ++i) {
        if (!found[i] && goes_along(records[i].ref, found[i].error())) {
          gone[tags[i]] = true;
          continue;
        }
        KUBIST_CHECK(found[i]);
        gone[tags[i]] = found[i]->live.is_null() || is_others(*found[i]);
        if (gone[tags[i]]) {
          continue;
        }
        const resources::ObjectView view(found[i]->live);
        if (round == 0 && view.deletion_timestamp().empty()) {
          KUBIST_CHECK(delete_one(managed[tags[i]], *found[i]));
          gone[tags[i]] = m_world.writer.dry();  // or it would be waited for
        } else {  // on its way for long: the others are looked at again when it has changed
          const resources::ObjectRef& ref = records[i].ref;
          pending.add(m_job, found[i]->resource, ref.ns, ref.name,
                      cat(name_of(ref), " (", apply::deletion_blockers(found[i]->live), ")"));
        }
      }
    }
    return {};
  }

  /// No account has rights in a namespace of the home cluster that is going or gone, and what is in
  /// it goes along.
  bool goes_along(const resources::ObjectRef& ref, const util::Error& error) {
    if (error.http_status != 403 || ref.ns.empty() || !m_job.place.cluster.empty()) {
      return false;
    }
    const auto [known, is_new] = m_going.try_emplace(ref.ns, false);
    if (is_new) {
      known->second = kube::takes_no_objects(*m_world.home, ref.ns, m_world.stop);
    }
    return known->second;
  }

  bool is_others(const apply::Owned& owned) {
    const std::string reason = apply::reason_to_leave(owned.recorded, owned.live, mark_of(m_item));
    if (!reason.empty() && m_world.progress) {
      m_world.progress(cat("did not delete ", name_of(owned.recorded.ref), ": ", reason));
    }
    return !reason.empty();
  }

  util::Result<> delete_one(const Managed& one, const apply::Owned& owned) {
    const kube::Target target{*m_job.place.deletions(), m_job.place.cluster};
    const std::string uid(resources::ObjectView(owned.live).uid());
    Json patch = one.patch_before_delete.is_null() ? Json::object() : one.patch_before_delete;
    for (const auto& [key, value] : one.annotate_before_delete.items()) {
      resources::set_annotation(patch, key, value.is_string() ? value.get<std::string>() : "");
    }
    if (!patch.empty()) {
      data::set_path(patch, {"metadata", "uid"}, uid);
      KUBIST_CHECK(m_world.writer.patch(target, owned.resource, one.ref.ns, one.ref.name,
                                        kube::PatchType::merge, patch));
    }
    KUBIST_CHECK(m_world.writer.remove(target, owned.resource, one.ref.ns, one.ref.name, uid));
    return {};
  }

  World& m_world;
  const Item& m_item;
  const Job& m_job;
  std::map<std::string, bool> m_going;  ///< namespaces that were asked for: are they going or gone?
};

}  // namespace

util::Result<Pending> delete_step(World& world, const Item& item, const Job& job,
                                  std::vector<Managed>& managed) {
  auto pending = DeleteStep(world, item, job).run(managed);
  const bool denied = !pending && pending.error().http_status == 403;
  if (denied && job.place.limits != nullptr && job.place.delete_client == nullptr) {
    pending.error().hint += " Or --own-rights deletes it with your own.";
  }
  return pending;
}

}  // namespace kubist::deployers
