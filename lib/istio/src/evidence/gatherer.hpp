#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kubist/istio/gather.hpp>
#include <kubist/resources/object.hpp>

#include "evidence/questions.hpp"

namespace kubist::istio {

/// Asks in rounds: what is there, what runs of it, what belongs to it, and its pods. The questions
/// of a round run at once, each writing a part of the evidence of its own.
class Gatherer {
 public:
  Gatherer(Questions& questions, const GatherOptions& options)
      : m_ask(questions), m_options(options) {}
  Evidence run();

 private:
  void ask_what_is_there();
  void ask_for_workloads();
  bool kinds_or_webhooks() const;
  bool anything() const;
  bool lists_of_workloads_end() const;
  void ask_details();
  void ask_pods();
  void skip(Unread unread);

  // gather.cpp: the first round
  void read_discovery();
  void read_server_version();
  void read_crds();
  Read<std::vector<WebhookConfig>> webhooks(const kube::ApiResource& kind);
  void read_services();
  bool sail_served() const { return m_index && m_index->has_group("sailoperator.io"); }

  // gather_details.cpp: the second round
  void read_unserved_crds();
  void read_named_services();
  void read_endpoints();
  void read_namespaces();
  void leave_out_projects();
  void prepare_configs();
  void read_config_names();
  void read_root_cert(RevisionConfig& config);
  void read_config_values(RevisionConfig& config);
  void lose_configs(const Unread& why);
  void read_remote_clusters(const std::string& ns);
  void read_sail_objects();
  void read_tainted_nodes();
  void add_probes(std::vector<std::function<void()>>& questions);

  // gather_pods.cpp: what there may be many of, and the third round
  Read<ProxyList> read_proxies();
  void read_served_version(RevisionConfig& config);
  void read_members(Members& members, bool ambient);

  Questions& m_ask;
  const GatherOptions& m_options;
  std::shared_ptr<const kube::ResourceIndex> m_index;
  std::optional<Unread> m_no_index;
  std::vector<RevisionConfig> m_configs;
  std::mutex m_mutex;  // what several questions add to
  Evidence m_evidence;
};

/// Options of a list.
kube::ListOptions labelled(std::string selector, kube::Form form = kube::Form::object);

}  // namespace kubist::istio
