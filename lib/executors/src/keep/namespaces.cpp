#include "keep/namespaces.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "keep/applied.hpp"
#include "keep/inventory_book.hpp"
#include "world/survey.hpp"

namespace kubist::executors {

using data::Json;
using engine::Removal;
using resources::ObjectView;
using util::cat;
using util::ErrorKind;

namespace {

const kube::ApiResource& namespaces() { return kube::well_known::namespaces(); }

/// An entry of status.inventory.
Json entry_of(const std::string& name, std::string_view uid, bool adopted) {
  const kube::ApiResource& resource = namespaces();
  return inventory_entry(
      {{resource.group, resource.kind, "", name}, resource.api_version(), std::string(uid)},
      adopted);
}

// The entry of status.inventory for that namespace, or null.
const Json* recorded(const engine::Node& node, const std::string& name) {
  for (const Json& entry : own_inventory(node.status())) {
    if (data::string_at(entry, {"kind"}) == "Namespace" &&
        data::string_at(entry, {"name"}) == name) {
      return &entry;
    }
  }
  return nullptr;
}

/// The namespace says so itself, which those may not change who may write its owner's status.
bool is_adopted(const Json& live) {
  return ObjectView(live).annotation(k_adopted_annotation) == "true";
}

util::Result<> check_ownership(Work& work, const Json& live, const NamespaceWish& wish,
                               bool known) {
  const ObjectView view(live);
  const std::string_view owner = view.annotation(resources::k_owner_annotation);
  if (owner == work.owner_mark()) {
    return {};
  }
  if (!owner.empty()) {
    return util::fail(
        util::make_error(ErrorKind::invalid, cat("namespace ", wish.name, " belongs to ", owner),
                         "Choose another namespace, or delete its owner first.", "NamespaceTaken"));
  }
  if (!wish.adopt && !known) {
    return util::fail(util::make_error(
        ErrorKind::invalid, cat("namespace ", wish.name, " exists and was not made by kubist"),
        "Set spec.adopt: true to take it over, or choose another one.", "NamespaceExists"));
  }
  return {};
}

/// Who may make virtual clusters could else delete what somebody else made, with all in it.
util::Error deletion_not_allowed(const std::string& name) {
  return util::make_error(ErrorKind::invalid,
                          cat("spec.deletionPolicy: Delete would delete namespace ", name,
                              ", which kubist did not make"),
                          cat("Set it to Orphan. An administrator allows it by the name ", name,
                              ", without a star, in spec.home.namespaces of the Project."),
                          "DeletionNotAllowed");
}

/// What the namespace controller says it still waits for.
std::string what_remains(const ObjectView& ns) {
  std::string text;
  for (const auto& condition : ns.conditions()) {
    if (condition.type.ends_with("Remaining") && condition.status == "True") {
      text += cat("; ", condition.message);
    }
  }
  return text;
}

/// Left out of what is applied, those of an earlier wish would go.
void keep_labels(const Json& live, const NamespaceWish& wish, std::string_view manager,
                 Json& object) {
  for (const Json& entry : data::array_at(live, {"metadata", "managedFields"})) {
    for (const std::string& label : wish.kept_labels) {
      if (data::string_at(entry, {"manager"}) == manager &&
          data::find_path(entry, {"fieldsV1", "f:metadata", "f:labels", cat("f:", label)})) {
        object["metadata"]["labels"][label] = data::string_at(live, {"metadata", "labels", label});
      }
    }
  }
}

util::Result<> remove_labels(Work& work, const kube::Target& target, const NamespaceWish& wish,
                             const Json& live) {
  Json nulls = Json::object();
  for (const std::string& label : wish.unwanted_labels) {
    if (ObjectView(live).labels().contains(label)) {
      nulls[label] = nullptr;
    }
  }
  if (nulls.empty()) {
    return {};
  }
  KUBIST_CHECK(work.writer().patch(target, namespaces(), "", wish.name, kube::PatchType::merge,
                                   {{"metadata", {{"labels", nulls}}}}, {.detail = "labels"}));
  return {};
}

}  // namespace

util::Result<> check_home_namespace(const engine::Graph& graph, const std::string& project_ns,
                                    const std::string& ns) {
  const engine::Node* own = graph.project_of(project_ns);
  const engine::Node* other = graph.project_of(ns);
  const auto not_allowed = [](std::string message, std::string hint) {
    return util::fail(util::make_error(ErrorKind::invalid, std::move(message), std::move(hint),
                                       "NamespaceNotAllowed"));
  };
  if (resources::is_reserved_namespace(ns)) {
    return not_allowed(cat("namespace ", ns, " of the home cluster is reserved"),
                       "Choose another spec.namespace.");
  }
  if (other != nullptr && other != own) {
    return not_allowed(cat("namespace ", ns, " belongs to Project ", other->key.name),
                       "Choose another spec.namespace.");
  }
  if (own == nullptr) {
    return not_allowed(cat("namespace ", project_ns, " belongs to no Project"),
                       "Create a Project that owns it.");
  }
  for (const std::string& pattern : resources::project_home_patterns(*own->object)) {
    if (util::glob_match(pattern, ns)) {
      return {};
    }
  }
  return not_allowed(
      cat("Project ", own->key.name, " may not use namespace ", ns, " of the home cluster"),
      "An administrator can add it to spec.home.namespaces of the Project.");
}

bool names_exactly(const engine::Node* project, const std::string& ns) {
  const Json* names = project == nullptr
                          ? nullptr
                          : data::find_path(*project->object, {"spec", "home", "namespaces"});
  return names != nullptr && std::find(names->begin(), names->end(), Json(ns)) != names->end();
}

namespace {

/// Makes it for a node that is looked at for the first time; null: it is there.
util::Result<Json> make_unseen(Work& work, const kube::Target& target, const NamespaceWish& wish) {
  KUBIST_CHECK(work.record(InventoryBook().fields(Json::array({entry_of(wish.name, "", false)}))));
  auto made = work.writer().apply(target, namespaces(), namespace_object(wish, work.owner_mark()),
                                  {.only_new = true});
  if (!made && kube::is_conflict(made.error())) {
    work.correct(InventoryBook().fields(Json()));
    return Json();
  }
  return made;
}

/// Looks for it, then makes or adopts it.
util::Result<NamespaceFact> keep_seen(Work& work, const kube::Target& target,
                                      const NamespaceWish& wish) {
  const Json* entry = recorded(work.node(), wish.name);
  KUBIST_TRY(const auto live, work.world().survey.find_namespace(target.client, work.node(),
                                                                 wish.name, work.stop()));
  NamespaceFact fact;
  std::string uid;
  bool known = false;
  if (live) {
    uid = ObjectView(*live).uid();
    known = entry != nullptr && data::string_at(*entry, {"uid"}) == uid;
    KUBIST_CHECK(check_ownership(work, *live, wish, known));
    if (!ObjectView(*live).deletion_timestamp().empty()) {
      return util::fail(util::make_error(ErrorKind::unavailable,
                                         cat("namespace ", wish.name, " is being deleted"), "",
                                         std::string(k_namespace_terminating)));
    }
    const bool marked =
        ObjectView(*live).annotation(resources::k_owner_annotation) == work.owner_mark();
    // An entry by itself never says that it was made: who may write statuses may say so of any.
    fact.adopted = !marked || is_adopted(*live) || (known && data::bool_at(*entry, {"adopted"}));
    if (fact.adopted && !wish.delete_adopted &&
        resources::deletion_policy(*work.node().object) == "Delete") {
      return util::fail(deletion_not_allowed(wish.name));
    }
    if (fact.adopted && wish.check_adoption) {
      KUBIST_CHECK(wish.check_adoption());
    }
  } else if (!wish.create) {
    return util::fail(
        util::make_error(ErrorKind::not_found, cat("namespace ", wish.name, " does not exist"),
                         "Create it, or set spec.create: true.", "NamespaceNotFound"));
  }
  if (entry == nullptr || (live && !known)) {
    // Ahead of the namespace: after a crash the next run knows of it.
    KUBIST_CHECK(
        work.record(InventoryBook().fields(Json::array({entry_of(wish.name, uid, fact.adopted)}))));
  }
  Json object = namespace_object(wish, work.owner_mark());
  if (fact.adopted) {
    object["metadata"]["annotations"][std::string(k_adopted_annotation)] = "true";
  }
  if (live) {
    object["metadata"]["uid"] = uid;  // the one that was looked at, no successor
    keep_labels(*live, wish, work.field_manager(), object);
  }
  KUBIST_TRY(fact.live, work.apply(target, namespaces(), object, live ? &*live : nullptr,
                                   live && same_wish(object, *live)));
  return fact;
}

}  // namespace

util::Result<NamespaceFact> keep_namespace(Work& work, const kube::Target& target,
                                           const NamespaceWish& wish) {
  NamespaceFact fact;
  if (work.is_new() && wish.create && !wish.adopt) {
    KUBIST_TRY(fact.live, make_unseen(work, target, wish));
    fact.made = !fact.live.is_null();
  }
  if (!fact.made) {
    KUBIST_TRY(fact, keep_seen(work, target, wish));
  }
  KUBIST_CHECK(remove_labels(work, target, wish, fact.live));
  fact.inventory = Json::array({entry_of(wish.name, ObjectView(fact.live).uid(), fact.adopted)});
  return fact;
}

namespace {

/// deletionPolicy, or by default: Orphan what was adopted, Delete what was made.
bool is_kept(const engine::Node& node, const Json& entry) {
  const std::string_view policy = resources::deletion_policy(*node.object);
  return policy.empty() ? data::bool_at(entry, {"adopted"}) : policy == "Orphan";
}

/// Takes our marks off, so that another owner may have it.
util::Result<> release_namespace(Work& work, const kube::Target& target, const std::string& name) {
  const Json marks{{"annotations",
                    {{resources::k_owner_annotation, nullptr},
                     {k_adopted_annotation, nullptr},
                     {k_applied_annotation, nullptr}}},
                   {"labels", {{resources::k_managed_by_label, nullptr}}}};
  KUBIST_CHECK(work.writer().patch(target, namespaces(), "", name, kube::PatchType::merge,
                                   {{"metadata", marks}}, {.detail = "released"}));
  return {};
}

}  // namespace

util::Result<Removal> remove_namespace(Work& work, const kube::Target& target,
                                       const std::string& name, bool delete_adopted) {
  KUBIST_TRY(const auto live, target.client.find(namespaces(), "", name, work.stop()));
  if (!live) {
    return Removal{};
  }
  const ObjectView view(*live);
  const Json* recorded_entry = recorded(work.node(), name);
  const bool marked = apply::has_mark(*live, mark_of(work));
  Json entry = recorded_entry != nullptr ? *recorded_entry : Json();
  const bool made_by_apply = entry.is_null() && marked && work.node().key.kind == "Project";
  if (made_by_apply) {  // for a Project that no run has seen yet: known from here on
    entry = entry_of(name, view.uid(), false);
    if (view.deletion_timestamp().empty()) {
      KUBIST_CHECK(work.record(InventoryBook().fields(Json::array({entry}))));
    }
  }
  Removal removal;
  if (entry.is_null()) {
    if (marked) {
      removal.left_behind.push_back(cat("namespace ", name, " (the inventory does not know it)"));
    }
    return removal;
  }
  entry["adopted"] = data::bool_at(entry, {"adopted"}) || is_adopted(*live);
  const bool ours = apply::reason_to_leave(read_entry(entry), *live, mark_of(work)).empty();
  if (!ours || is_kept(work.node(), entry)) {
    removal.left_behind.push_back(cat("namespace ", name));
    if (ours) {
      KUBIST_CHECK(release_namespace(work, target, name));
    }
    return removal;
  }
  if (data::bool_at(entry, {"adopted"}) && !delete_adopted) {
    return util::fail(deletion_not_allowed(name));
  }
  if (view.deletion_timestamp().empty()) {
    KUBIST_CHECK(work.writer().remove(target, namespaces(), "", name, view.uid()));
    if (work.dry()) {
      return removal;
    }
  }
  return removal_running(std::string(k_namespace_terminating),
                         cat("namespace ", name, " is being deleted", what_remains(view)));
}

}  // namespace kubist::executors
