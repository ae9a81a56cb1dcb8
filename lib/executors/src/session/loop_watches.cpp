#include "session/loop_watches.hpp"

#include <kubist/resources/kinds.hpp>

namespace kubist::executors {

using engine::Key;

namespace {

/// Of whole kinds at clusters that projects lead to: seven of each where it has all.
constexpr std::size_t k_most_of_project = 512;
constexpr std::size_t k_most = 4096;

}  // namespace

LoopWatches::LoopWatches(Session& session, WatchedNamespaces where, Inbox& inbox,
                         Absences& absences)
    : m_session(session),
      m_where(std::move(where)),
      m_inbox(inbox),
      m_absences(absences),
      m_watch_room(absences),
      m_cluster_room(absences, {k_most_of_project, k_most, "kinds and clusters"}),
      m_drift(session, m_where, m_watch_room, m_cluster_room, inbox, absences),
      m_items(m_watch_room, inbox, absences),
      m_reads(session.home_client(), inbox, absences),
      m_istio(*session.home_client(), m_cluster_room, inbox, absences),
      m_workloads(m_watch_room, inbox, absences) {
  for (const resources::Kind& kind : resources::kinds()) {
    if (kind.node || kind.name == "Approval" || kind.definition) {
      const kube::ApiResource resource = resource_of(kind);
      auto& watch = m_kinds[resource.group_resource()];
      watch = std::make_unique<KindWatch>(session.home_client(), kind, m_where, inbox, absences,
                                          m_room);
      m_cache.add(resource, *watch);
    }
  }
}

void LoopWatches::serve(ReconcileOptions& options) {
  options.source = &m_cache;
  options.judges_istio = [this](const Key& cluster, const JudgedIstio& istio) {
    m_istio.keep(cluster, istio);
  };
  options.reads_workloads = [this](const Key& node, const ReadWorkloads& read) {
    m_workloads.keep(node, read);
  };
  options.makes_as = [this](const Key& node, const std::shared_ptr<kube::Client>& maker) {
    m_drift.makes_as(node, maker);
  };
  options.keeps = [this](const Key& node, const deployers::KeptObjects& kept) {
    m_items.keep(node, kept);
  };
}

void LoopWatches::follow(const engine::Graph& tree, bool fresh,
                         const std::vector<kube::ApiResource>& served) {
  if (fresh) {
    m_session.keep_only(tree);
  }
  m_drift.follow(tree);
  m_items.follow(m_session.clients(), tree);
  m_istio.follow(tree);
  m_workloads.follow(m_session.clients(), tree);
  if (fresh) {
    m_reads.follow(tree, m_where);
  }
  for (const kube::ApiResource& resource : served) {
    auto& watch = m_kinds[resource.group_resource()];
    if (!watch) {
      watch = std::make_unique<KindWatch>(m_session.home_client(), resource, m_where, m_inbox,
                                          m_absences, m_room);
      m_cache.add(resource, *watch);
    }
  }
}

void LoopWatches::rest() {
  for (const auto& [kind, watch] : m_kinds) {
    watch->rest();
  }
  m_items.rest();
}

}  // namespace kubist::executors
