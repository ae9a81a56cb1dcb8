#include "keep/namespace_object.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>

#include "keep/applied.hpp"

namespace kubist::executors {

using data::Json;

std::map<std::string, std::string> string_map(const Json* map) {
  std::map<std::string, std::string> result;
  if (map != nullptr && map->is_object()) {
    for (const auto& [key, value] : map->items()) {
      result[key] = value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
  return result;
}

NamespaceWish project_wish(const Json& project, const Json& spec) {
  NamespaceWish wish;
  wish.name = resources::project_namespace(project);
  wish.labels = string_map(data::find_path(spec, {"labels"}));
  wish.annotations = string_map(data::find_path(spec, {"annotations"}));
  wish.labels["kubist.io/project"] = resources::ObjectView(project).name();
  wish.adopt = true;  // a project's namespace is its own by the project's word: an administrator's
  return wish;
}

Json namespace_object(const NamespaceWish& wish, const std::string& mark) {
  Json labels = wish.labels;
  labels[std::string(resources::k_managed_by_label)] = "kubist";
  Json annotations = wish.annotations;
  annotations[std::string(resources::k_owner_annotation)] = mark;
  Json object{
      {"apiVersion", "v1"},
      {"kind", "Namespace"},
      {"metadata", {{"name", wish.name}, {"labels", labels}, {"annotations", annotations}}}};
  mark_applied(object, {{"labels", wish.labels}, {"annotations", wish.annotations}});
  return object;
}

}  // namespace kubist::executors
