#include <algorithm>
#include <set>

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/policies/builtins.hpp>
#include <kubist/resources/rules.hpp>

#include "objects.hpp"
#include "schemas.hpp"
#include "values.hpp"
#include "words.hpp"

namespace kubist::testing {

namespace {

bool is_free(const Json& schema) {
  return schema.value("x-kubernetes-preserve-unknown-fields", false) &&
         !schema.contains("properties");
}

bool breaks_rules(const Json& schema, const Json& made) {
  return schema.contains("x-kubernetes-validations") &&
         !resources::check_rules(schema, made, nullptr).empty();
}

}  // namespace

Json HostileObjects::free(const Path& path) {
  if ((path.back() == "state" || path.back() == "cursor") && !m_chance.one_in(4)) {
    return remembered();
  }
  if (path.back() == "parameters" && from_end(path, 1) == "spec") {  // of a definition: a schema
    return m_chance.one_in(3)
               ? hostile_value(m_chance)
               : Json{{"type", "object"},
                      {"properties",
                       {{"step", {{"type", "string"}, {"default", hostile_value(m_chance, 1)}}},
                        {"n", {{"type", hostile_text(m_chance)}}}}}};
  }
  Json made = hostile_value(m_chance);
  for (int tries = 0; tries < 5 && !made.is_object() && m_chance.percent(80); ++tries) {
    made = hostile_value(m_chance);
  }
  return made;
}

Json HostileObjects::parameters(const std::string& policy, Path& path) {
  for (const policies::Builtin& each : policies::builtins()) {
    if (each.definition->name == policy && !m_chance.one_in(10)) {
      return value(each.definition->parameters, path);
    }
  }
  return hostile_value(m_chance);
}

Json HostileObjects::field(const Json& schema, Path& path, const std::string& key) {
  path.push_back(key);
  Json made = value(schema, path);
  path.pop_back();
  return made;
}

Json HostileObjects::object(const Json& schema, Path& path) {
  Json made = Json::object();
  static const Json none = Json::object();
  const Json& properties = schema.contains("properties") ? schema["properties"] : none;
  std::set<std::string> required;
  for (const Json& each : data::array_at(schema, {"required"})) {
    required.insert(each.get<std::string>());
  }
  std::set<std::string> left_out;
  if (const Json& choices = data::array_at(schema, {"oneOf"}); !choices.empty()) {
    const std::size_t chosen = m_chance.below(choices.size());
    for (std::size_t i = 0; i < choices.size(); ++i) {
      (i == chosen ? required : left_out).insert(choices[i]["required"][0].get<std::string>());
    }
  }
  const std::size_t density = path.size() > 6 ? m_density / 2 : m_density;
  for (const auto& [key, each] : properties.items()) {
    const bool wanted = required.contains(key) ? !slips() : m_chance.percent(density);
    if (wanted && (!left_out.contains(key) || slips())) {
      made[key] = field(each, path, key);
    }
  }
  const bool call = properties.contains("name") && properties.contains("parameters");
  if (call && from_end(path, 0) == "policies" && !m_careless) {
    made["name"] = m_chance.of(policy_names());
    made["name"] = made["name"] == "" ? Json("x") : made["name"];
    path.emplace_back("parameters");
    Json given = parameters(made["name"].get<std::string>(), path);
    path.pop_back();
    made["parameters"] = given.is_object() ? given : Json::object();
  }
  const Json* more = data::find_path(schema, {"additionalProperties"});
  const bool open = schema.value("x-kubernetes-preserve-unknown-fields", false);
  for (std::size_t count = more != nullptr || open ? m_chance.below(4) : 0; count > 0; --count) {
    made[hostile_key(m_chance)] =
        more != nullptr && more->is_object() ? field(*more, path, "*") : hostile_value(m_chance);
  }
  for (std::size_t least = schema.value("minProperties", std::size_t{0}); made.size() < least;) {
    made["app"] = "web";
    least = 1;
  }
  if (slips()) {
    made[hostile_key(m_chance)] = hostile_value(m_chance);
  }
  return made;
}

Json HostileObjects::list(const Json& schema, Path& path) {
  if (schema.contains("x-hostile")) {
    Json manifests = Json::array();
    for (std::size_t count = m_chance.below(4); count > 0; --count) {
      manifests.push_back(hostile_manifest(m_chance));
    }
    return manifests;
  }
  const std::string merged = schema.value("x-kubernetes-list-type", "");
  const std::string key =
      merged == "map" ? schema["x-kubernetes-list-map-keys"][0].get<std::string>() : "";
  const Json* items = data::find_path(schema, {"items"});
  static const Json any = Json::object();
  Json made = Json::array();
  std::set<std::string> before;
  const std::size_t least = schema.value("minItems", std::size_t{0});
  const std::size_t most = schema.value("maxItems", std::size_t{40});
  const std::size_t count = std::min(most, least + m_chance.below(m_chance.one_in(60) ? 40 : 4));
  for (int tries = 0; made.size() < count && tries < 100; ++tries) {
    Json item = value(items != nullptr ? *items : any, path);
    const std::string same =
        key.empty() ? data::to_json(item) : std::string(data::string_at(item, {key}));
    const bool merges = merged == "map" || merged == "set";
    if (before.insert(same).second || !merges || slips()) {
      made.push_back(std::move(item));
    }
  }
  if (merged == "atomic" && !made.empty() && made.size() < most && m_chance.one_in(8)) {
    made.push_back(Json(made[0]));
  }
  return made;
}

Json HostileObjects::value(const Json& schema, Path& path) {
  if (slips()) {
    return m_chance.one_in(2) ? Json() : hostile_value(m_chance, 1);
  }
  if (schema.value("x-kubernetes-int-or-string", false)) {
    return m_chance.one_in(2) ? Json(hostile_text(m_chance)) : Json(m_chance.below(100000));
  }
  const std::string type = schema.value("type", "");
  if (type == "object" && !is_free(schema)) {
    Json made = object(schema, path);
    for (int tries = 0; tries < k_tries && !m_careless && breaks_rules(schema, made); ++tries) {
      made = object(schema, path);
    }
    return made;
  }
  if (type == "array") {
    return list(schema, path);
  }
  if (type == "string") {
    return text(schema, path);
  }
  if (type == "integer" || type == "number") {
    return number(schema);
  }
  if (type == "boolean") {
    return m_chance.one_in(2);
  }
  Json made = free(path);
  return type == "object" && !made.is_object() ? Json{{hostile_key(m_chance), made}} : made;
}

}  // namespace kubist::testing
