#include <kubist/data/json_patch.hpp>
#include <kubist/policies/json_patch.hpp>

#include "policy/function_policy.hpp"

namespace kubist::policies {

namespace {

constexpr const char* k_json_patch_doc =
    "labels and annotations are merged into spec.labels and spec.annotations. Then set is merged "
    "into the spec (RFC 7386: null removes a field). Then patch, a JSON Patch (RFC 6902) with "
    "paths below /spec, is applied to the resource. The user's object is not written: "
    "status.effective shows the difference.";

Json string_map(const char* description) {
  return {{"type", "object"},
          {"description", description},
          {"additionalProperties", {{"type", "string"}}}};
}

Json json_patch_schema() {
  return {{"type", "object"},
          {"properties",
           {{"labels", string_map("Merged into spec.labels.")},
            {"annotations", string_map("Merged into spec.annotations.")},
            {"set",
             {{"type", "object"},
              {"description", "Merged into spec; null removes a field."},
              {"x-kubernetes-preserve-unknown-fields", true}}},
            {"patch", patch_schema("JSON Patch on the resource, paths below /spec.")}}}};
}

util::Result<> apply_json_patch(Json& list) {
  const Json parameters = parameters_of(list);
  Json& spec = resource_of(list)["spec"];
  for (const char* map : {"labels", "annotations"}) {
    if (auto values = parameters.find(map); values != parameters.end() && !values->empty()) {
      spec = data::apply_merge_patch(std::move(spec), {{map, *values}});
    }
  }
  if (auto set = parameters.find("set"); set != parameters.end()) {
    spec = data::apply_merge_patch(std::move(spec), *set);
  }
  if (auto patch = parameters.find("patch"); patch != parameters.end()) {
    return patch_resource(list, *patch);
  }
  return {};
}

}  // namespace

Builtin json_patch() {
  return make_builtin(
      {"JsonPatch", "Sets labels and fields of the spec by merging and by JSON Patch.",
       k_json_patch_doc, json_patch_schema(), false},
      {"json-patch", "JsonPatchPolicy", "patch"}, apply_json_patch);
}

}  // namespace kubist::policies
