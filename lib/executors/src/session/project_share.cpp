#include "session/project_share.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "world/lease_record.hpp"

namespace kubist::executors {

using engine::Cause;
using engine::Key;
using util::cat;

namespace {

constexpr std::chrono::seconds k_turn{1};
constexpr std::chrono::seconds k_look_again{1};

}  // namespace

std::string replica_of(const std::set<std::string>& replicas, std::string_view project_namespace) {
  std::string highest;
  std::string found;
  for (const std::string& each : replicas) {
    std::string hash = util::sha256_raw(cat(each, '\n', project_namespace));
    if (found.empty() || hash > highest) {
      highest = std::move(hash);
      found = each;
    }
  }
  return found;
}

ProjectShare::ProjectShare(Session& session, BusyNodes& busy, Inbox& inbox, Absences& absences,
                           Tell tell)
    : m_busy(busy),
      m_inbox(inbox),
      m_tell(std::move(tell)),
      m_replica(*session.replica()),
      m_locks(session.standing_locks()) {
  m_busy.share();
  m_options.resource = kube::well_known::leases();
  m_options.field_selector = cat("metadata.name=", k_project_lease);
  m_watch = watch_for_good(session.home_client(), m_options, "leases of projects", absences,
                           [this](const kube::WatchEvent& event) { return take(event); });
  m_thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

ProjectShare::~ProjectShare() {
  m_thread = {};  // ends and joins it
  m_watch = {};
  m_replica.end();  // so that its projects need not be freed one by one
}

void ProjectShare::see(const engine::Graph& tree) {
  Projects projects;
  for (const engine::Node& node : tree.nodes()) {
    if (node.key.kind == "Project") {
      projects[resources::project_namespace(*node.object)].push_back(node.key);
    }
  }
  const std::lock_guard lock(m_mutex);
  m_woken = m_woken || projects != m_projects;
  m_projects = std::move(projects);
  m_wake.notify_all();
}

std::size_t ProjectShare::projects() const {
  const std::lock_guard lock(m_mutex);
  return m_mine.size();
}

std::size_t ProjectShare::replicas() const {
  const std::lock_guard lock(m_mutex);
  return m_replicas;
}

void ProjectShare::wake() {
  const std::lock_guard lock(m_mutex);
  m_woken = true;
  m_wake.notify_all();
}

void ProjectShare::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (const auto done = util::guarded([&] { turn(stop); }); !done) {
      say("", done.error().to_string());
    }
    std::unique_lock lock(m_mutex);
    m_wake.wait_for(lock, stop, k_turn, [this] { return m_woken; });
    m_woken = false;
  }
}

void ProjectShare::look_around(const std::stop_token& stop) {
  if (std::chrono::steady_clock::now() < m_look_at) {
    return;
  }
  m_look_at = std::chrono::steady_clock::now() + k_look_again;
  auto alive = m_replica.look_around(stop);
  if (!alive) {
    say("", alive.error().to_string());
    return;
  }
  say("", "");
  m_alive = *std::move(alive);
  const std::lock_guard lock(m_mutex);
  m_replicas = m_alive.size();
}

void ProjectShare::turn(const std::stop_token& stop) {
  look_around(stop);
  Projects projects;
  std::set<std::string> gone;
  {
    const std::lock_guard lock(m_mutex);
    projects = m_projects;
    gone = m_mine;
  }
  for (const auto& [ns, keys] : projects) {
    gone.erase(ns);
    if (stop.stop_requested()) {
      return;
    }
    decide(ns, keys, stop);
  }
  for (const std::string& ns : gone) {
    let_go(ns, {});
  }
}

void ProjectShare::decide(const std::string& ns, const std::vector<Key>& keys,
                          const std::stop_token& stop) {
  const std::string to = replica_of(m_alive, ns);
  if (!m_replica.joined()) {
    lose(ns);
  } else if (to != m_replica.identity()) {
    if (has(ns) && !to.empty() && let_go(ns, keys)) {
      say(ns, cat("gave it up to ", to));
    }
  } else if (const auto held = m_locks->before_write(ns, stop); !held) {
    lose(ns);
    say(ns, held.error().message);
  } else if (!has(ns)) {  // else nothing was asked
    say(ns, "took it");
    m_busy.allow(ns);
    for (const Key& key : keys) {
      m_inbox.push(key, Cause::resync);
    }
    const std::lock_guard lock(m_mutex);
    m_mine.insert(ns);
  }
}

bool ProjectShare::has(const std::string& ns) const {
  const std::lock_guard lock(m_mutex);
  return m_mine.contains(ns);
}

void ProjectShare::lose(const std::string& ns) {
  m_busy.forbid(ns);
  m_locks->release(ns);
  const std::lock_guard lock(m_mutex);
  m_mine.erase(ns);
}

bool ProjectShare::let_go(const std::string& ns, const std::vector<Key>& keys) {
  const bool idle = m_busy.disallow(ns, keys);
  if (idle) {
    lose(ns);
  }
  return idle;
}

// Once for each state that a project is in.
void ProjectShare::say(const std::string& ns, const std::string& what) {
  if (std::exchange(m_said[ns], what) != what && !what.empty()) {
    m_tell(ns.empty() ? what : cat("project namespace ", ns, ": ", what));
  }
}

util::Result<> ProjectShare::take(const kube::WatchEvent& event) {
  const std::string ns(event.ns);
  switch (event.type) {
    case kube::WatchEventType::bookmark:
      return {};
    case kube::WatchEventType::relisted: {
      std::set<std::string> missing;
      {
        const std::lock_guard lock(m_mutex);
        missing = m_mine;
      }
      for (const std::string& each : std::exchange(m_listed, {})) {
        missing.erase(each);
      }
      for (const std::string& each : missing) {
        seen(each, "", event.resource_version);
      }
      return {};
    }
    case kube::WatchEventType::deleted:
      seen(ns, "", event.resource_version);
      return {};
    default:
      break;
  }
  if (event.type == kube::WatchEventType::listed) {
    m_listed.insert(ns);
  }
  KUBIST_TRY(const data::Json lease, event.json());
  seen(ns, data::string_at(lease, {"spec", "holderIdentity"}), event.resource_version);
  return {};
}

void ProjectShare::seen(const std::string& ns, std::string_view holder, std::string_view version) {
  if (has(ns) ? m_locks->seen(ns, holder, version) : holder.empty()) {
    wake();
  }
}

}  // namespace kubist::executors
