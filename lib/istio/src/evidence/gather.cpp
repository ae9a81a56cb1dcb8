#include <algorithm>
#include <tuple>

#include <kubist/istio/labels.hpp>
#include <kubist/istio/read.hpp>
#include <kubist/util/text.hpp>

#include "evidence/gatherer.hpp"

namespace kubist::istio {

using data::Json;
using resources::ObjectView;
using util::cat;
namespace well_known = kube::well_known;

namespace {

Read<std::set<std::string>> istiod_names(Questions& ask, const kube::ApiResource& kind) {
  std::set<std::string> names;
  const auto take = [&](const Json& object) {
    return bytes_of(*names.emplace(ObjectView(object).name()).first);
  };
  return ask.each(kind, labelled("app=istiod", kube::Form::metadata), take).map([&](bool) {
    return std::move(names);
  });
}

}  // namespace

kube::ListOptions labelled(std::string selector, kube::Form form) {
  kube::ListOptions options;
  options.label_selector = std::move(selector);
  options.form = form;
  return options;
}

Evidence Gatherer::run() {
  m_evidence.now = std::chrono::system_clock::now();
  ask_what_is_there();
  const bool is_served = kinds_or_webhooks();
  if (is_served) {
    leave_out_projects();
  }
  ask_for_workloads();
  if (!is_served && (anything() || !lists_of_workloads_end())) {  // perhaps only a member says so
    leave_out_projects();
    ask_for_workloads();
  }
  if (anything()) {
    ask_details();
    ask_pods();
  } else {
    m_evidence.namespaces = {};  // nobody needs them: they may be forbidden
  }
  for (Unread& each : m_ask.passed_over()) {
    skip(std::move(each));
  }
  return std::move(m_evidence);
}

void Gatherer::ask_what_is_there() {
  Questions::all({
      [&] { read_discovery(); },
      [&] { read_server_version(); },
      [&] { read_crds(); },
      [&] { m_evidence.injectors = webhooks(well_known::mutating_webhooks()); },
      [&] { m_evidence.validators = webhooks(well_known::validating_webhooks()); },
  });
  if (!m_index) {
    m_evidence.sail = tl::unexpected(*m_no_index);
  }
}

void Gatherer::ask_for_workloads() {
  Questions::all({
      [&] {
        m_evidence.control_planes = m_ask.list(
            well_known::deployments(), labelled("app=istiod"),
            [](const Json& object) { return std::optional(read_control_plane(object)); },
            k_most_revisions);
      },
      [&] { read_services(); },
      [&] { m_evidence.node_agents = m_ask.list(well_known::daemon_sets(), {}, read_node_agent); },
  });
}

bool Gatherer::kinds_or_webhooks() const {
  return m_evidence.api_served || !items_of(m_evidence.crds).empty() ||
         !items_of(m_evidence.injectors).empty() || !items_of(m_evidence.validators).empty() ||
         sail_served();
}

bool Gatherer::anything() const {
  return kinds_or_webhooks() || !items_of(m_evidence.control_planes).empty() ||
         !items_of(m_evidence.services).empty() || !items_of(m_evidence.node_agents).empty();
}

bool Gatherer::lists_of_workloads_end() const {
  const auto is_too_large = [](const auto& read) {
    return !read && read.error().code == k_too_large;
  };
  return !is_too_large(m_evidence.control_planes) && !is_too_large(m_evidence.services) &&
         !is_too_large(m_evidence.node_agents);
}

void Gatherer::ask_details() {
  prepare_configs();
  std::vector<std::function<void()>> questions{
      [&] {
        m_evidence.istiod_pods =
            m_ask.list(well_known::pods(), labelled("app=istiod"),
                       [](const Json& pod) { return std::optional(read_istiod_pod(pod)); });
      },
      [&] { m_evidence.proxies = read_proxies(); },
      [&] { m_evidence.cluster_roles = istiod_names(m_ask, well_known::cluster_roles()); },
      [&] {
        m_evidence.cluster_role_bindings = istiod_names(m_ask, well_known::cluster_role_bindings());
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
  Questions::all(questions);
  if (m_evidence.configs) {
    m_evidence.configs = std::move(m_configs);
  }
}

// What needs to know which pods and namespaces there are.
void Gatherer::ask_pods() {
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
  Questions::all(questions);
  for (auto& [of, ambient] : members) {
    m_evidence.members.push_back(std::move(of));
  }
}

void Gatherer::skip(Unread unread) {
  const std::lock_guard lock(m_mutex);
  m_evidence.optional_unread.push_back(std::move(unread));
}

void Gatherer::read_discovery() {
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

void Gatherer::read_server_version() {
  const auto version = m_options.server_version
                           ? util::Result<kube::ServerVersion>(*m_options.server_version)
                           : m_ask.client().version(m_ask.stop());
  if (version) {
    m_evidence.kubernetes_version = version->git_version;
    m_evidence.kubernetes_minor = version->major == 1 ? version->minor : 0;
  } else {
    skip(m_ask.unread("version", version.error()));
  }
}

void Gatherer::read_crds() {
  m_evidence.crds = m_ask.list(well_known::custom_resource_definitions(),
                               labelled("", kube::Form::metadata), [](const Json& object) {
                                 return ObjectView(object).name().ends_with(".istio.io")
                                            ? std::optional(read_crd(object))
                                            : std::nullopt;
                               });
}

Read<std::vector<WebhookConfig>> Gatherer::webhooks(const kube::ApiResource& kind) {
  // Each namespace is held against each selector.
  constexpr std::size_t k_most_webhooks = 512;
  constexpr std::size_t k_most_selectors = std::size_t{1} << 20U;
  auto found = m_ask.list(kind, {}, read_webhook_config, k_most_revisions);
  std::size_t webhooks = 0;
  std::size_t selectors = 0;
  for (const WebhookConfig& config : items_of(found)) {
    for (const Webhook& webhook : config.webhooks) {
      ++webhooks;
      selectors += selector_bytes(webhook);
    }
  }
  if (webhooks > k_most_webhooks || selectors > k_most_selectors) {
    return tl::unexpected(m_ask.too_large(
        kind.group_resource(), cat(k_most_webhooks, " webhooks, or ", k_most_selectors >> 20U,
                                   " MiB of memory for their selectors")));
  }
  return found;
}

void Gatherer::read_services() {
  m_evidence.services = m_ask.list(
      well_known::services(), labelled(k_revision_label),
      [](const Json& object) {
        return ObjectView(object).name().starts_with("istiod") ? std::optional(read_service(object))
                                                               : std::nullopt;
      },
      k_most_revisions);
}

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
