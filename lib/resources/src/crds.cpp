#include <mutex>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "embedded_crds.hpp"

namespace kubist::resources {

using data::Json;
using util::cat;

namespace {

/// The embedded files are part of the program: one that does not parse is a bug, not an error.
Json read_embedded(const std::string& file) {
  auto document = data::read_document(embedded::embedded_crds(file), cat("crds/", file));
  if (!document) {
    throw std::logic_error(document.error().to_string());
  }
  return std::move(document->value);
}

/// Puts fragments in place of `$ref: NAME`.
class Composer {
 public:
  explicit Composer(const Json& own) : m_own(own) {}

  Json compose(const Json& schema) const {
    if (schema.is_array()) {
      Json list = Json::array();
      for (const Json& item : schema) {
        list.push_back(compose(item));
      }
      return list;
    }
    if (!schema.is_object()) {
      return schema;
    }
    Json result = Json::object();
    for (const auto& [key, value] : schema.items()) {
      if (key != "$ref") {
        result[key] = compose(value);
      }
    }
    if (auto ref = schema.find("$ref"); ref != schema.end()) {
      merge(result, compose(fragment(ref->get<std::string>())));
    }
    return result;
  }

 private:
  const Json& fragment(const std::string& name) const {
    static const Json common = read_embedded("common.yaml");
    if (const Json* own = data::find_path(m_own, {name})) {
      return *own;
    }
    const Json* shared = data::find_path(common, {name});
    if (shared == nullptr) {
      throw std::logic_error(cat("crds: there is no fragment ", name));
    }
    return *shared;
  }

  /// Adds what `base` has and `target` lacks; properties are united, lists joined.
  static void merge(Json& target, const Json& base) {
    for (const auto& [key, value] : base.items()) {
      auto present = target.find(key);
      if (present == target.end()) {
        target[key] = value;
      } else if (key == "properties") {
        for (const auto& [name, property] : value.items()) {
          present->emplace(name, property);
        }
      } else if (present->is_array() && value.is_array()) {
        present->insert(present->end(), value.begin(), value.end());
      }
    }
  }

  const Json& m_own;
};

Json root_schema(const Json& file) {
  static const Json none = Json::object();
  const Json* fragments = data::find_path(file, {"fragments"});
  Composer composer(fragments == nullptr ? none : *fragments);
  Json schema = {
      {"type", "object"},
      {"description", file.at("description")},
      {"properties",
       {{"apiVersion",
         {{"type", "string"}, {"description", "The API group and version of this object."}}},
        {"kind", {{"type", "string"}, {"description", "The kind of this object."}}},
        {"metadata", {{"type", "object"}}},
        {"spec", composer.compose(file.at("spec"))},
        {"status", composer.compose(file.at("status"))}}}};
  if (const Json* required = data::find_path(file, {"required"})) {
    schema["required"] = *required;
  }
  if (const Json* rules = data::find_path(file, {"rules"})) {
    schema["x-kubernetes-validations"] = *rules;
  }
  return schema;
}

Json condition_column(std::string_view name, std::string_view field, std::string_view description,
                      int priority) {
  Json column = {{"name", name},
                 {"type", "string"},
                 {"description", description},
                 {"jsonPath", cat(".status.conditions[?(@.type==\"Ready\")].", field)}};
  if (priority > 0) {
    column["priority"] = priority;
  }
  return column;
}

/// Ready and Reason, the kind's own, Message (wide), Age. DeployItems have no condition Ready.
Json printer_columns(const Kind& kind, const Json& file) {
  Json columns = Json::array();
  bool ready = kind.group == k_kubist_group;
  if (ready) {
    columns.push_back(condition_column("Ready", "status", "Is it as wanted?", 0));
    columns.push_back(condition_column("Reason", "reason", "Why it is or is not.", 0));
  }
  if (const Json* own = data::find_path(file, {"columns"})) {
    columns.insert(columns.end(), own->begin(), own->end());
  }
  if (ready) {
    columns.push_back(condition_column("Message", "message", "Why, for people.", 1));
  }
  columns.push_back({{"name", "Age"},
                     {"type", "date"},
                     {"description", "When it was made."},
                     {"jsonPath", ".metadata.creationTimestamp"}});
  return columns;
}

Json build(const Kind& kind) {
  std::string singular = util::lower(kind.name);
  Json file = read_embedded(singular + ".yaml");
  Json version = {{"name", k_version},
                  {"served", true},
                  {"storage", true},
                  {"subresources", {{"status", Json::object()}}},
                  {"additionalPrinterColumns", printer_columns(kind, file)},
                  {"schema", {{"openAPIV3Schema", root_schema(file)}}}};
  return {{"apiVersion", "apiextensions.k8s.io/v1"},
          {"kind", "CustomResourceDefinition"},
          {"metadata",
           {{"name", cat(kind.plural, '.', kind.group)},
            {"labels", {{std::string(k_managed_by_label), "kubist"}}}}},
          {"spec",
           {{"group", kind.group},
            {"scope", kind.namespaced ? "Namespaced" : "Cluster"},
            {"names",
             {{"kind", kind.name},
              {"listKind", cat(kind.name, "List")},
              {"plural", kind.plural},
              {"singular", singular},
              {"shortNames", {kind.short_name}},
              {"categories", {"kubist"}}}},
            {"versions", Json::array({version})}}}};
}

/// What `Make` makes of a kind, made when first asked for and kept.
template <auto Make>
const auto& kept(const Kind& kind) {
  struct Slot {
    std::once_flag once;
    std::optional<decltype(Make(kind))> value;
  };
  static std::vector<Slot> slots(kinds().size());
  Slot& slot = slots[static_cast<std::size_t>(kind_order(kind.group, kind.name))];
  std::call_once(slot.once, [&] { slot.value.emplace(Make(kind)); });
  return *slot.value;
}

const Json& root_schema_of(const Json& crd) {
  return crd.at("spec").at("versions").at(0).at("schema").at("openAPIV3Schema");
}

data::Schema compile(const Kind& kind) {
  Json root = root_schema_of(kept<build>(kind));
  root["properties"]["metadata"] = read_embedded("objectmeta.yaml");
  auto compiled = data::Schema::compile(root);
  if (!compiled) {
    throw std::logic_error(compiled.error().to_string());
  }
  return std::move(*compiled);
}

}  // namespace

const std::vector<Json>& crds() {
  static const std::vector<Json> all = [] {
    std::vector<Json> list;
    for (const Kind& kind : kinds()) {
      list.push_back(kept<build>(kind));
    }
    return list;
  }();
  return all;
}

const Json* crd(std::string_view group, std::string_view name) {
  const Kind* kind = find_kind(group, name);
  return kind == nullptr ? nullptr : &kept<build>(*kind);
}

const Json* schema(std::string_view group, std::string_view name) {
  const Json* definition = crd(group, name);
  return definition == nullptr ? nullptr : &root_schema_of(*definition);
}

const data::Schema* compiled_schema(std::string_view group, std::string_view name) {
  const Kind* kind = find_kind(group, name);
  return kind == nullptr ? nullptr : &kept<compile>(*kind);
}

}  // namespace kubist::resources
