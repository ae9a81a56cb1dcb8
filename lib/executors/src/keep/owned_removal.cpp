#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "keep/applied.hpp"
#include "keep/managed.hpp"
#include "keep/owned_objects.hpp"

namespace kubist::executors {

using data::Json;
using resources::ObjectView;
using util::cat;

util::Result<> OwnedObjects::prune(const Users& users) {
  std::optional<util::Error> failure;
  for (std::size_t i = m_entries.size(); i-- > 0;) {
    const resources::ObjectRef& ref = m_entries[i].ref;
    const bool kept = std::find(m_kept.begin(), m_kept.end(), ref) != m_kept.end();
    if (kept || (users && !users(ref.kind, ref.name).empty())) {
      continue;
    }
    const auto fate = drop(m_entries[i], false);
    if (!fate) {
      failure = fate.error();
    } else if (*fate != Fate::going) {
      m_entries.erase(m_entries.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return failure ? util::Result<>(util::fail(*std::move(failure))) : util::Result<>{};
}

util::Result<engine::Removal> OwnedObjects::remove_all(const Users& users, Orphans orphans) {
  const bool orphan = orphans == Orphans::by_policy &&
                      resources::deletion_policy(*m_work.node().object) == "Orphan";
  engine::Removal removal;
  std::vector<std::string> going;
  for (std::size_t i = m_entries.size(); i-- > 0;) {
    const resources::ObjectRef& ref = m_entries[i].ref;
    const std::string title = resources::to_string(ref);
    const auto used_by = users && !orphan ? users(ref.kind, ref.name) : std::vector<std::string>{};
    if (!used_by.empty()) {
      return removal_running("InUse",
                             cat(title, " still gets requests from ", util::join(used_by, ", ")));
    }
    KUBIST_TRY(const Fate fate, drop(m_entries[i], orphan));
    if (fate == Fate::foreign) {
      removal.left_behind.push_back(title);
    } else if (fate == Fate::going) {
      going.push_back(title);
    }
  }
  return going.empty() || m_work.dry()
             ? removal
             : removal_running("Deleting", util::join(going, ", ") + " is being deleted");
}

util::Result<apply::Owned> OwnedObjects::find(const apply::Recorded& entry, kube::Client& client) {
  return apply::find_owned(client, {entry}, kube::Form::object, m_work.stop()).front();
}

bool OwnedObjects::is_ours(const apply::Owned& found) const {
  return !found.live.is_null() &&
         apply::reason_to_leave(found.recorded, found.live, mark_of(m_work)).empty();
}

util::Result<std::vector<Json>> OwnedObjects::live() {
  std::vector<Json> objects;
  if (m_entries.empty()) {
    return objects;  // there may be no client, where no account is named
  }
  for (auto& found :
       apply::find_owned(*m_place.client, m_entries, kube::Form::object, m_work.stop())) {
    KUBIST_CHECK(found);
    if (is_ours(*found)) {
      objects.push_back(std::move(found->live));
    }
  }
  return objects;
}

util::Result<OwnedObjects::Fate> OwnedObjects::drop(const apply::Recorded& entry, bool orphan) {
  kube::Client& client = *m_place.delete_client;
  KUBIST_TRY(const apply::Owned found, find(entry, client));
  if (found.live.is_null()) {
    return Fate::gone;
  }
  if (!is_ours(found)) {
    return Fate::foreign;
  }
  if (orphan) {
    KUBIST_CHECK(release(found));
    return Fate::foreign;
  }
  const resources::ObjectRef& ref = entry.ref;
  const ObjectView view(found.live);
  if (view.deletion_timestamp().empty()) {
    KUBIST_CHECK(m_work.writer().remove({client, m_place.cluster}, found.resource, ref.ns, ref.name,
                                        view.uid()));
  }
  // 200 is not gone: finalizers keep it.
  KUBIST_TRY(const auto after, client.find(found.resource, ref.ns, ref.name, m_work.stop()));
  return after && ObjectView(*after).uid() == view.uid() ? Fate::going : Fate::gone;
}

/// Takes our marks off, so that another owner may have it.
util::Result<> OwnedObjects::release(const apply::Owned& found) {
  const resources::ObjectRef& ref = found.recorded.ref;
  const Json marks{
      {"annotations", {{resources::k_owner_annotation, nullptr}, {k_applied_annotation, nullptr}}},
      {"labels", {{resources::k_managed_by_label, nullptr}}}};
  KUBIST_CHECK(m_work.writer().patch(m_place.target(), found.resource, ref.ns, ref.name,
                                     kube::PatchType::merge, {{"metadata", marks}},
                                     {.detail = "released"}));
  return {};
}

}  // namespace kubist::executors
