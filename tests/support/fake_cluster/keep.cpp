// How what a request made of an object is checked, filled in and kept.
#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "server.hpp"

namespace kubist::testing {

using data::Json;
using util::cat;

std::string time_now() { return util::format_time(util::system_clock().now()); }

KindKey key_of(const FakeKind& kind) { return kind.resource.group_resource(); }

namespace {

constexpr const char* k_modified =
    "the object has been modified; please apply your changes to the latest version and try again";

/// Of the server's metadata nothing comes from outside.
void keep_own_metadata(const Json& before, Json& after) {
  for (const char* key :
       {"uid", "creationTimestamp", "generation", "deletionTimestamp", "deletionGracePeriodSeconds",
        "resourceVersion", "managedFields", "namespace", "name"}) {
    if (before["metadata"].contains(key)) {
      after["metadata"][key] = before["metadata"][key];
    } else {
      after["metadata"].erase(key);
    }
  }
}

/// The status subresource writes the status, everything else leaves it.
void keep_other_half(const FakeRequest& request, const FakeKind& kind, const Json& before,
                     Json& after) {
  if (request.subresource == "status") {
    Json whole = before;
    whole.erase("status");
    if (after.contains("status")) {
      whole["status"] = after["status"];
    }
    after = std::move(whole);
  } else if (kind.has_status()) {
    after.erase("status");
    if (before.contains("status")) {
      after["status"] = before["status"];
    }
  }
}

Json without_bookkeeping(Json object) {
  for (const char* key : {"resourceVersion", "generation"}) {
    object["metadata"].erase(key);
  }
  if (object["metadata"].contains("managedFields")) {
    for (Json& entry : object["metadata"]["managedFields"]) {
      entry.erase("time");
    }
  }
  return object;
}

Json what_counts(Json object) {
  object.erase("metadata");
  object.erase("status");
  return object;
}

}  // namespace

FieldWriter FakeServer::writer_of(const FakeRequest& request, const FakeKind& kind) const {
  const bool applies = request.content_type == "application/apply-patch+yaml";
  return {request.field_manager(), applies ? "Apply" : "Update", kind.resource.api_version(),
          request.subresource};
}

void FakeServer::own(const FakeRequest& request, const FakeKind& kind, const Json& before,
                     Json& after, const std::optional<FieldSet>& applied) const {
  const auto forced = request.query.find("force");
  const bool force = !applied || (forced != request.query.end() && forced->second == "true");
  const auto conflicts =
      own_fields(before, after, writer_of(request, kind), applied, force, Shape(kind), time_now());
  if (conflicts.empty()) {
    return;
  }
  Json causes = Json::array();
  std::vector<std::string> texts;
  for (const OwnedField& each : conflicts) {
    std::string who = cat("conflict with ", each.entry["manager"].dump());
    if (each.entry.contains("subresource")) {
      who += cat(" with subresource ", each.entry["subresource"].dump());
    }
    if (each.entry["operation"] == "Update") {
      who += cat(" using ", each.entry.value("apiVersion", ""));
    }
    causes.push_back(
        {{"reason", "FieldManagerConflict"}, {"message", who}, {"field", to_string(each.path)}});
    texts.push_back(cat(who, ": ", to_string(each.path)));
  }
  throw Refusal{409,
                "Conflict",
                cat("Apply failed with ", texts.size(),
                    texts.size() == 1 ? " conflict: " : " conflicts: ", util::join(texts, ", ")),
                {{"causes", causes}}};
}

void FakeServer::check_namespace(const FakeRequest& request) const {
  if (request.ns.empty()) {
    return;
  }
  const Json* found = m_store.find("namespaces", "", request.ns);
  if (found == nullptr) {
    throw Refusal{404,
                  "NotFound",
                  cat("namespaces \"", request.ns, "\" not found"),
                  {{"name", request.ns}, {"kind", "namespaces"}}};
  }
  if (found->at("metadata").contains("deletionTimestamp")) {
    throw Refusal{
        403,
        "Forbidden",
        cat(request.group_resource(), " is forbidden: unable to create new content in namespace ",
            request.ns, " because it is being terminated"),
        {{"name", request.name},
         {"group", request.group},
         {"kind", request.plural},
         {"causes",
          Json::array({{{"reason", "NamespaceTerminating"},
                        {"message", cat("namespace ", request.ns, " is being terminated")},
                        {"field", "metadata.namespace"}}})}}};
  }
}

http::Response FakeServer::make(const FakeRequest& request, const FakeKind& kind, Json object,
                                const std::optional<FieldSet>& applied) {
  if (kind.has_status()) {
    object.erase("status");
  }
  Json& metadata = object["metadata"];
  for (const char* key : {"managedFields", "resourceVersion", "generation"}) {
    metadata.erase(key);
  }
  metadata["uid"] = fresh_uid();
  metadata["creationTimestamp"] = time_now();
  if (kind.generation) {
    metadata["generation"] = 1;
  }
  Json asked = object;
  fill_in(kind, object);
  check_object(request, kind, object, nullptr);
  check_namespace(request);
  own(request, kind, {{"metadata", Json::object()}}, object, applied);
  if (m_store.find(key_of(kind), request.ns, name_of(object)) != nullptr) {
    throw already_exists(request, name_of(object));
  }
  if (!request.dry_run()) {
    object = m_store.put(key_of(kind), std::move(object));
    if (kind.resource.kind == "CustomResourceDefinition") {
      m_kinds.add_crd(object);
    }
  }
  return json_answer(201, object);
}

void FakeServer::check_change(const FakeRequest& request, const FakeKind& kind, const Json& before,
                              const Json& after) {
  const auto asked = data::string_at(after, {"metadata", "resourceVersion"});
  if (!asked.empty() && asked != data::string_at(before, {"metadata", "resourceVersion"})) {
    throw conflict(request, k_modified);
  }
  const auto uid = data::string_at(after, {"metadata", "uid"});
  const auto live = data::string_at(before, {"metadata", "uid"});
  if (!uid.empty() && uid != live && request.method == "PUT") {
    throw conflict(request, cat("Precondition failed: UID in precondition: ", uid,
                                ", UID in object meta: ", live));
  }
  if (!uid.empty() && uid != live) {
    throw invalid(kind, request.name,
                  {{"metadata.uid", cat("Invalid value: \"", uid, "\": field is immutable")}});
  }
  if (!before["metadata"].contains("deletionTimestamp")) {
    return;
  }
  const Json& present = data::array_at(before, {"metadata", "finalizers"});
  for (const Json& each : data::array_at(after, {"metadata", "finalizers"})) {
    if (std::find(present.begin(), present.end(), each) == present.end()) {
      throw invalid(
          kind, request.name,
          {{"metadata.finalizers",
            cat("Forbidden: no new finalizers can be added if the object is being deleted, "
                "found new finalizers []string{",
                each.dump(), "}")}});
    }
  }
}

http::Response FakeServer::change(const FakeRequest& request, const FakeKind& kind,
                                  const Json& before, Json after,
                                  const std::optional<FieldSet>& applied) {
  check_change(request, kind, before, after);
  keep_other_half(request, kind, before, after);
  keep_own_metadata(before, after);
  fill_in(kind, after);
  check_object(request, kind, after, &before);
  own(request, kind, before, after, applied);
  if (without_bookkeeping(after) == without_bookkeeping(before)) {
    return json_answer(200, before);
  }
  if (kind.generation && what_counts(before) != what_counts(after)) {
    after["metadata"]["generation"] = before["metadata"].value("generation", 0) + 1;
  }
  if (request.dry_run()) {
    return json_answer(200, after);
  }
  const bool going = after["metadata"].contains("deletionTimestamp");
  const bool is_namespace = kind.resource.kind == "Namespace";
  if (going && !is_namespace && data::array_at(after, {"metadata", "finalizers"}).empty()) {
    go(kind, after);
    return json_answer(200, after);
  }
  after = m_store.put(key_of(kind), std::move(after));
  if (kind.resource.kind == "CustomResourceDefinition") {
    m_kinds.add_crd(after);
  }
  if (going && is_namespace) {
    end_namespace(request.name);
  }
  return json_answer(200, after);
}

}  // namespace kubist::testing
