// What the requests ask for: POST, PUT and the kinds of PATCH.
#include <kubist/data/document.hpp>
#include <kubist/data/json_patch.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "server.hpp"

namespace kubist::testing {

using data::Json;
using util::cat;

namespace {

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

http::Response FakeServer::create(const FakeRequest& request, const FakeKind& kind) {
  Json object = object_of(request, kind);
  const std::string prefix(data::string_at(object, {"metadata", "generateName"}));
  if (name_of(object).empty() && !prefix.empty()) {
    object["metadata"]["name"] = cat(prefix, fresh_uid().substr(0, 5));
  }
  return make(request, kind, std::move(object), std::nullopt);
}

http::Response FakeServer::replace(const FakeRequest& request, const FakeKind& kind) {
  const Json object = object_of(request, kind);
  // The strategy of Leases allows creation by an update; a uid is a precondition.
  if (kind.resource.kind == "Lease" && request.subresource.empty() &&
      m_store.find(key_of(kind), request.ns, request.name) == nullptr) {
    const auto uid = data::string_at(object, {"metadata", "uid"});
    if (!uid.empty()) {
      throw conflict(request, cat("Precondition failed: UID in precondition: ", uid,
                                  ", UID in object meta: "));
    }
    return make(request, kind, object, std::nullopt);
  }
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
