#include <kubist/apply/read.hpp>
#include <kubist/apply/wait.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/ordering.hpp>
#include <kubist/util/text.hpp>

#include "item/requests.hpp"
#include "manifest/managed.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

/// An object that is to go, with its live state.
struct Condemned {
  Managed managed;
  kube::ApiResource resource;
  Json live;
};

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
  util::Result<> delete_wave(const std::vector<Managed>& managed,
                             const std::vector<std::size_t>& wave, std::vector<bool>& gone,
                             Pending& pending) {
    std::vector<std::size_t> tags;
    std::vector<apply::Lookup> lookups;
    for (const std::size_t tag : wave) {
      const Managed& one = managed[tag];
      auto resource = m_job.place.deletions()->discovery().find_kind(one.api_version, one.ref.kind,
                                                                     m_world.stop);
      if (!resource && resource.error().kind == util::ErrorKind::not_found) {
        KUBIST_CHECK(check_group(one.ref.group));
        gone[tag] = true;  // its CRD is gone, and so are its objects
        continue;
      }
      if (!resource) {
        return util::fail(resource.error());
      }
      tags.push_back(tag);
      lookups.push_back({*std::move(resource), one.ref.ns, one.ref.name});
    }
    for (int round = 0; round < 2; ++round) {
      KUBIST_TRY(const auto live,
                 apply::read_objects(*m_job.place.deletions(), lookups, m_world.stop));
      for (std::size_t i = 0; i < tags.size(); ++i) {
        const Managed& one = managed[tags[i]];
        if (gone[tags[i]]) {
          continue;
        }
        if (!live[i] || is_others(one, *live[i])) {
          gone[tags[i]] = true;
          continue;
        }
        const resources::ObjectView view(*live[i]);
        if (round == 0 && view.deletion_timestamp().empty()) {
          KUBIST_CHECK(delete_one(one, lookups[i].resource, *live[i]));
          gone[tags[i]] = m_world.writer.dry();  // or it would be waited for
        } else {
          pending.add(m_job, lookups[i].resource, one.ref.ns, one.ref.name,
                      cat(name_of(one.ref), " (", apply::deletion_blockers(*live[i]), ")"));
        }
      }
      if (!pending.empty()) {
        // Some are on their way for long: look at the others again when these have changed.
        return {};
      }
    }
    return {};
  }

  /// A kind that is not found may be one whose server does not answer.
  util::Result<> check_group(const std::string& group) const {
    const auto broken = m_job.place.objects()->discovery().failed_groups();
    if (std::find(broken.begin(), broken.end(), group) != broken.end()) {
      return util::fail(util::ErrorKind::unavailable,
                        cat("the server of API group ", group, " does not answer"));
    }
    return {};
  }

  bool is_others(const Managed& one, const Json& live) {
    std::string reason;
    if (!one.uid.empty() && resources::ObjectView(live).uid() != one.uid) {
      reason = "it was made anew since";
    } else if (!is_own(live, m_item)) {
      reason = "it is not this item's (any more)";
    } else {
      return false;
    }
    if (m_world.progress) {
      m_world.progress(cat("left ", name_of(one.ref), " alone: ", reason));
    }
    return true;
  }

  util::Result<> delete_one(const Managed& one, const kube::ApiResource& resource,
                            const Json& live) {
    const kube::Target target{*m_job.place.deletions(), m_job.place.cluster};
    const std::string uid(resources::ObjectView(live).uid());
    Json patch = one.patch_before_delete.is_null() ? Json::object() : one.patch_before_delete;
    if (!one.annotate_before_delete.is_null()) {
      patch["metadata"]["annotations"].update(one.annotate_before_delete);
    }
    if (!patch.empty()) {
      patch["metadata"]["uid"] = uid;
      KUBIST_CHECK(m_world.writer.patch(target, resource, one.ref.ns, one.ref.name,
                                        kube::PatchType::merge, patch));
    }
    KUBIST_CHECK(m_world.writer.remove(target, resource, one.ref.ns, one.ref.name, uid));
    return {};
  }

  World& m_world;
  const Item& m_item;
  const Job& m_job;
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
