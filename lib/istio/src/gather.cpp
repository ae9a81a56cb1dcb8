#include <algorithm>
#include <mutex>

#include <kubist/data/document.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/istio/check.hpp>
#include <kubist/istio/probe.hpp>
#include <kubist/istio/read.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "questions.hpp"

namespace kubist::istio {

using data::Json;
using resources::ObjectView;
using util::cat;
namespace well_known = kube::well_known;

namespace {

kube::ListOptions labelled(std::string selector, kube::Form form = kube::Form::object) {
  kube::ListOptions options;
  options.label_selector = std::move(selector);
  options.form = form;
  return options;
}

// Each object as `read` makes it; those for which it has nothing are left out.
template <class T, class Reader>
Read<std::vector<T>> each(const Read<std::vector<Json>>& objects, const Reader& read) {
  if (!objects) {
    return tl::unexpected(objects.error());
  }
  std::vector<T> result;
  for (const Json& object : *objects) {
    if (std::optional<T> value = read(object)) {
      result.push_back(std::move(*value));
    }
  }
  return result;
}

std::set<std::string> names_of(const std::vector<Json>& objects) {
  std::set<std::string> names;
  for (const Json& object : objects) {
    names.emplace(ObjectView(object).name());
  }
  return names;
}

Read<std::set<std::string>> names_of(const Read<std::vector<Json>>& objects) {
  if (!objects) {
    return tl::unexpected(objects.error());
  }
  return names_of(*objects);
}

// "1.30.3-SHA-Clean": the version itself may hold dashes.
std::string version_of_answer(std::string_view answer) {
  answer = util::trim(answer);
  for (int part = 0; part < 2; ++part) {
    const std::size_t dash = answer.rfind('-');
    answer = dash == answer.npos ? "" : answer.substr(0, dash);
  }
  return parse_version(answer) ? std::string(answer) : std::string();
}

class Gatherer {
 public:
  Gatherer(Questions& questions, const GatherOptions& options)
      : m_ask(questions), m_options(options) {}

  Evidence run() {
    m_evidence.now = std::chrono::system_clock::now();
    ask_what_is_there();
    if (anything()) {
      ask_details();
      ask_pods();
    }
    return std::move(m_evidence);
  }

 private:
  void ask_what_is_there() {
    Questions::all({
        [&] { read_discovery(); },
        [&] { read_server_version(); },
        [&] { read_crds(); },
        [&] { m_evidence.injectors = webhooks(mutating_webhooks()); },
        [&] { m_evidence.validators = webhooks(validating_webhooks()); },
        [&] {
          m_evidence.control_planes = each<ControlPlane>(
              m_ask.list(well_known::deployments(), labelled("app=istiod")),
              [](const Json& object) { return std::optional(read_control_plane(object)); });
        },
        [&] { read_services(); },
        [&] {
          m_evidence.node_agents = each<NodeAgent>(m_ask.list(daemon_sets(), {}), read_node_agent);
        },
    });
    if (!m_index) {
      m_evidence.sail = tl::unexpected(*m_no_index);
    }
  }

  bool anything() const {
    return m_evidence.api_served || !items_of(m_evidence.crds).empty() ||
           !items_of(m_evidence.injectors).empty() || !items_of(m_evidence.validators).empty() ||
           !items_of(m_evidence.control_planes).empty() || !items_of(m_evidence.services).empty() ||
           !items_of(m_evidence.node_agents).empty() || sail_served();
  }

  void ask_details() {
    prepare_configs();
    std::vector<std::function<void()>> questions{
        [&] { read_namespaces(); },
        [&] {
          m_evidence.istiod_pods =
              each<IstiodPod>(m_ask.list(well_known::pods(), labelled("app=istiod")),
                              [](const Json& pod) { return std::optional(read_istiod_pod(pod)); });
        },
        [&] { m_evidence.proxies = read_proxies(); },
        [&] {
          m_evidence.cluster_roles = names_of(m_ask.list(cluster_roles(), istiod_metadata()));
        },
        [&] {
          m_evidence.cluster_role_bindings =
              names_of(m_ask.list(cluster_role_bindings(), istiod_metadata()));
        },
        [&] { read_endpoints(); },
        [&] { read_unserved_crds(); },
        [&] { read_sail_objects(); },
        [&] { read_tainted_nodes(); },
        [&] { read_config_names(); },
    };
    for (RevisionConfig& config : m_configs) {
      questions.emplace_back([&] { read_remote_clusters(config.ns); });
      questions.emplace_back([&] { read_root_cert(config); });
      questions.emplace_back([&] { read_config_values(config); });
    }
    add_probes(questions);
    Questions::all(std::move(questions));
    if (m_evidence.configs) {
      m_evidence.configs = std::move(m_configs);
    }
  }

