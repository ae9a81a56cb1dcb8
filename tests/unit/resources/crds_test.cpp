#include <kubist/data/pointer.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/kinds.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::resources;
using data::Json;

namespace {

/// Calls `check` on every schema node below and including `schema`.
void walk(const Json& schema, const std::string& path,
          const std::function<void(const Json&, const std::string&)>& check) {
  check(schema, path);
  if (auto properties = schema.find("properties"); properties != schema.end()) {
    for (const auto& [name, property] : properties->items()) {
      walk(property, path + "." + name, check);
    }
  }
  for (auto key : {"items", "additionalProperties"}) {
    if (auto below = schema.find(key); below != schema.end()) {
      walk(*below, path + "[]", check);
    }
  }
}

const Json& status_of(std::string_view group, std::string_view kind) {
  return schema(group, kind)->at("properties").at("status").at("properties");
}

}  // namespace

TEST_CASE("crds: one for every kind, named as the table says") {
  REQUIRE(crds().size() == kinds().size());
  for (std::size_t i = 0; i < crds().size(); ++i) {
    const Json& crd = crds()[i];
    const Kind& kind = kinds()[i];
    CHECK(crd["metadata"]["name"] == std::string(kind.plural) + "." + std::string(kind.group));
    CHECK(crd["spec"]["names"]["shortNames"] == Json::array({kind.short_name}));
    CHECK(crd["spec"]["names"]["categories"] == Json::array({"kubist"}));
    CHECK(crd["spec"]["scope"] == (kind.namespaced ? "Namespaced" : "Cluster"));
    const Json& version = crd["spec"]["versions"][0];
    CHECK(version["name"] == "v1alpha1");
    CHECK(version["subresources"].contains("status"));
    CHECK(version["additionalPrinterColumns"].back()["name"] == "Age");
  }
  CHECK(schema("kubist.io", "Nothing") == nullptr);
}

TEST_CASE("crds: every field is described and typed") {
  for (const Json& crd : crds()) {
    const Json& root = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    walk(root, crd["spec"]["names"]["kind"].get<std::string>(),
         [](const Json& node, const std::string& path) {
           CAPTURE(path);
           if (path.find(".metadata") == std::string::npos) {
             CHECK(node.contains("description"));
           }
           bool open = node.contains("x-kubernetes-preserve-unknown-fields") ||
                       node.contains("x-kubernetes-int-or-string");
           CHECK((node.contains("type") || open));
           CHECK_FALSE(node.contains("$ref"));
         });
  }
}

TEST_CASE("crds: every kind of the tree has the common fields") {
  for (const Kind& kind : kinds()) {
    if (!kind.node || kind.group != k_kubist_group) {
      continue;
    }
    CAPTURE(kind.name);
    const Json& spec = schema(kind.group, kind.name)->at("properties").at("spec").at("properties");
    for (auto field : {"executor", "policyExecutor", "policies", "suspend", "dependsOn",
                       "deletionPolicy", "settings"}) {
      CHECK_MESSAGE(spec.contains(field), field);
    }
    for (auto field : {"observedGeneration", "conditions", "lastRun", "failures", "nextRunAt",
                       "policies", "inventory", "effective", "handledRequest"}) {
      CHECK_MESSAGE(status_of(kind.group, kind.name).contains(field), field);
    }
    CHECK(status_of(kind.group, kind.name)["conditions"]["x-kubernetes-list-type"] == "map");
  }
}

TEST_CASE("crds: DeployItem takes both shapes and keeps what it does not know") {
  const Json& status = status_of(k_landscaper_group, "DeployItem");
  CHECK(status["conditions"]["x-kubernetes-list-type"] == "atomic");
  CHECK_FALSE(status["phase"].contains("enum"));
  for (auto field : {"exportGeneration", "exports", "exportRef", "jobID", "jobIDFinished",
                     "lastError", "lastErrors", "transitionTimes", "observedGeneration"}) {
    CHECK_MESSAGE(status.contains(field), field);
  }
  walk(*schema(k_landscaper_group, "DeployItem"), "",
       [](const Json& node, const std::string& path) {
         if (!path.empty() && path != ".metadata" && node.value("type", "") == "object") {
           CHECK_MESSAGE(node.value("x-kubernetes-preserve-unknown-fields", false), path);
         }
       });
}

TEST_CASE("crds: fields that may hold anything are the ones meant to") {
  std::vector<std::string> open;
  for (const Kind& kind : kinds()) {
    if (kind.group != k_kubist_group) {
      continue;
    }
    walk(*schema(kind.group, kind.name), "", [&](const Json& node, const std::string& path) {
      std::string name = path.substr(path.rfind('.') + 1);
      if (node.contains("x-kubernetes-preserve-unknown-fields") &&
          std::find(open.begin(), open.end(), name) == open.end()) {
        open.push_back(name);
      }
    });
  }
  std::sort(open.begin(), open.end());
  CHECK(open == std::vector<std::string>{"cursor", "effective", "endpoints[]", "exportSchema",
                                         "functionConfig", "parameters", "settings[]", "state",
                                         "targets[]", "tls", "trafficPolicy", "value"});
}
