#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <kubist/data/document.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/setup/install.hpp>

#include "embedded_controller.hpp"

namespace kubist::setup {

using data::Json;

namespace {

/// The embedded file is part of the program: if it does not parse that is a bug, not an error.
std::vector<data::Document> read_embedded() {
  auto documents = data::read_documents(embedded::embedded_controller("controller.yaml"),
                                        "packaging/deploy/controller.yaml");
  if (!documents) {
    throw std::logic_error(documents.error().to_string());
  }
  return *std::move(documents);
}

void put_in(Json& object, const std::string& ns) {
  if (object["metadata"].contains("namespace")) {
    object["metadata"]["namespace"] = ns;
  }
  if (object.contains("subjects")) {
    object["subjects"][0]["namespace"] = ns;
  }
}

}  // namespace

std::vector<Json> controller_objects(const Controller& controller) {
  // https://kubernetes.io/docs/concepts/security/pod-security-standards/
  std::vector<Json> objects{
      {{"apiVersion", "v1"},
       {"kind", "Namespace"},
       {"metadata",
        {{"name", controller.ns},
         {"labels", {{"pod-security.kubernetes.io/enforce", "restricted"}}}}}},
      controller_role()};
  for (data::Document& document : read_embedded()) {
    Json& object = document.value;
    const std::string kind(resources::ObjectView(object).kind());
    if (kind == "PodDisruptionBudget" && controller.replicas < 2) {
      continue;
    }
    put_in(object, controller.ns);
    if (kind == "Deployment") {
      object["spec"]["replicas"] = controller.replicas;
      Json& container = object["spec"]["template"]["spec"]["containers"][0];
      container["image"] = controller.image;
      container["env"][0]["value"] = controller.image;
    }
    objects.push_back(std::move(object));
  }
  return objects;
}

}  // namespace kubist::setup
