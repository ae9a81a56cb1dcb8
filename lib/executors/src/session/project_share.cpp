#include "session/project_share.hpp"

#include <algorithm>

#include <kubist/data/json_outline.hpp>
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
/// What comes in a burst is one turn.
constexpr std::chrono::milliseconds k_gather{200};
/// A project that others have is asked for again after a pause, which doubles.
constexpr std::chrono::seconds k_first_pause{1};
constexpr std::chrono::seconds k_last_pause{15};
/// Who asked for a project has so long to take it.
constexpr std::chrono::seconds k_lent{5};

using Steady = std::chrono::steady_clock;

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
  m_watch = watch_for_good(
      session.home_client(), m_options, "leases of projects", absences,
      [this](const kube::WatchEvent& event) { return learn(event); },
      [this](bool away) { turn_watch(away); });
  // Throws where no thread can be made, before any run: cli::run() catches it.
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
    } else if (node.key.kind == "DeployItem" && tree.project_of(node.key.ns) == nullptr) {
      projects[node.key.ns].push_back(node.key);
    }
  }
  const std::lock_guard lock(m_mutex);
  m_woken = m_woken || projects != m_projects;
  m_projects = std::move(projects);
  const auto is_gone = [&](const auto& each) { return !m_projects.contains(each.first); };
  std::erase_if(m_put_off, is_gone);
  std::erase_if(m_wanted, is_gone);
  std::erase_if(m_lent, is_gone);
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
      static_cast<void>(util::guarded([&] { say("", done.error().to_string()); }));
    }
    std::unique_lock lock(m_mutex);
    if (m_wake.wait_for(lock, stop, k_turn, [this] { return m_woken; })) {
      lock.unlock();
      static_cast<void>(util::sleep_for(k_gather, stop));
      lock.lock();
    }
    m_woken = false;
  }
}

void ProjectShare::look_around(const std::stop_token& stop) {
  if (Steady::now() < m_look_at) {
    return;
  }
  m_look_at = Steady::now() + k_look_again;
  auto alive = m_replica.look_around(stop);
  if (!alive) {
    say("", alive.error().to_string());
    return;
  }
  say("", "");
  const std::lock_guard lock(m_mutex);
  if (m_alive != *alive) {
    m_put_off.clear();  // what one that ended had is free
  }
  m_alive = *std::move(alive);
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
    alone(ns, [&, &ns = ns, &keys = keys] { decide(ns, keys, stop); });
  }
  for (const std::string& ns : gone) {
    alone(ns, [&] { let_go(ns, {}); });
  }
  const auto is_gone = [&](const auto& each) {
    return !each.first.empty() && !projects.contains(each.first) && !has(each.first);
  };
  std::erase_if(m_said, is_gone);
  std::erase_if(m_lending, is_gone);
  std::erase_if(m_known_at, is_gone);
}

/// What is thrown for one project takes no turn from those behind it.
void ProjectShare::alone(const std::string& ns, const std::function<void()>& work) {
  if (const auto done = util::guarded(work); !done) {
    static_cast<void>(util::guarded([&] { say(ns, done.error().to_string()); }));
  }
}

void ProjectShare::decide(const std::string& ns, const std::vector<Key>& keys,
                          const std::stop_token& stop) {
  const std::string to = replica_of(m_alive, ns);
  if (ns == m_replica.ns()) {  // who may write there could pose as a replica
    say(ns, "nobody takes it: the replicas have their Leases there");
  } else if (!m_replica.joined()) {
    lose(ns);
  } else if (has(ns) && !wanted_by(ns).empty()) {
    lend(ns, keys);
  } else if (to != m_replica.identity()) {
    if (has(ns) && !to.empty() && let_go(ns, keys)) {
      say(ns, cat("gave it up to ", to));
    }
  } else if (has(ns) ? is_known(ns, stop) : is_due(ns)) {
    take(ns, keys, stop);
  }
}

// One that it has costs no request, as long as the replica renews.
void ProjectShare::take(const std::string& ns, const std::vector<Key>& keys,
                        const std::stop_token& stop) {
  m_locks->withhold(ns, false);
  if (const auto held = m_locks->before_write(ns, stop); !held) {
    drop(ns);  // what was read of the Lease stays: it may go stale
    put_off(ns);
    say(ns, held.error().message);
  } else if (!has(ns)) {
    say(ns, "took it");
    m_known_at[ns] = Steady::now();
    m_busy.allow(ns);
    for (const Key& key : keys) {
      m_inbox.push(key, Cause::resync);
    }
    const std::lock_guard lock(m_mutex);
    m_put_off.erase(ns);
    m_lent.erase(ns);
    m_wanted.erase(ns);
    m_mine.insert(ns);
  }
}

