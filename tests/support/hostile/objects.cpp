#include "objects.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/rules.hpp>

#include "schemas.hpp"
#include "values.hpp"
#include "words.hpp"

namespace kubist::testing {

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
