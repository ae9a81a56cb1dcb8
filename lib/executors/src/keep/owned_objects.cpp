#include "keep/owned_objects.hpp"

#include <algorithm>

#include <kubist/apply/compare.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "keep/applied.hpp"
#include "keep/managed.hpp"

namespace kubist::executors {

using data::Json;
using resources::ObjectView;
using util::cat;
using util::ErrorKind;

namespace {

std::string title(const kube::ApiResource& resource, const std::string& name) {
  return cat(resource.kind, '/', name);
}

/// Fields of a live custom resource's spec that nobody asked for. Server-side apply leaves them.
std::vector<std::string> extra_fields(const Wish& wish, const Json& live) {
  std::vector<std::string> extra;
  const Json* spec = data::find_path(live, {"spec"});
  if (spec == nullptr || !wish.whole_spec || apply::is_built_in_group(wish.resource.group)) {
    return extra;
  }
  for (const auto& [key, value] : spec->items()) {
    if (!wish.body["spec"].contains(key)) {
      extra.push_back(key);
    }
  }
  return extra;
}

/// Who else wrote its spec: field managers, for people.
std::string other_managers(const Json& live, const std::string& own) {
  std::vector<std::string> managers;
  const Json* fields = data::find_path(live, {"metadata", "managedFields"});
  for (const Json& entry : fields != nullptr ? *fields : Json::array()) {
    const std::string manager(data::string_at(entry, {"manager"}));
    const bool spec = data::find_path(entry, {"fieldsV1", "f:spec"}) != nullptr;
    if (spec && manager != own) {
      managers.push_back(manager);
    }
  }
  return util::join(managers, ", ");
}

Json inventory_of(const std::vector<apply::Recorded>& records) {
  Json inventory = Json::array();
  for (const apply::Recorded& each : records) {
    inventory.push_back(inventory_entry(each));
  }
  return inventory;
}

}  // namespace

Wish spec_wish(const kube::ApiResource& resource, std::string name, Json spec, Json annotations) {
  Wish wish{resource, std::move(name), {{"spec", std::move(spec)}}, std::move(annotations)};
  wish.whole_spec = true;
  return wish;
}

OwnedObjects::OwnedObjects(Work& work, const TrafficPlace& place)
    : OwnedObjects(work, place, own_inventory(work.node().status())) {}

OwnedObjects::OwnedObjects(Work& work, const TrafficPlace& place, const Json& inventory,
                           InventoryBook book)
    : m_work(work),
      m_place(place),
      m_book(std::move(book)),
      m_repair(data::string_at(work.spec(), {"drift"}) != "Report") {
  for (const Json& entry : inventory.is_array() ? inventory : Json::array()) {
    m_entries.push_back(read_entry(entry));
  }
}

apply::Recorded* OwnedObjects::recorded(const resources::ObjectRef& ref) {
  const auto found = std::find_if(m_entries.begin(), m_entries.end(),
                                  [&](const apply::Recorded& each) { return each.ref == ref; });
  return found != m_entries.end() ? &*found : nullptr;
}

resources::ObjectRef OwnedObjects::ref_of(const Wish& wish) const {
  const std::string& ns = wish.ns.empty() ? m_place.ns : wish.ns;
  return {wish.resource.group, wish.resource.kind, wish.resource.namespaced ? ns : "", wish.name};
}

Json OwnedObjects::inventory() const {
  return m_entries.empty() ? Json() : inventory_of(m_entries);
}

Json OwnedObjects::wanted(const Wish& wish) const {
  const resources::ObjectRef ref = ref_of(wish);
  Json object = wish.body;
  object["apiVersion"] = wish.resource.api_version();
  object["kind"] = ref.kind;
  object["metadata"] = {
      {"name", ref.name}, {"labels", wish.labels}, {"annotations", wish.annotations}};
  if (!ref.ns.empty()) {
    object["metadata"]["namespace"] = ref.ns;
  }
  mark_applied(object, object);
  resources::set_label(object, resources::k_managed_by_label, "kubist");
  resources::set_annotation(object, resources::k_owner_annotation, m_work.owner_mark());
  return object;
}

/// What is to be made, before it is.
util::Result<> OwnedObjects::record(const std::vector<Wish>& wishes) {
  std::vector<apply::Recorded> entries = m_entries;
  for (const Wish& wish : wishes) {
    const resources::ObjectRef ref = m_kept.emplace_back(ref_of(wish));
    if (recorded(ref) == nullptr && m_work.is_new()) {
      entries.push_back({ref, wish.resource.api_version(), ""});
    } else if (recorded(ref) == nullptr) {
      // Somebody else's is found out before it is written down as ours.
      KUBIST_TRY(const auto live,
                 m_place.client->find(wish.resource, ref.ns, ref.name, m_work.stop()));
      if (live) {
        KUBIST_CHECK(check_owner(wish, *live));
      }
      // One that is there was made by a look before this, in the same run.
      const std::string uid(live ? ObjectView(*live).uid() : "");
      entries.push_back({ref, wish.resource.api_version(), uid});
    }
  }
  if (entries.size() > m_entries.size()) {
    KUBIST_CHECK(m_work.record(m_book.fields(inventory_of(entries))));
    m_entries = std::move(entries);
  }
  return {};
}

util::Result<std::vector<Json>> OwnedObjects::keep(const std::vector<Wish>& wishes) {
  KUBIST_CHECK(record(wishes));
  std::vector<Json> live;
  for (const Wish& wish : wishes) {
    KUBIST_TRY(Json object, keep_one(wish));
    note_live(wish, object);
    live.push_back(std::move(object));
  }
  return live;
}

void OwnedObjects::note_live(const Wish& wish, const Json& live) {
  apply::Recorded* entry = recorded(ref_of(wish));
  if (entry != nullptr && !live.is_null()) {
    entry->api_version = wish.resource.api_version();
    entry->uid = ObjectView(live).uid();
  }
}

/// Makes what the first look at the node finds missing; nothing: it is there. Somebody else's is
/// not left in the inventory.
util::Result<std::optional<Json>> OwnedObjects::make_unseen(const Wish& wish) {
  auto made =
      m_work.writer().apply(m_place.target(), wish.resource, wanted(wish), {.only_new = true});
  if (made || !kube::is_conflict(made.error())) {
    return made;
  }
  const resources::ObjectRef ref = ref_of(wish);
  KUBIST_TRY(const auto live, m_place.client->find(wish.resource, ref.ns, ref.name, m_work.stop()));
  if (auto ours = live ? check_owner(wish, *live) : util::Result<>(); !ours) {
    std::erase_if(m_entries, [&](const apply::Recorded& each) { return each.ref == ref; });
    m_work.correct(m_book.fields(inventory()));
    return util::fail(ours.error());
  }
  return std::nullopt;
}

// Somebody may change it between our look and our write: then look again.
util::Result<Json> OwnedObjects::keep_one(const Wish& wish) {
  if (m_work.is_new()) {
    KUBIST_TRY(auto made, make_unseen(wish));
    if (made) {
      return *std::move(made);
    }
  }
  for (int tries = 1;; ++tries) {
    auto done = attempt(wish);
    if (done && *done) {
      return **std::move(done);
    }
    if (!done && (!kube::is_conflict(done.error()) || tries == k_max_attempts)) {
      return util::fail(done.error());
    }
    if (done && tries == k_max_attempts) {
      return util::fail(ErrorKind::conflict, cat(title(wish.resource, wish.name),
                                                 " was changed under every attempt to write it"));
    }
  }
}

/// The live object; nothing: it has to be looked at again.
util::Result<std::optional<Json>> OwnedObjects::attempt(const Wish& wish) {
  const resources::ObjectRef ref = ref_of(wish);
  KUBIST_TRY(const auto live, m_place.client->find(wish.resource, ref.ns, ref.name, m_work.stop()));
  Json object = wanted(wish);
  const apply::Recorded* known = recorded(ref);
  if (!live && !m_repair && known != nullptr && !known->uid.empty()) {
    m_drift.push_back(title(wish.resource, wish.name) + " was deleted");
    return Json();
  }
  if (!live) {
    return m_work.writer().apply(m_place.target(), wish.resource, object, {.only_new = true});
  }
  KUBIST_CHECK(check_owner(wish, *live));
  const std::string& manager = m_work.field_manager();
  const auto compared = apply::compare(
      object, *live,
      {.manager = manager, .built_in = apply::is_built_in_group(wish.resource.group)});
  const auto extra = extra_fields(wish, *live);
  const bool as_wished_before = same_wish(object, *live);
  // In doubt over defaults: nobody took a field of what we applied.
  const bool as_applied = compared.verdict == apply::Verdict::unchanged ||
                          (compared.verdict == apply::Verdict::doubtful && as_wished_before &&
                           !(wish.whole_spec && apply::is_built_in_group(wish.resource.group)));
  if (as_applied && extra.empty()) {
    return *live;
  }
  std::string why =
      as_applied ? cat("spec.", util::join(extra, ", spec."), " was added") : compared.reason;
  const std::string others = other_managers(*live, manager);
  if (!others.empty()) {
    why += cat(" (by ", others, ')');
  }
  if (!m_repair && as_wished_before) {
    m_drift.push_back(cat(title(wish.resource, wish.name), ": ", why));
    return *live;
  }
  if (!extra.empty() && m_repair) {
    KUBIST_CHECK(take_away_fields(wish, *live, extra));
    if (!m_work.dry()) {
      return std::nullopt;  // its resourceVersion moved
    }
  }
  return change(wish, std::move(object), *live, as_wished_before ? "repaired: " + why : "");
}

util::Result<std::optional<Json>> OwnedObjects::change(const Wish& wish, Json object,
                                                       const Json& live, const std::string& why) {
  const ObjectView view(live);
  object["metadata"]["uid"] = view.uid();
  object["metadata"]["resourceVersion"] = view.resource_version();
  auto after = m_work.write(m_place.target(), wish.resource, object,
                            {.live = &live, .force = m_repair, .detail = why});
  if (after) {
    return *std::move(after);
  }
  const auto conflicts = kube::field_conflicts(after.error());
  if (conflicts.empty() || m_repair) {
    return util::fail(after.error());
  }
  for (const kube::FieldConflict& conflict : conflicts) {
    m_drift.push_back(cat(title(wish.resource, wish.name), ": ", conflict.field.substr(1),
                          " belongs to ", conflict.manager));
  }
  return live;
}

util::Result<> OwnedObjects::take_away_fields(const Wish& wish, const Json& live,
                                              const std::vector<std::string>& fields) {
  Json patch = Json::array({{{"op", "test"},
                             {"path", "/metadata/resourceVersion"},
                             {"value", ObjectView(live).resource_version()}}});
  for (const std::string& field : fields) {
    std::string path = "/spec";
    data::append_token(path, field);
    patch.push_back({{"op", "remove"}, {"path", path}});
  }
  const auto sent =
      m_work.writer().patch(m_place.target(), wish.resource, ref_of(wish).ns, wish.name,
                            kube::PatchType::json, patch, {.detail = "takes away what was added"});
  return sent || kube::may_be_outdated(sent.error()) ? util::Result<>{} : util::fail(sent.error());
}

util::Result<> OwnedObjects::check_owner(const Wish& wish, const Json& live) const {
  const ObjectView view(live);
  const std::string_view owner = view.annotation(resources::k_owner_annotation);
  const std::string what = title(wish.resource, wish.name);
  if (owner == m_work.owner_mark()) {
    if (view.deletion_timestamp().empty()) {
      return {};
    }
    return util::fail(ErrorKind::unavailable, cat(what, " is being deleted"), "",
                      "ObjectTerminating");
  }
  if (!owner.empty()) {
    return util::fail(refused("ObjectTaken", cat(what, " belongs to ", owner),
                              "Choose another name, or delete its owner first."));
  }
  for (const apply::Recorded& entry : m_entries) {  // ours, but somebody took our mark off
    if (!m_place.by_account && !view.uid().empty() && entry.uid == view.uid()) {
      return {};
    }
  }
  const std::string& ns = ref_of(wish).ns;
  return util::fail(refused(
      "ObjectExists",
      cat(what, " exists", ns.empty() ? "" : " in namespace ", ns, " and was not made by kubist"),
      wish.whole_spec
          ? "Choose another name (spec.object.name), or take it as it is (spec.object.borrow)."
          : "Let the executor give its object another name."));
}

resources::Condition OwnedObjects::drift_condition() const {
  return resources::drift_condition(util::join(m_drift, "; "));
}

}  // namespace kubist::executors
