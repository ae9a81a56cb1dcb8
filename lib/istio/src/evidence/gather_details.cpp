#include <algorithm>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/istio/labels.hpp>
#include <kubist/istio/probe.hpp>
#include <kubist/istio/read.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "evidence/gatherer.hpp"

namespace kubist::istio {

using data::Json;
using resources::ObjectView;
using util::cat;
namespace well_known = kube::well_known;

// Metadata does not say whether a CRD is served; discovery does, and why not is asked for by
// itself.
void Gatherer::read_unserved_crds() {
  if (!m_index || !m_evidence.crds) {
    return;
  }
  std::set<std::string> served;
  for (const kube::ApiResource& resource : m_index->all()) {
    served.insert(cat(resource.plural, '.', resource.group));
  }
  for (Crd& crd : *m_evidence.crds) {
    if (served.contains(crd.name)) {
      continue;
    }
    const auto& kind = well_known::custom_resource_definitions();
    const auto object = m_ask.get(kube::get(kind, "", crd.name), kind.group_resource());
    if (!object) {
      m_evidence.crds = tl::unexpected(object.error());
      return;
    }
    if (!object->is_null()) {
      crd = read_crd(*object);
    }
  }
}

// Services without Istio's label count too, where a webhook names them.
void Gatherer::read_named_services() {
  std::set<std::pair<std::string, std::string>> wanted;
  for (const auto* configs : {&m_evidence.injectors, &m_evidence.validators}) {
    for (const WebhookConfig& config : items_of(*configs)) {
      for (const Webhook& webhook : config.webhooks) {
        if (webhook.target.url.empty()) {
          wanted.emplace(webhook.target.ns, webhook.target.name);
        }
      }
    }
  }
  for (const ControlService& service : *m_evidence.services) {
    wanted.erase({service.ns, service.name});
  }
  for (const auto& [ns, name] : wanted) {
    const auto& kind = well_known::services();
    const auto object = m_ask.get(kube::get(kind, ns, name), kind.group_resource());
    if (!object) {
      m_evidence.services = tl::unexpected(object.error());
      return;
    }
    if (!object->is_null()) {
      m_evidence.services->push_back(read_service(*object));
    }
  }
}

void Gatherer::read_endpoints() {
  if (!m_evidence.services) {
    return;
  }
  read_named_services();
  if (!m_evidence.services || m_evidence.services->empty()) {
    return;
  }
  std::set<std::string> names;
  for (const ControlService& service : *m_evidence.services) {
    names.insert(service.name);
  }
  const auto selector = labelled(
      cat("kubernetes.io/service-name in (", util::join({names.begin(), names.end()}, ","), ")"));
  const auto slices = m_ask.each(well_known::endpoint_slices(), selector, [&](const Json& slice) {
    count_endpoints(slice, *m_evidence.services);
    return std::size_t{0};
  });
  if (!slices) {
    m_evidence.services = tl::unexpected(slices.error());
  }
}

void Gatherer::read_namespaces() {
  m_evidence.namespaces = m_ask.list(
      well_known::namespaces(), labelled("", kube::Form::metadata), [](const Json& object) {
        const ObjectView view(object);
        return std::optional(NamespaceLabels{
            std::string(view.name()), view.labels(), !view.deletion_timestamp().empty(),
            std::string(view.annotation(resources::k_owner_annotation))});
      });
}

// Members could call what they run Istio's. A webhook leads only where an administrator wants it.
void Gatherer::leave_out_projects() {
  read_namespaces();
  std::set<std::string, std::less<>> members;
  for (const NamespaceLabels& each : items_of(m_evidence.namespaces)) {
    if (!each.owner.empty() && !resources::is_reserved_namespace(each.name)) {
      members.insert(each.name);
    }
  }
  for (const auto* configs : {&m_evidence.injectors, &m_evidence.validators}) {
    for (const WebhookConfig& config : items_of(*configs)) {
      for (const Webhook& webhook : config.webhooks) {
        members.erase(webhook.target.ns);
      }
    }
  }
  m_ask.leave_out(std::move(members));
}

void Gatherer::prepare_configs() {
  for (const ControlPlane& plane : items_of(m_evidence.control_planes)) {
    RevisionConfig config;
    config.ns = plane.ns;
    config.revision = plane.revision;
    m_configs.push_back(std::move(config));
  }
}

void Gatherer::read_config_names() {
  if (m_configs.empty()) {
    return;
  }
  std::set<std::pair<std::string, std::string>> names;
  const auto found =
      m_ask.each(well_known::config_maps(), labelled(k_revision_label, kube::Form::metadata),
                 [&](const Json& object) {
                   const ObjectView view(object);
                   names.emplace(view.ns(), view.name());
                   return bytes_of_texts(view.ns(), view.name());
                 });
  if (!found) {
    lose_configs(found.error());
    return;
  }
  for (RevisionConfig& config : m_configs) {
    const auto has = [&](std::string_view name) {
      return names.contains({config.ns, with_revision(name, config.revision)});
    };
    config.mesh_config = has("istio");
    config.injector_config = has("istio-sidecar-injector");
  }
}

void Gatherer::read_root_cert(RevisionConfig& config) {
  const auto& kind = well_known::config_maps();
  const auto object =
      m_ask.get(kube::get(kind, config.ns, "istio-ca-root-cert"), kind.group_resource());
  if (object) {
    constexpr std::size_t k_longest = std::size_t{64} << 10U;
    config.root_cert = data::string_at(*object, {"data", "root-cert.pem"}).substr(0, k_longest);
  } else {
    lose_configs(object.error());
  }
}

void Gatherer::read_config_values(RevisionConfig& config) {
  const auto& kind = well_known::config_maps();
  const auto object = m_ask.get(
      kube::get(kind, config.ns, with_revision("values", config.revision)), kind.group_resource());
  if (object) {
    read_values(*object, config);
  } else {
    lose_configs(object.error());
  }
}

void Gatherer::lose_configs(const Unread& why) {
  const std::lock_guard lock(m_mutex);
  m_evidence.configs = tl::unexpected(why);
}

// Which clusters it serves beside its own is worth knowing and no more.
void Gatherer::read_remote_clusters(const std::string& ns) {
  std::size_t count = 0;
  const auto found = m_ask.each(
      well_known::secrets(), labelled("istio/multiCluster=true", kube::Form::metadata),
      [&](const Json&) { return ++count, 0; }, ns);
  if (found) {
    const std::lock_guard lock(m_mutex);
    m_evidence.remote_clusters += count;
  } else {
    skip(found.error());
  }
}

void Gatherer::read_sail_objects() {
  if (!sail_served()) {
    return;
  }
  std::vector<SailObject> objects;
  for (const char* kind : {"Istio", "IstioRevision", "IstioCNI", "ZTunnel"}) {
    const kube::ApiResource* resource = m_index->by_kind("sailoperator.io", "", kind);
    if (resource == nullptr) {
      continue;
    }
    const auto found = m_ask.each(*resource, {}, [&](const Json& object) {
      objects.push_back(read_sail(object));
      return bytes_of(objects.back());
    });
    if (!found) {
      m_evidence.sail = tl::unexpected(found.error());
      return;
    }
  }
  m_evidence.sail = std::move(objects);
}

void Gatherer::read_tainted_nodes() {
  const auto& agents = items_of(m_evidence.node_agents);
  if (std::none_of(agents.begin(), agents.end(),
                   [](const NodeAgent& agent) { return agent.kind == NodeAgent::Kind::cni; })) {
    return;
  }
  m_evidence.tainted_nodes = m_ask.list(well_known::nodes(), {}, [](const Json& node) {
    return cni_tainted(node) ? std::optional(std::string(ObjectView(node).name())) : std::nullopt;
  });
}

void Gatherer::add_probes(std::vector<std::function<void()>>& questions) {
  const kube::ApiResource* gateways =
      m_index ? m_index->by_kind("networking.istio.io", "", "Gateway") : nullptr;
  if (!m_options.probe || gateways == nullptr) {
    return;
  }
  std::set<std::pair<std::string, std::string>> wanted;  // namespace, revision
  for (const WebhookConfig& config : items_of(m_evidence.validators)) {
    for (const Webhook& webhook : config.webhooks) {
      if (!webhook.target.ns.empty()) {
        wanted.emplace(webhook.target.ns, config.revision);
      }
    }
  }
  for (const auto& [ns, revision] : wanted) {
    questions.emplace_back([this, ns = ns, revision = revision, version = gateways->version] {
      Probe probe = probe_validation(m_ask.client(), version, ns, revision, m_ask.stop());
      const std::lock_guard lock(m_mutex);
      m_evidence.probes.push_back(std::move(probe));
    });
  }
}

}  // namespace kubist::istio