  // What needs to know which pods and namespaces there are.
  void ask_pods() {
    std::vector<std::function<void()>> questions;
    if (m_evidence.configs) {
      for (RevisionConfig& config : *m_evidence.configs) {
        questions.emplace_back([&] { read_served_version(config); });
      }
    }
    std::vector<std::pair<Members, bool>> members;
    for (const NamespaceLabels& where : items_of(m_evidence.namespaces)) {
      const Membership kind = membership(where.labels);
      if (kind != Membership::none && members.size() < m_options.max_namespaces) {
        members.push_back({{where.name, 0, {}, {}}, kind == Membership::ambient});
      }
    }
    for (auto& [of, ambient] : members) {
      questions.emplace_back([this, &of = of, ambient = ambient] { read_members(of, ambient); });
    }
    Questions::all(std::move(questions));
    for (auto& [of, ambient] : members) {
      m_evidence.members.push_back(std::move(of));
    }
  }

  void read_discovery() {
    auto index = m_ask.client().discovery().refresh(m_ask.stop());
    if (!index) {
      m_no_index = m_ask.unread("discovery", index.error());
      return;
    }
    m_index = std::move(*index);
    for (const kube::ApiResource& resource : m_index->all()) {
      m_evidence.api_served |= resource.group.ends_with(".istio.io");
    }
  }

  bool sail_served() const { return m_index && m_index->has_group("sailoperator.io"); }

  void read_server_version() {
    const auto version = m_ask.client().version(m_ask.stop());
    if (version) {
      m_evidence.kubernetes_version = version->git_version;
      m_evidence.kubernetes_minor = version->major == 1 ? version->minor : 0;
    } else {
      skip(m_ask.unread("version", version.error()));
    }
  }

  void read_crds() {
    m_evidence.crds = each<Crd>(
        m_ask.list(well_known::custom_resource_definitions(), labelled("", kube::Form::metadata)),
        [](const Json& object) {
          return ObjectView(object).name().ends_with(".istio.io") ? std::optional(read_crd(object))
                                                                  : std::nullopt;
        });
  }

