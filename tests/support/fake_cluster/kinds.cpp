#include "kinds.hpp"

#include <algorithm>
#include <stdexcept>

#include <kubist/data/pointer.hpp>

namespace kubist::testing {

using data::Json;

Shape Shape::child(std::string_view key) const {
  if (m_schema == nullptr || (m_field.empty() && key == "metadata")) {
    return {nullptr, m_custom && key != "metadata", std::string(key)};
  }
  const auto property = m_schema->properties.find(key);
  const data::SchemaNode* below =
      property != m_schema->properties.end() ? property->second : m_schema->additional;
  return {below, m_custom, std::string(key)};
}

Shape Shape::item() const {
  return {m_schema != nullptr ? m_schema->items : nullptr, m_custom, m_field + "[]"};
}

bool Shape::has_own_keys(std::string_view key) const {
  return m_schema != nullptr ? !m_schema->properties.contains(key) : m_custom;
}

bool Shape::atomic_map() const {
  return m_schema == nullptr && !m_custom &&
         (m_field == "selector" || m_field == "nodeSelector" || m_field == "resourceRef");
}

bool Shape::set() const {
  return m_schema != nullptr ? m_schema->list_type == "set" : m_field == "finalizers";
}

std::vector<std::string> Shape::keys(const Json& list) const {
  if (m_schema != nullptr) {
    return m_schema->list_type == "map" ? m_schema->list_map_keys : std::vector<std::string>();
  }
  if (m_custom) {
    return {};
  }
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), m_field) != names.end();
  };
  if (m_field == "ports") {
    const bool of_pod = !list.empty() && list.front().contains("containerPort");
    return {of_pod ? "containerPort" : "port", "protocol"};
  }
  if (m_field == "ownerReferences") {
    return {"uid"};
  }
  if (m_field == "conditions") {
    return {"type"};
  }
  if (m_field == "volumeMounts") {
    return {"mountPath"};
  }
  if (is_one_of(
          {"containers", "initContainers", "volumes", "env", "imagePullSecrets", "secrets"})) {
    return {"name"};
  }
  return {};
}

FakeKinds::FakeKinds() {
  namespace known = kube::well_known;
  add(known::namespaces(), false, {"ns"});
  add(known::pods(), false, {"po"});
  add(known::secrets(), false);
  add(known::config_maps(), false, {"cm"});
  add(known::services(), false, {"svc"});
  add(known::persistent_volume_claims(), false, {"pvc"});
  add(known::service_accounts(), false, {"sa"});
  add(known::events(), false, {"ev"});
  add(known::nodes(), false, {"no"});
  add(known::leases(), false);
  add(known::deployments(), true, {"deploy"});
  add(known::stateful_sets(), true, {"sts"});
  add(known::daemon_sets(), true, {"ds"});
  add(known::jobs(), true);
  add(known::roles(), false);
  add(known::role_bindings(), false);
  add(known::cluster_roles(), false);
  add(known::cluster_role_bindings(), false);
  add(known::endpoint_slices(), true);
  add(known::mutating_webhooks(), true);
  add(known::validating_webhooks(), true);
  add(known::custom_resource_definitions(), true, {"crd"});
}

void FakeKinds::add(kube::ApiResource resource, bool generation,
                    std::vector<std::string> short_names) {
  FakeKind kind;
  kind.resource = std::move(resource);
  kind.resource.short_names = std::move(short_names);
  kind.generation = generation;
  m_kinds.push_back(std::move(kind));
}

void FakeKinds::add_crd(const Json& crd) {
  const Json& spec = crd.at("spec");
  remove_crd(spec.at("group").get<std::string>(), spec.at("names").at("plural").get<std::string>());
  for (const Json& version : spec.at("versions")) {
    if (!version.value("served", true)) {
      continue;
    }
    FakeKind kind;
    kind.resource =
        kube::make_resource(spec.at("group"), version.at("name"), spec.at("names").at("kind"),
                            spec.at("names").at("plural"), spec.at("scope") == "Namespaced");
    for (const Json& name : data::array_at(spec, {"names", "shortNames"})) {
      kind.resource.short_names.push_back(name);
    }
    if (data::find_path(version, {"subresources", "status"}) != nullptr) {
      kind.resource.subresources.emplace_back("status");
    }
    kind.custom = true;
    kind.generation = true;
    kind.raw_schema = std::make_shared<const Json>(version.at("schema").at("openAPIV3Schema"));
    auto compiled = data::Schema::compile(*kind.raw_schema);
    if (!compiled) {
      throw std::logic_error(compiled.error().to_string());
    }
    kind.schema = std::make_shared<const data::Schema>(*std::move(compiled));
    m_kinds.push_back(std::move(kind));
  }
}

void FakeKinds::remove_crd(std::string_view group, std::string_view plural) {
  std::erase_if(m_kinds, [&](const FakeKind& each) {
    return each.custom && each.resource.group == group && each.resource.plural == plural;
  });
}

void FakeKinds::silence(const std::string& group, bool silent) {
  if (silent) {
    m_silent.insert(group);
  } else {
    m_silent.erase(group);
  }
}

const FakeKind* FakeKinds::find(std::string_view group, std::string_view version,
                                std::string_view plural) const {
  const auto found = std::find_if(m_kinds.begin(), m_kinds.end(), [&](const FakeKind& each) {
    return each.resource.group == group && each.resource.version == version &&
           each.resource.plural == plural;
  });
  return found == m_kinds.end() ? nullptr : &*found;
}

Json FakeKinds::discovery(bool core) const {
  Json groups = Json::array();
  for (const FakeKind& kind : m_kinds) {
    const kube::ApiResource& of = kind.resource;
    if (of.group.empty() != core) {
      continue;
    }
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Json& each) {
      return each["metadata"]["name"] == of.group;
    });
    if (group == groups.end()) {
      groups.push_back({{"metadata", {{"name", of.group}}}, {"versions", Json::array()}});
      group = std::prev(groups.end());
    }
    Json& versions = (*group)["versions"];
    auto version = std::find_if(versions.begin(), versions.end(),
                                [&](const Json& each) { return each["version"] == of.version; });
    if (version == versions.end()) {
      versions.push_back({{"version", of.version},
                          {"freshness", is_silent(of.group) ? "Stale" : "Current"},
                          {"resources", Json::array()}});
      version = std::prev(versions.end());
    }
    if (is_silent(of.group)) {
      continue;
    }
    Json subresources = Json::array();
    for (const std::string& name : of.subresources) {
      subresources.push_back({{"subresource", name}, {"verbs", {"get", "patch", "update"}}});
    }
    (*version)["resources"].push_back(
        {{"resource", of.plural},
         {"singularResource", of.singular},
         {"responseKind", {{"group", of.group}, {"version", of.version}, {"kind", of.kind}}},
         {"scope", of.namespaced ? "Namespaced" : "Cluster"},
         {"shortNames", of.short_names},
         {"verbs", of.verbs},
         {"subresources", subresources}});
  }
  return {{"apiVersion", "apidiscovery.k8s.io/v2"},
          {"kind", "APIGroupDiscoveryList"},
          {"metadata", Json::object()},
          {"items", groups}};
}

}  // namespace kubist::testing