bool ProjectShare::has(const std::string& ns) const {
  const std::lock_guard lock(m_mutex);
  return m_mine.contains(ns);
}

// Runs that are at work there write nothing any more; what they have sent ends as what a replica
// has sent that could not renew.
void ProjectShare::lend(const std::string& ns, const std::vector<Key>& keys) {
  const auto now = Steady::now();
  if (!m_lending.contains(ns)) {
    m_locks->withhold(ns);
    m_busy.forbid(ns);
    m_lending[ns] = now + (m_replica.times().lease - m_replica.times().deadline);
  }
  if (!m_busy.disallow(ns, keys) && now < m_lending[ns]) {
    return;
  }
  m_lending.erase(ns);
  say(ns, cat("gave it to ", wanted_by(ns), ", which asked for it"));
  {
    const std::lock_guard lock(m_mutex);
    m_wanted.erase(ns);
    m_lent[ns] = now + k_lent;
  }
  lose(ns);
}

std::string ProjectShare::wanted_by(const std::string& ns) const {
  const std::lock_guard lock(m_mutex);
  const auto wanted = m_wanted.find(ns);
  return wanted == m_wanted.end() ? std::string() : wanted->second;
}

bool ProjectShare::is_due(const std::string& ns) const {
  const std::lock_guard lock(m_mutex);
  if (const auto lent = m_lent.find(ns); lent != m_lent.end() && Steady::now() < lent->second) {
    return false;
  }
  const auto put_off = m_put_off.find(ns);
  return put_off == m_put_off.end() || put_off->second.first <= Steady::now();
}

void ProjectShare::put_off(const std::string& ns) {
  const std::lock_guard lock(m_mutex);
  auto& [until, pause] = m_put_off[ns];
  pause = std::clamp(pause * 2, k_first_pause, k_last_pause);
  until = Steady::now() + pause;
}

// While no watch tells who has it, it is read; what cannot be read is lost.
bool ProjectShare::is_known(const std::string& ns, const std::stop_token& stop) {
  std::optional<Time> away;
  {
    const std::lock_guard lock(m_mutex);
    away = m_away;
  }
  Time& known_at = m_known_at[ns];
  known_at = std::max(known_at, away.value_or(Steady::now()));
  const auto longest = m_replica.times().deadline;
  if (Steady::now() - known_at < longest / 2) {
    return true;
  }
  if (m_locks->look(ns, stop)) {
    known_at = Steady::now();
    return true;
  }
  if (Steady::now() - known_at < longest) {
    return true;
  }
  lose(ns);
  put_off(ns);
  say(ns, "its Lease cannot be read, so others may have it");
  return false;
}

void ProjectShare::drop(const std::string& ns) {
  m_busy.forbid(ns);
  const std::lock_guard lock(m_mutex);
  if (m_mine.erase(ns) > 0) {
    m_inbox.wake();  // the loop tells how many there are
  }
}

void ProjectShare::lose(const std::string& ns) {
  drop(ns);
  m_locks->release(ns);
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

void ProjectShare::turn_watch(bool away) {
  const std::lock_guard lock(m_mutex);
  if (!away) {
    m_away.reset();
  } else if (!m_away) {
    m_away = Steady::now();
  }
}

util::Result<> ProjectShare::learn(const kube::WatchEvent& event) {
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
  const auto read = event.json();  // a member may have nested it too deep
  const auto record = record_of(read ? *read : data::outline(event.object));
  seen(ns, record.holder, event.resource_version, record.wanted_by);
  return {};
}

void ProjectShare::seen(const std::string& ns, std::string_view holder, std::string_view version,
                        std::string_view wanted_by) {
  if (has(ns)) {
    if (m_locks->seen(ns, holder, version)) {
      wake();
    } else if (holder == m_replica.identity() && !wanted_by.empty()) {
      const std::lock_guard lock(m_mutex);
      m_wanted[ns] = wanted_by.substr(0, kube::k_longest_name);
      m_woken = true;
      m_wake.notify_all();
    }
  } else if (!holder.empty()) {
    const std::lock_guard lock(m_mutex);
    m_lent.erase(ns);
  } else {
    const std::lock_guard lock(m_mutex);
    if (m_lent.contains(ns)) {
      return;  // it waits for who asked
    }
    m_put_off.erase(ns);
    m_woken = m_woken || m_projects.contains(ns);
    m_wake.notify_all();
  }
}

}  // namespace kubist::executors
