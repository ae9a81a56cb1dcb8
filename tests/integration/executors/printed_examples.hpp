#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <kubist/util/fs.hpp>

#include "printed_roles.hpp"
#include "support/paths.hpp"

/// The folders of examples/, for accounts with the printed roles.
namespace it::roles {

/// The objects of a folder, with that project in the place of `named`.
inline std::vector<Json> example(const std::string& folder, const std::string& named,
                                 const std::string& project) {
  std::vector<Json> objects;
  for (const auto& file :
       std::filesystem::directory_iterator(kubist::paths::source_dir() + "/examples/" + folder)) {
    const auto text = kubist::util::read_file(file.path());
    REQUIRE(text);
    for (Json& each : documents(kubist::util::replace_all(*text, named, project))) {
      objects.push_back(std::move(each));
    }
  }
  return objects;
}

inline std::string yaml_of(const std::vector<Json>& objects) {
  std::string text;
  for (const Json& each : objects) {
    text += "---\n" + each.dump() + '\n';
  }
  return text;
}

/// Takes the Root and the Project away, which are an administrator's. The Project's spec, with
/// these namespaces named in it.
inline Json take_grants(std::vector<Json>& objects, const Words& home_namespaces) {
  Json spec;
  std::erase_if(objects, [&](Json& each) {
    if (each["kind"] == "Project") {
      spec = each.value("spec", Json::object());
      spec["home"]["namespaces"] = home_namespaces;
    }
    return each["kind"] == "Project" || each["kind"] == "Root";
  });
  return spec;
}

/// What an administrator has made is adopted: the printed roles make no namespace.
inline void adopt_namespaces(std::vector<Json>& objects) {
  for (Json& each : objects) {
    if (each["kind"] == "VirtualCluster" && data::string_at(each, {"metadata", "name"}) != "eu") {
      each["spec"]["adopt"] = true;
      each["spec"].erase("create");
    }
  }
}

/// What `istio.mode: Check` lists in the whole cluster, which the printed roles do not allow: Istio
/// stays unknown then.
inline const Words k_istio_check{
    "customresourcedefinitions",       "deployments?labelSelector=app%3Distiod",
    "mutatingwebhookconfigurations",   "services?labelSelector=istio.io%2Frev",
    "validatingwebhookconfigurations", "daemonsets"};

}  // namespace it::roles
