#include "objects.hpp"

#include <algorithm>
#include <set>

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/policies/builtins.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/rules.hpp>

#include "schemas.hpp"
#include "values.hpp"
#include "words.hpp"

namespace kubist::testing {

namespace {

using Path = std::vector<std::string>;

constexpr int k_tries = 30;

bool is_free(const Json& schema) {
  return schema.value("x-kubernetes-preserve-unknown-fields", false) &&
         !schema.contains("properties");
}

/// At most that many characters, none of them cut.
std::string shortened(std::string text, std::size_t most) {
  std::size_t count = 0, at = 0;
  while (at < text.size() && count < most) {
    do {
      ++at;
    } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
    ++count;
  }
  text.resize(at);
  return text;
}

bool breaks_rules(const Json& schema, const Json& made) {
  return schema.contains("x-kubernetes-validations") &&
         !resources::check_rules(schema, made, nullptr).empty();
}

/// The last names but those of list items.
std::string_view from_end(const Path& path, std::size_t back) {
  return path.size() > back ? std::string_view(path[path.size() - 1 - back]) : std::string_view();
}

}  // namespace

const HostileObjects::Pattern& HostileObjects::pattern(const std::string& text) {
  const auto known = m_patterns.find(text);
  if (known != m_patterns.end()) {
    return known->second;
  }
  Pattern made{std::regex(text), {}};
  std::copy_if(plausible_texts().begin(), plausible_texts().end(), std::back_inserter(made.fitting),
               [&](const std::string& each) { return std::regex_search(each, made.wanted); });
  return m_patterns.emplace(text, std::move(made)).first->second;
}

std::string HostileObjects::reference(const Path& path) {
  static const std::map<std::string, Path, std::less<>> known{
      {"clusterRef", {"home", "home", "home", "far", "missing"}},
      {"virtualClusterRef", {"dev", "dev", "dev", "other", "missing"}},
      {"executor", {"trafficroute", "root", "missing", "destination", "evil"}},
      {"policyExecutor", {"trafficroute", "missing"}},
      {"kubeconfigSecretRef", {"secret", "kubeconfig", "missing"}},
      {"secretRef", {"secret", "kubeconfig", "missing"}}};
  static const std::map<std::string, Path, std::less<>> usual{
      {"destination", {"web"}},
      {"stable", {"v1"}},
      {"canary", {"v2"}},
      {"version", {"v1", "v2"}},
      {"route", {"web", "web-1", "web-2"}},
      {"routes", {"web", "web-1", "web-2"}}};
  const auto found = known.find(from_end(path, 1));
  if (found != known.end() && path.back() == "name" && !m_chance.one_in(10)) {
    return m_chance.of(found->second);
  }
  const auto word = usual.find(path.back());
  if (word != usual.end() && m_chance.percent(75)) {
    return m_chance.of(word->second);
  }
  const bool refers = path.back() == "dependsOn" || path.back() == "routes" ||
                      path.back() == "release" || path.back() == "gateways";
  if (!refers || m_others.empty() || m_chance.one_in(6)) {
    return {};
  }
  const std::string& other = m_chance.of(m_others);
  return path.back() == "dependsOn" ? other : other.substr(other.find('/') + 1);
}

Json HostileObjects::text(const Json& schema, const Path& path) {
  if (schema.contains("enum")) {
    const Json& words = schema["enum"];
    return words[m_chance.below(words.size())];
  }
  if (schema.value("format", "") == "date-time") {
    return hostile_time(m_chance);
  }
  std::string made = reference(path);
  if (const std::string wanted = schema.value("pattern", ""); !wanted.empty()) {
    made = made.empty() ? hostile_text_for(m_chance, path.back()) : made;
    const Pattern& held = pattern(wanted);
    const bool fits = made.size() < 500 && std::regex_search(made, held.wanted);
    made = fits || held.fitting.empty() ? made : m_chance.of(held.fitting);
  } else if (made.empty()) {
    made = hostile_text_for(m_chance, path.back());
  }
  made = shortened(std::move(made), schema.value("maxLength", std::size_t{1} << 20U));
  return made.empty() && schema.value("minLength", 0) > 0 ? "x" : made;
}

Json HostileObjects::number(const Json& schema) {
  const bool whole = schema.value("type", "") == "integer";
  const bool small = schema.value("format", "") == "int32";
  const double least = schema.value("minimum", small ? -2147483648.0 : -1e300);
  const double most = schema.value("maximum", small ? 2147483647.0 : 1e300);
  for (int tries = 0; tries < k_tries; ++tries) {
    Json made = hostile_number(m_chance);
    const double size = made.get<double>();
    if ((!whole || (made.is_number_integer() && size < 9.3e18)) && size >= least && size <= most &&
        !(whole && made.is_number_unsigned() && made.get<std::uint64_t>() >> 63U != 0)) {
      return made;
    }
  }
  const double some = std::max(least, std::min(most, 1.0));
  return whole ? Json(static_cast<std::int64_t>(some)) : Json(some);
}

Json HostileObjects::remembered() {
  static const Path keys{"attempt", "weight",  "step",        "since",   "paused",   "said",
                         "failed",  "target",  "readySince",  "tests",   "clusters", "last",
                         "series",  "windows", "largestLogE", "key",     "left",     "from",
                         "to",      "totals",  "samples",     "cluster", "job"};
  Json made{{"attempt", 1}};
  for (std::size_t count = m_chance.below(8); count > 0; --count) {
    const std::string& key = m_chance.of(keys);
    const bool time = key == "since" || key == "readySince" || m_chance.one_in(10);
    made[key] = time                 ? Json(hostile_time(m_chance))
                : m_chance.one_in(3) ? hostile_value(m_chance, 2)
                                     : hostile_number(m_chance);
  }
  return made;
}

void HostileObjects::remember_policies(const Json& spec, Json& status) {
  const Json& policies = data::array_at(spec, {"policies"});
  if (policies.empty() || m_chance.one_in(4) || !status.is_object()) {
    return;
  }
  Json kept = Json::array();
  for (const Json& policy : policies) {
    kept.push_back({{"name", data::string_at(policy, {"name"}, "x")}, {"state", remembered()}});
  }
  status["policies"] = std::move(kept);
  status["attempt"] = 1;
}

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

Json HostileObjects::item_config(const std::string& type, Path& path) {
  if (type.ends_with("mock")) {
    return value(mock_config_schema(), path);
  }
  if (type.ends_with("manifest")) {
    return value(manifest_config_schema(), path);
  }
  if (type.ends_with("helm")) {
    return value(helm_config_schema(), path);
  }
  Json config = value(execution_item_schema(), path);
  if (config.is_object()) {
    for (const char* key : {"name", "type", "dependsOn", "template", "engine"}) {
      config.erase(key);
    }
    config["image"] = "x";
    if (type.ends_with("script")) {
      config["script"] = hostile_text(m_chance) + "x";
    }
  }
  return config;
}

Json HostileObjects::spec(const resources::Kind& kind, const Json& schema) {
  Path path{"spec"};
  Json made = value(schema["properties"]["spec"], path);
  if (kind.name != "DeployItem" || !made.is_object()) {
    return made;
  }
  static const Path types{"kubist.io/mock",
                          "kubist.io/manifest",
                          "kubist.io/helm",
                          "kubist.io/container",
                          "kubist.io/script",
                          "landscaper.gardener.cloud/mock",
                          "landscaper.gardener.cloud/container",
                          "landscaper.gardener.cloud/kubernetes-manifest",
                          "landscaper.gardener.cloud/helm",
                          "kubist.io/nonsense",
                          "evil.example/x"};
  made["type"] = m_chance.of(types);
  path.emplace_back("config");
  if (!m_chance.one_in(8)) {
    made["config"] = item_config(made["type"].get<std::string>(), path);
  }
  return made;
}

Json HostileObjects::metadata(const resources::Kind& kind, const std::string& ns,
                              const std::string& name) {
  Json made{{"name", name}};
  if (kind.namespaced) {
    made["namespace"] = ns;
  }
  for (std::size_t count = m_chance.below(4); count > 0; --count) {
    const std::string& key = m_chance.of(annotation_keys());
    made["annotations"][key] = hostile_text_for(m_chance, key.substr(key.find('/') + 1));
  }
  static const Path labels{"kubist.io/deployitem-uid",    "kubist.io/managed-by-item",
                           "kubist.io/internal",          "kubist.io/function",
                           "kubist.io/inventory-of",      "applyset.kubernetes.io/id",
                           "app.kubernetes.io/managed-by"};
  if (m_chance.one_in(4)) {
    made["labels"][m_chance.of(labels)] = m_chance.one_in(2) ? "kubist" : "";
  }
  static const Path finalizers{"kubist.io/finalizer", "kubist.io/in-use", "evil.example/hold",
                               "finalizer.deployitem.landscaper.gardener.cloud"};
  if (m_chance.one_in(4)) {
    made["finalizers"] = Json::array({m_chance.of(finalizers)});
    if (m_chance.one_in(2)) {
      made["deletionTimestamp"] = hostile_time(m_chance);
      made["deletionGracePeriodSeconds"] = 0;
    }
  }
  if (m_chance.one_in(6)) {
    made["ownerReferences"] =
        Json::array({{{"apiVersion", m_chance.one_in(2) ? "kubist.io/v1alpha1" : "a/b/c"},
                      {"kind", m_chance.one_in(2) ? "Execution" : "\n"},
                      {"name", hostile_text(m_chance) + "x"},
                      {"uid", "no-uid"}}});
  }
  return made;
}

Json HostileObjects::make(const resources::Kind& kind, const std::string& ns,
                          const std::string& name, const std::vector<std::string>& others) {
  m_others = others;
  m_careless = m_chance.one_in(6);
  m_density = m_chance.one_in(4) ? 8 : 10 + m_chance.below(55);
  const Json& schema = *resources::schema(kind.group, kind.name);
  Json made{{"apiVersion", resources::api_version(kind)},
            {"kind", kind.name},
            {"metadata", metadata(kind, ns, name)}};
  for (int tries = 0; tries < (m_careless ? 1 : k_tries); ++tries) {
    made["spec"] = spec(kind, schema);
    if (m_careless || resources::check_rules(schema, made, nullptr).empty()) {
      break;
    }
  }
  if (!m_chance.one_in(3)) {
    Path path{"status"};
    made["status"] = value(schema["properties"]["status"], path);
    remember_policies(made["spec"], made["status"]);
  }
  return made;
}

}  // namespace kubist::testing
