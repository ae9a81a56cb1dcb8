#include "session/agenda.hpp"

#include <algorithm>

#include <kubist/resources/kinds.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "session/busy_nodes.hpp"

namespace kubist::executors {

using engine::Cause;
using engine::Key;

namespace {

/// Watch events of one kind come often in bursts: a folder that is applied.
constexpr std::chrono::milliseconds k_gather{10};
constexpr std::chrono::seconds k_try_again{5};
constexpr std::chrono::minutes k_list_again{1};  // all, for the kinds that could not be listed
constexpr std::size_t k_most_unknown = 10'000;

Agenda::Time now() { return std::chrono::steady_clock::now(); }

/// A new object is not in the graph of the last run yet: it is asked for by itself, as is what
/// happens to it before that run tells its graph.
bool is_fresh_node(const engine::Graph& graph, const Key& key) {
  const resources::Kind* kind = resources::find_kind(key.group, key.kind);
  return graph.find(key).empty() && (kind == nullptr || kind->node);
}

/// The same where it is asked for by another object, such as a definition.
engine::Trigger from(const engine::Trigger& cause, const Key& key, const Key& asked) {
  return key == asked || !cause.of.empty()
             ? cause
             : engine::Trigger(cause.cause, resources::to_string(key));
}

}  // namespace

void Scope::update(const engine::Graph& graph) {
  for (const Key& key : m_selection) {
    for (const engine::NodeId top : graph.find(key)) {
      for (const engine::NodeId id : graph.subtree(top)) {
        const engine::Node& node = graph[id];
        m_keys.insert(node.key);
        m_namespaces.insert(project_of(node));
      }
    }
  }
  m_namespaces.erase("");
}

bool Scope::contains(const Key& key) const {
  return m_selection.empty() || m_keys.contains(key) || m_namespaces.contains(key.ns);
}

Agenda::Agenda(const std::vector<Key>& selection, std::chrono::milliseconds resync,
               std::function<void(std::string)> say)
    : m_selection(selection), m_resync(resync), m_say(std::move(say)), m_scope(selection) {
  set_resync();
}

void Agenda::see(std::shared_ptr<const engine::Graph> tree) {
  const HeldTree before = std::exchange(m_tree, HeldTree());
  m_tree.see(std::move(tree));
  m_scope.update(*m_tree);
  if (before) {
    add_waiting(*before);
  }
  std::erase_if(m_failed, [this](const auto& each) { return m_tree->find(each.first).empty(); });
  std::erase_if(m_ready, [this](const auto& each) { return m_tree->find(each.first).empty(); });
  // Of those some may be in this one; the others are gone.
  const auto unknown = std::exchange(m_unknown, {});
  m_events.insert(m_events.begin(), unknown.begin(), unknown.end());
  add_events();
  m_unknown.clear();
}

/// What goes waits for its children's end. A child that somebody else let go, and this tree lacks
/// already, is not known by its own event any more, and so neither is its parent.
void Agenda::add_waiting(const engine::Graph& before) {
  for (const engine::Node& node : before.nodes()) {
    if (node.parent == engine::k_no_node || !m_tree->find(node.key).empty()) {
      continue;
    }
    const Key& parent = before[node.parent].key;
    const auto found = m_tree->find(parent);
    if (!found.empty() && m_tree->deleting(found.front()) && m_scope.contains(parent)) {
      m_schedule.add(parent, now() + k_gather,
                     engine::Trigger(Cause::deleted, resources::to_string(node.key)));
    }
  }
}

void Agenda::add(const Inbox::Events& events) {
  m_events.insert(m_events.end(), events.begin(), events.end());
  add_events();
}

void Agenda::add_events() {
  if (!m_tree) {
    return;
  }
  while (!m_events.empty()) {
    const auto [key, cause] = std::move(m_events.front());
    m_events.pop_front();  // what is thrown for it keeps none of the others
    add_event(key, cause);
  }
}

void Agenda::add_event(const Key& key, const engine::Trigger& cause) {
  if (cause == Cause::drift && m_tree->find(key).empty()) {
    add_unknown(key, cause);
    return;
  }
  for (const Key& asked : is_fresh_node(*m_tree, key) ? std::vector<Key>{key}
                                                      : engine::affected(*m_tree, key, cause)) {
    if (m_scope.contains(asked)) {
      const Pace* pace = pace_of(cause);
      const Time when = pace != nullptr ? pace->next(asked, now()) : now();
      m_schedule.add(asked, when + k_gather, from(cause, key, asked));
    }
  }
}

void Agenda::add_unknown(const Key& key, const engine::Trigger& cause) {
  if (!wants_tree()) {
    m_unknown.emplace(key, cause);
  } else if (!m_unknown.contains(key) && !std::exchange(m_said, true)) {
    m_say(util::cat("changes by others of objects whose owners kubist has not read yet, beyond ",
                    k_most_unknown,
                    " owners, are noticed only by the resync (docs/reference/limits.md)"));
  }
}

bool Agenda::wants_tree() const { return m_unknown.size() >= k_most_unknown; }

Pace* Agenda::pace_of(Cause cause) {
  return cause == Cause::drift ? &m_drift : cause == Cause::requested ? &m_asked : nullptr;
}

void Agenda::add(const Run& run) {
  for (const engine::NodeReport& node : run.report.nodes) {
    if (node.state != engine::NodeState::failed) {
      m_failed.erase(node.key);
      continue;
    }
    Failed& failed = m_failed[node.key];
    ++failed.times;
    const engine::NodeId above = (*run.graph)[node.id].parent;
    const auto ready =
        above == engine::k_no_node ? m_ready.end() : m_ready.find((*run.graph)[above].key);
    if (ready != m_ready.end() && ready->second >= run.report.run.started_at) {
      retry(node.key, failed);  // it may have looked before that
    }
  }
  engine::schedule_from(m_schedule, run.report, *run.graph, now(),
                        [this](const Key& key) { return m_failed.at(key).times; });
  retry_beside(run);
  if (run.incomplete) {
    for (const engine::NodeId root : run.graph->roots()) {
      m_schedule.add((*run.graph)[root].key, now() + k_list_again, Cause::retry);
    }
  }
}

void Agenda::add_failed(const std::vector<Due>& due) {
  for (const Due& entry : due) {
    m_schedule.add(entry.key, now() + k_try_again, Cause::retry);
  }
}

/// What failed in other runs for want of something that is there now: a route without its
/// Destination. One run has an order for them, runs beside each other have none.
void Agenda::retry_beside(const Run& run) {
  std::set<Key> parents, reported;  // of what became Ready; of all
  for (const engine::NodeReport& node : run.report.nodes) {
    const engine::Node& was = (*run.graph)[node.id];
    reported.insert(node.key);
    if (node.ready && was.status_summary.ready != "True" && was.parent != engine::k_no_node) {
      parents.insert((*run.graph)[was.parent].key);
    }
  }
  for (const Key& parent : parents) {
    m_ready[parent] = std::chrono::system_clock::now();
  }
  if (parents.empty() || !m_tree) {
    return;
  }
  for (auto& [key, failed] : m_failed) {
    for (const engine::NodeId id : m_tree->find(key)) {
      const engine::NodeId above = (*m_tree)[id].parent;
      if (above != engine::k_no_node && parents.contains((*m_tree)[above].key) &&
          !reported.contains(key)) {
        retry(key, failed);
      }
    }
  }
}

void Agenda::retry_failed(const std::optional<std::set<std::string>>& projects) {
  for (auto& [key, failed] : m_failed) {
    const auto found = m_tree->find(key);
    if (!found.empty() && (!projects || projects->contains(project_of((*m_tree)[found.front()])))) {
      retry(key, failed);
    }
  }
}

// At once, but where something comes and goes, not each time.
void Agenda::retry(const Key& key, Failed& failed) {
  if (failed.asked < now()) {
    failed.asked = std::max(now() + k_gather, failed.asked + k_try_again);
  }
  m_schedule.add(key, failed.asked, Cause::retry);
}

// Up to a tenth sooner or later, so that many do not ask at once.
void Agenda::set_resync() {
  const auto pause =
      std::chrono::duration_cast<Time::duration>(m_resync * (0.9 + 0.2 * util::random_unit()));
  m_resync_at = pause.count() == 0 ? Time::max() : now() + pause;
}

void Agenda::look_again(Time at) { m_resync_at = std::min(m_resync_at, at); }

/// Looks at everything, for what no watch tells of.
void Agenda::resync() {
  if (now() < m_resync_at) {
    return;
  }
  set_resync();
  std::vector<Key> tops = m_selection;
  for (const engine::NodeId root : tops.empty() ? m_tree->roots() : std::vector<engine::NodeId>()) {
    tops.push_back((*m_tree)[root].key);
  }
  for (const Key& top : tops) {
    m_schedule.add(top, now(), Cause::resync);
  }
}

std::optional<Agenda::Time> Agenda::next() const {
  if (!m_tree) {
    return std::nullopt;
  }
  const auto at = m_schedule.next();
  return m_resync_at == Time::max() ? at : std::min(at.value_or(m_resync_at), m_resync_at);
}

void Agenda::begin(const std::vector<Due>& due) {
  for (const Due& entry : due) {
    if (Pace* pace = pace_of(entry.cause)) {
      pace->count(entry.key, now());
    }
  }
}

std::vector<Agenda::Due> Agenda::take_due() {
  if (!m_tree) {
    return {};
  }
  resync();
  const auto at = m_schedule.next();
  return at && *at <= now() ? m_schedule.take_due(now(), *m_tree) : std::vector<Due>();
}

}  // namespace kubist::executors