  // Metadata does not say whether a CRD is served; discovery does, and why not is asked for alone.
  void read_unserved_crds() {
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

  Read<std::vector<WebhookConfig>> webhooks(const kube::ApiResource& kind) {
    return each<WebhookConfig>(m_ask.list(kind, {}), read_webhook_config);
  }

  void read_services() {
    m_evidence.services = each<ControlService>(
        m_ask.list(well_known::services(), labelled("istio.io/rev")), [](const Json& object) {
          return ObjectView(object).name().starts_with("istiod")
                     ? std::optional(read_service(object))
                     : std::nullopt;
        });
  }

  // Services without Istio's label count too, where a webhook names them.
  void read_named_services() {
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

  void read_endpoints() {
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
    const auto slices = m_ask.list(
        endpoint_slices(), labelled(cat("kubernetes.io/service-name in (",
                                        util::join({names.begin(), names.end()}, ","), ")")));
    if (!slices) {
      m_evidence.services = tl::unexpected(slices.error());
      return;
    }
    for (const Json& slice : *slices) {
      count_endpoints(slice, *m_evidence.services);
    }
  }

  void read_namespaces() {
    m_evidence.namespaces = each<NamespaceLabels>(
        m_ask.list(well_known::namespaces(), labelled("", kube::Form::metadata)),
        [](const Json& object) {
          const ObjectView view(object);
          return std::optional(NamespaceLabels{std::string(view.name()), view.labels()});
        });
  }

  // Both templates of the injector set this label; pods may be many, so page by page.
  Read<ProxyList> read_proxies() {
    ProxyList list;
    kube::ListOptions options = labelled("service.istio.io/canonical-name");
    options.max_objects = m_options.max_proxies;
    data::ListReader reader;
    const auto add = [&](const data::ListItem& item) -> util::Result<> {
      KUBIST_TRY(const Json pod, data::parse_json(item.raw, "pods"));
      if (auto proxy = read_proxy(pod)) {
        list.proxies.push_back(std::move(*proxy));
      }
      return {};
    };
    const auto end = m_ask.client().list_pages(
        well_known::pods(), "", options,
        [&](const data::PageBuffer& page) -> util::Result<> {
          KUBIST_CHECK(reader.read(page, add));
          return {};
        },
        m_ask.stop());
    if (!end) {
      return tl::unexpected(m_ask.unread("pods", end.error()));
    }
    list.cut = end->more;
    return list;
  }

  static kube::ListOptions istiod_metadata() {
    return labelled("app=istiod", kube::Form::metadata);
  }

  void prepare_configs() {
    for (const ControlPlane& plane : items_of(m_evidence.control_planes)) {
      RevisionConfig config;
      config.ns = plane.ns;
      config.revision = plane.revision;
      m_configs.push_back(std::move(config));
    }
  }

  void read_config_names() {
    if (m_configs.empty()) {
      return;
    }
    const auto found =
        m_ask.list(well_known::config_maps(), labelled("istio.io/rev", kube::Form::metadata));
    if (!found) {
      lose_configs(found.error());
      return;
    }
    std::set<std::pair<std::string, std::string>> names;
    for (const Json& object : *found) {
      names.emplace(ObjectView(object).ns(), ObjectView(object).name());
    }
    for (RevisionConfig& config : m_configs) {
      const auto has = [&](std::string_view name) {
        return names.contains({config.ns, with_revision(name, config.revision)});
      };
      config.mesh_config = has("istio");
      config.injector_config = has("istio-sidecar-injector");
    }
  }

  void read_root_cert(RevisionConfig& config) {
    const auto& kind = well_known::config_maps();
    const auto object =
        m_ask.get(kube::get(kind, config.ns, "istio-ca-root-cert"), kind.group_resource());
    if (object) {
      config.root_cert = data::string_at(*object, {"data", "root-cert.pem"});
    } else {
      lose_configs(object.error());
    }
  }

  void read_config_values(RevisionConfig& config) {
    const auto& kind = well_known::config_maps();
    const auto object =
        m_ask.get(kube::get(kind, config.ns, with_revision("values", config.revision)),
                  kind.group_resource());
    if (object) {
      read_values(*object, config);
    } else {
      lose_configs(object.error());
    }
  }

  void lose_configs(const Unread& why) {
    const std::lock_guard lock(m_mutex);
    m_evidence.configs = tl::unexpected(why);
  }

  // Which clusters it serves beside its own is worth knowing and no more.
  void read_remote_clusters(const std::string& ns) {
    const auto found = m_ask.list(well_known::secrets(),
                                  labelled("istio/multiCluster=true", kube::Form::metadata), ns);
    if (found) {
      const std::lock_guard lock(m_mutex);
      m_evidence.remote_clusters += found->size();
    } else {
      skip(found.error());
    }
  }

  void read_sail_objects() {
    if (!sail_served()) {
      return;
    }
    std::vector<SailObject> objects;
    for (const char* kind : {"Istio", "IstioRevision", "IstioCNI", "ZTunnel"}) {
      const kube::ApiResource* resource = m_index->by_kind("sailoperator.io", "", kind);
      if (resource == nullptr) {
        continue;
      }
      const auto found = m_ask.list(*resource, {});
      if (!found) {
        m_evidence.sail = tl::unexpected(found.error());
        return;
      }
      for (const Json& object : *found) {
        objects.push_back(read_sail(object));
      }
    }
    m_evidence.sail = std::move(objects);
  }

  void read_tainted_nodes() {
    const auto& agents = items_of(m_evidence.node_agents);
    if (std::none_of(agents.begin(), agents.end(),
                     [](const NodeAgent& agent) { return agent.kind == NodeAgent::Kind::cni; })) {
      return;
    }
    m_evidence.tainted_nodes =
        each<std::string>(m_ask.list(well_known::nodes(), {}), [](const Json& node) {
          return cni_tainted(node) ? std::optional(std::string(ObjectView(node).name()))
                                   : std::nullopt;
        });
  }

  void add_probes(std::vector<std::function<void()>>& questions) {
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

  // Through the API server to the pod: where that is not open, the image's tag has to do.
  void read_served_version(RevisionConfig& config) {
    for (const IstiodPod& pod : items_of(m_evidence.istiod_pods)) {
      if (!pod.ready || pod.ns != config.ns || pod.revision != config.revision) {
        continue;
      }
      Questions quick(m_ask.client(), m_options.pod_timeout, m_ask.stop());
      const auto answer = quick.client().run(
          kube::raw_get(
              cat("/api/v1/namespaces/", pod.ns, "/pods/", pod.name, ":15014/proxy/version"),
              "text/plain, */*"),
          quick.stop());
      config.served_version = answer ? version_of_answer(answer->body) : "";
      return;
    }
  }

  void read_members(Members& members, bool ambient) {
    kube::ListOptions options = labelled("", kube::Form::metadata);
    // Pods in the node's network are never in the mesh.
    options.field_selector = "spec.hostNetwork=false,status.phase!=Succeeded,status.phase!=Failed";
    const auto pods = m_ask.list(well_known::pods(), options, members.ns);
    if (!pods) {
      skip(pods.error());
      return;
    }
    for (const Json& pod : *pods) {
      count_member(pod, ambient, members);
    }
  }

  void skip(Unread unread) {
    const std::lock_guard lock(m_mutex);
    m_evidence.optional_unread.push_back(std::move(unread));
  }

  Questions& m_ask;
  const GatherOptions& m_options;
  std::shared_ptr<const kube::ResourceIndex> m_index;
  std::optional<Unread> m_no_index;
  std::vector<RevisionConfig> m_configs;
  std::mutex m_mutex;  // what several questions add to
  Evidence m_evidence;
};

}  // namespace

util::Result<Evidence> gather(kube::Client& client, const GatherOptions& options,
                              const std::stop_token& stop) {
  Questions questions(client, options.timeout, stop);
  Evidence evidence = Gatherer(questions, options).run();
  if (stop.stop_requested()) {
    return util::fail(util::ErrorKind::cancelled, "looking at Istio: stopped");
  }
  std::sort(evidence.probes.begin(), evidence.probes.end(), [](const Probe& a, const Probe& b) {
    return std::tie(a.ns, a.revision) < std::tie(b.ns, b.revision);
  });
  return evidence;
}

}  // namespace kubist::istio
