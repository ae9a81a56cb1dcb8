#include <algorithm>

#include <kubist/data/document.hpp>
#include <kubist/data/json_patch.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
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

Json body_of(const FakeRequest& request) {
  Json body = Json::parse(request.body, nullptr, false);
  if (body.is_discarded()) {
    auto document = data::read_document("---\n" + request.body, "body");
    if (!document) {
      throw bad_request(document.error().message);
    }
    body = std::move(document->value);
  }
  return body;
}

/// The object of a body, which must be the one that the path names.
Json object_of(const FakeRequest& request, const FakeKind& kind) {
  Json object = body_of(request);
  if (!object.is_object()) {
    throw bad_request("the body is no object");
  }
  if (object.value("kind", kind.resource.kind) != kind.resource.kind ||
      object.value("apiVersion", kind.resource.api_version()) != kind.resource.api_version()) {
    throw bad_request(cat("the API version in the data (", object.value("apiVersion", ""),
                          ", Kind=", object.value("kind", ""),
                          ") does not match the expected API version"));
  }
  object["apiVersion"] = kind.resource.api_version();
  object["kind"] = kind.resource.kind;
  Json& metadata = object["metadata"];
  metadata = metadata.is_object() ? metadata : Json::object();
  if (kind.resource.namespaced) {
    if (metadata.value("namespace", request.ns) != request.ns) {
      throw bad_request(
          "the namespace of the provided object does not match the namespace sent on the request");
    }
    metadata["namespace"] = request.ns;
  }
  if (!request.name.empty() && metadata.value("name", request.name) != request.name) {
    throw bad_request(cat("the name of the object (", metadata.value("name", ""),
                          ") does not match the name on the URL (", request.name, ')'));
  }
  return object;
}

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

/// Nulls in what a patch makes of nothing.
Json strategic_patch(Json target, const Json& patch, const Shape& shape) {
  if (!target.is_object() || !patch.is_object()) {
    return patch;
  }
  for (const auto& [key, value] : patch.items()) {
    if (value.is_null()) {
      target.erase(key);
    } else if (value.is_object()) {
      target[key] = strategic_patch(target.value(key, Json::object()), value, shape.child(key));
    } else if (value.is_array() && target.contains(key)) {
      target[key] = merge_fields(target[key], value, shape.child(key));
    } else {
      target[key] = value;
    }
  }
  return target;
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

http::Response FakeServer::create(const FakeRequest& request, const FakeKind& kind) {
  Json object = object_of(request, kind);
  const std::string prefix(data::string_at(object, {"metadata", "generateName"}));
  if (name_of(object).empty() && !prefix.empty()) {
    object["metadata"]["name"] = cat(prefix, fresh_uid().substr(0, 5));
  }
  return make(request, kind, std::move(object), std::nullopt);
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

http::Response FakeServer::replace(const FakeRequest& request, const FakeKind& kind) {
  const Json object = object_of(request, kind);
  const Json& before = live(request, kind);
  if (kind.custom && data::string_at(object, {"metadata", "resourceVersion"}).empty()) {
    throw invalid(
        kind, request.name,
        {{"metadata.resourceVersion", "Invalid value: 0: must be specified for an update"}});
  }
  return change(request, kind, Json(before), object, std::nullopt);
}

http::Response FakeServer::patch(const FakeRequest& request, const FakeKind& kind) {
  const Json before = live(request, kind);
  const Json body = body_of(request);
  Json after;
  if (request.content_type == "application/json-patch+json") {
    auto patched = data::apply_json_patch(before, body);
    if (!patched) {
      throw Refusal{422, "Invalid",
                    cat("the server rejected our request due to an error in our request: ",
                        patched.error().message),
                    Json::object()};
    }
    after = *std::move(patched);
  } else if (request.content_type == "application/merge-patch+json") {
    after = data::apply_merge_patch(before, body);
  } else if (request.content_type == "application/strategic-merge-patch+json" && !kind.custom) {
    after = strategic_patch(before, body, Shape(kind));
  } else {
    throw Refusal{415, "UnsupportedMediaType", "the body of the request was in an unknown format"};
  }
  return change(request, kind, before, std::move(after), std::nullopt);
}

http::Response FakeServer::apply(const FakeRequest& request, const FakeKind& kind) {
  if (!request.query.contains("fieldManager")) {
    throw bad_request(
        "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is "
        "required for apply patch");
  }
  Json object = object_of(request, kind);
  if (object["metadata"].contains("managedFields")) {
    throw bad_request("metadata.managedFields must be nil");
  }
  const Shape shape(kind);
  if (kind.resource.kind == "Secret") {
    fill_in(kind, object);
  }
  const Json* before = m_store.find(key_of(kind), request.ns, request.name);
  if (before == nullptr) {
    if (const auto uid = data::string_at(object, {"metadata", "uid"}); !uid.empty()) {
      throw conflict(request, cat("uid mismatch: the provided object specified uid ", uid,
                                  ", and no existing object was found"));
    }
    if (!request.subresource.empty()) {
      throw not_found(request);
    }
    object["metadata"]["name"] = request.name;
    Json own_half = object;
    if (kind.has_status()) {
      own_half.erase("status");
    }
    return make(request, kind, object, fields_of(own_half, shape));
  }
  Json own_half = object;
  if (request.subresource == "status") {
    own_half = {{"status", object.value("status", Json::object())}};
  } else if (kind.has_status()) {
    own_half.erase("status");
  }
  const FieldSet applied = fields_of(own_half, shape);
  const FieldWriter writer = writer_of(request, kind);
  FieldSet given_up;
  for (const FieldPath& path : last_applied(*before, writer)) {
    if (!applied.contains(path) && !owned_by_other(*before, writer, path)) {
      given_up.insert(path);
    }
  }
  Json after = merge_fields(*before, object, shape);
  // Preconditions only, where they are said.
  for (const char* key : {"resourceVersion", "uid"}) {
    if (!object["metadata"].contains(key)) {
      after["metadata"].erase(key);
    }
  }
  remove_fields(after, given_up, shape);
  return change(request, kind, Json(*before), std::move(after), applied);
}

}  // namespace kubist::testing
