// What the API server fills in and refuses.
#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/resources/rules.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "server.hpp"

namespace kubist::testing {

using data::Json;
using util::cat;

namespace {

void fill_in_service(Json& spec) {
  spec.emplace("type", "ClusterIP");
  spec.emplace("sessionAffinity", "None");
  spec.emplace("internalTrafficPolicy", "Cluster");
  if (spec["type"] != "ExternalName") {
    spec.emplace("clusterIP", "10.96.0.17");
    spec.emplace("clusterIPs", Json::array({spec["clusterIP"]}));
    spec.emplace("ipFamilies", Json::array({"IPv4"}));
    spec.emplace("ipFamilyPolicy", "SingleStack");
  }
  if (spec.contains("ports")) {
    for (Json& port : spec["ports"]) {
      port.emplace("protocol", "TCP");
      port.emplace("targetPort", port.value("port", 0));
    }
  }
}

void fill_in_secret(Json& object) {
  object.emplace("type", "Opaque");
  if (const auto text = object.find("stringData"); text != object.end()) {
    for (const auto& [key, value] : text->items()) {
      object["data"][key] = util::base64_encode(value.get<std::string>());
    }
    object.erase("stringData");
  }
}

/// Go's types leave empty maps and lists of metadata out.
void drop_empty_metadata(Json& object) {
  for (const char* key : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    if (const Json* value = data::find_path(object, {"metadata", key});
        value != nullptr && value->empty()) {
      object["metadata"].erase(key);
    }
  }
}

/// The schema of a CRD says nothing of metadata.
template <typename Call>
void without_metadata(Json& object, const Call& call) {
  Json metadata = std::move(object["metadata"]);
  object.erase("metadata");
  call();
  object["metadata"] = std::move(metadata);
}

using Causes = std::vector<std::pair<std::string, std::string>>;

void check_metadata(const FakeKind& kind, const Json& object, Causes& causes) {
  const std::string name = name_of(object);
  if (name.empty()) {
    causes.emplace_back("metadata.name", "Required value: name or generateName is required");
  } else if (const std::string wrong =
                 resources::check_object_name(kind.resource.group, kind.resource.kind, name);
             !wrong.empty()) {
    causes.emplace_back("metadata.name", cat("Invalid value: \"", name, "\": ", wrong));
  }
  const resources::ObjectView view(object);
  for (const auto& [key, value] : view.labels().items()) {
    const std::string wrong_key = resources::check_qualified_name(key);
    const std::string wrong = resources::check_label_value(value.get<std::string>());
    if (!wrong_key.empty() || !wrong.empty()) {
      causes.emplace_back("metadata.labels", cat("Invalid value: ", value.dump(), ": ",
                                                 wrong_key.empty() ? wrong : wrong_key));
    }
  }
}

/// Unknown fields are refused or taken away, as the request wants.
void check_unknown(const FakeRequest& request, const FakeKind& kind, Json& object) {
  const auto gone = kind.schema->prune(object);
  if (!gone.empty() && request.content_type == "application/apply-patch+yaml") {
    throw Refusal{500, "",
                  cat("failed to create typed patch object: .", data::dotted_path(gone[0]),
                      ": field not declared in schema")};
  }
  const auto asked = request.query.find("fieldValidation");
  if (gone.empty() || asked == request.query.end() || asked->second != "Strict") {
    return;
  }
  std::vector<std::string> texts;
  for (const std::string& pointer : gone) {
    texts.push_back(cat("unknown field \"", data::dotted_path(pointer), '"'));
  }
  const std::string message = cat("strict decoding error: ", util::join(texts, ", "));
  if (request.method == "PATCH") {
    throw invalid({}, "", {{"patch", cat("Invalid value: ", message)}});
  }
  throw bad_request(message);
}

void check_schema(const FakeKind& kind, const Json& object, Causes& causes) {
  data::SchemaOptions options;
  options.reject_unknown = false;
  for (const util::Error& error : kind.schema->validate(object, {}, options)) {
    const auto colon = error.message.find(": ");
    const bool placed = colon != std::string::npos;
    causes.emplace_back(
        placed ? error.message.substr(0, colon) : "<nil>",
        cat("Invalid value: ", placed ? error.message.substr(colon + 2) : error.message));
  }
}

void check_cel(const FakeKind& kind, const Json& object, const Json* before, Causes& causes) {
  for (const auto& violation : resources::check_rules(*kind.raw_schema, object, before)) {
    causes.emplace_back(data::dotted_path(violation.pointer),
                        cat("Invalid value: ", violation.message));
  }
}

}  // namespace

void fill_in(const FakeKind& kind, Json& object) {
  const std::string& name = kind.resource.kind;
  if (kind.custom) {
    without_metadata(object, [&] { kind.schema->apply_defaults(object); });
  } else if (name == "Namespace") {
    object["metadata"]["labels"]["kubernetes.io/metadata.name"] = name_of(object);
    object["spec"]["finalizers"] = {"kubernetes"};
    if (data::find_path(object, {"status", "phase"}) == nullptr) {
      object["status"]["phase"] = "Active";
    }
  } else if (name == "Secret") {
    fill_in_secret(object);
  } else if (name == "Service") {
    fill_in_service(object["spec"]);
  } else if (name == "Pod" && !object.contains("status")) {
    object["status"]["phase"] = "Pending";
  } else if (name == "CustomResourceDefinition") {
    object["status"]["conditions"] = Json::array(
        {{{"type", "Established"}, {"status", "True"}, {"reason", "InitialNamesAccepted"}}});
  }
  drop_empty_metadata(object);
}

void check_object(const FakeRequest& request, const FakeKind& kind, Json& object,
                  const Json* before) {
  Causes causes;
  if (kind.custom) {
    without_metadata(object, [&] {
      check_unknown(request, kind, object);
      check_schema(kind, object, causes);
    });
    if (causes.empty()) {  // rules are of what the schema holds
      check_cel(kind, object, before, causes);
    }
  }
  check_metadata(kind, object, causes);
  if (!causes.empty()) {
    throw invalid(kind, name_of(object), causes);
  }
}

}  // namespace kubist::testing
