#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>

/// Objects in namespace `default` for tests of layers that know none of kubist's kinds.
namespace kubist::testing {

inline data::Json object_of(const std::string& api_version, const std::string& kind,
                            const std::string& name) {
  return {{"apiVersion", api_version},
          {"kind", kind},
          {"metadata", {{"name", name}, {"namespace", "default"}}}};
}
inline data::Json map_named(const std::string& name) { return object_of("v1", "ConfigMap", name); }
/// Widget `w` in that version of example.com.
inline data::Json widget(const std::string& version) {
  return object_of("example.com/" + version, "Widget", "w");
}
/// Its CRD, which serves these of the versions v1 and v1beta1.
inline data::Json widget_crd(const std::vector<std::string>& served) {
  const data::Json any{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  const data::Json schema{
      {"openAPIV3Schema", {{"type", "object"}, {"properties", {{"spec", any}}}}}};
  data::Json versions = data::Json::array();
  for (const std::string version : {"v1", "v1beta1"}) {
    const bool is_served = std::find(served.begin(), served.end(), version) != served.end();
    versions.push_back({{"name", version},
                        {"served", is_served},
                        {"storage", version == "v1"},
                        {"schema", schema}});
  }
  return {{"apiVersion", "apiextensions.k8s.io/v1"},
          {"kind", "CustomResourceDefinition"},
          {"metadata", {{"name", "widgets.example.com"}}},
          {"spec",
           {{"group", "example.com"},
            {"scope", "Namespaced"},
            {"names", {{"kind", "Widget"}, {"plural", "widgets"}}},
            {"versions", versions}}}};
}

}  // namespace kubist::testing
