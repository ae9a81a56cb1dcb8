#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "keep/managed.hpp"
#include "keep/owned_objects.hpp"

namespace kubist::executors {

using data::Json;
using resources::ObjectView;
using util::cat;

util::Result<> OwnedObjects::prune(const Users& users) {
  Json left = Json::array();
  std::optional<util::Error> failure;
  for (const Json& entry : m_entries) {
    const resources::ObjectRef ref = inventory_ref(entry);
    const bool kept = std::find(m_kept.begin(), m_kept.end(), ref) != m_kept.end();
    if (kept || (users && !users(ref.kind, ref.name).empty())) {
      left.push_back(entry);
      continue;
    }
    const auto fate = drop(entry, false);
    if (!fate || *fate == Fate::going) {
      left.push_back(entry);
    }
    if (!fate) {
      failure = fate.error();
    }
  }
  m_entries = std::move(left);
  return failure ? util::Result<>(util::fail(*std::move(failure))) : util::Result<>{};
}

util::Result<engine::Removal> OwnedObjects::remove_all(const Users& users) {
  const bool orphan = resources::deletion_policy(*m_work.node().object) == "Orphan";
  engine::Removal removal;
  std::vector<std::string> going;
  for (std::size_t i = m_entries.size(); i-- > 0;) {
    const Json& entry = m_entries[i];
    const std::string kind(data::string_at(entry, {"kind"}));
    const std::string name(data::string_at(entry, {"name"}));
    const auto used_by = users && !orphan ? users(kind, name) : std::vector<std::string>{};
    if (!used_by.empty()) {
      return removal_running(
          "InUse", cat(kind, '/', name, " still gets requests from ", util::join(used_by, ", ")));
    }
    KUBIST_TRY(const Fate fate, drop(entry, orphan));
    if (fate == Fate::foreign) {
      removal.left_behind.push_back(cat(kind, '/', name));
    } else if (fate == Fate::going) {
      going.push_back(cat(kind, '/', name));
    }
  }
  return going.empty() || m_work.dry()
             ? removal
             : removal_running("Deleting", util::join(going, ", ") + " is being deleted");
}

/// What an entry of the inventory stands for.
struct OwnedObjects::Found {
  kube::ApiResource resource;
  Json live;
  bool ours = false;  ///< by owner annotation and uid
};

util::Result<std::optional<OwnedObjects::Found>> OwnedObjects::find(const Json& entry,
                                                                    kube::Client& client) {
  KUBIST_TRY(const auto resource, served(m_work, m_place, data::string_at(entry, {"group"}),
                                         data::string_at(entry, {"kind"})));
  if (!resource) {
    return std::nullopt;  // its CRD went, and all of its objects with it
  }
  KUBIST_TRY(auto live, client.find(*resource, data::string_at(entry, {"namespace"}),
                                    data::string_at(entry, {"name"}), m_work.stop()));
  if (!live) {
    return std::nullopt;
  }
  const ObjectView view(*live);
  const std::string_view known = data::string_at(entry, {"uid"});
  const bool ours = view.annotation(k_owner_annotation) == m_work.owner_mark() &&
                    (known.empty() || known == view.uid());
  return Found{*resource, *std::move(live), ours};
}

util::Result<std::vector<Json>> OwnedObjects::live() {
  std::vector<Json> objects;
  for (const Json& entry : m_entries) {
    KUBIST_TRY(auto found, find(entry, *m_place.client));
    if (found && found->ours) {
      objects.push_back(std::move(found->live));
    }
  }
  return objects;
}

util::Result<OwnedObjects::Fate> OwnedObjects::drop(const Json& entry, bool orphan) {
  kube::Client& client = *m_place.delete_client;
  KUBIST_TRY(const auto found, find(entry, client));
  if (!found) {
    return Fate::gone;
  }
  if (!found->ours) {
    return Fate::foreign;
  }
  const kube::ApiResource& resource = found->resource;
  const ObjectView view(found->live);
  const std::string ns(view.ns());
  const std::string name(view.name());
  if (orphan) {
    KUBIST_CHECK(release(resource, found->live));
    return Fate::foreign;
  }
  if (view.deletion_timestamp().empty()) {
    KUBIST_CHECK(m_work.writer().remove({client, m_place.cluster}, resource, ns, name, view.uid()));
  }
  // 200 is not gone: finalizers keep it.
  KUBIST_TRY(const auto after, client.find(resource, ns, name, m_work.stop()));
  return after && ObjectView(*after).uid() == view.uid() ? Fate::going : Fate::gone;
}

/// Takes our marks off, so that another owner may have it.
util::Result<> OwnedObjects::release(const kube::ApiResource& resource, const Json& live) {
  const ObjectView view(live);
  const Json marks{
      {"annotations", {{k_owner_annotation, nullptr}, {k_applied_annotation, nullptr}}},
      {"labels", {{resources::k_managed_by_label, nullptr}}}};
  KUBIST_CHECK(m_work.writer().patch(m_place.target(), resource, view.ns(), view.name(),
                                     kube::PatchType::merge, {{"metadata", marks}},
                                     {.detail = "let go"}));
  return {};
}

}  // namespace kubist::executors
