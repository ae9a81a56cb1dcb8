#include "session/busy_nodes.hpp"

#include <algorithm>
#include <utility>

namespace kubist::executors {

using engine::Cause;
using engine::Graph;
using engine::Key;
using engine::NodeId;

namespace {

constexpr std::size_t k_runs = 255;  ///< each has a thread
/// Of one project at once.
constexpr std::size_t k_at_work = 16;
constexpr std::size_t k_waiting = 64;
constexpr std::size_t k_more = 8;

/// Changes must not keep a rollback from being decided, nor both a person waiting.
std::size_t more_for(Cause cause) {
  return cause == Cause::requested ? 2 * k_more : cause == Cause::due ? k_more : 0;
}

constexpr int k_no_run = 0;

std::string project_of(const Graph& graph, const Key& key) {
  const auto found = graph.find(key);
  return found.empty() ? key.ns : project_of(graph[found.front()]);
}

}  // namespace

bool BusyNodes::is_taken(const Key& key) const {
  return std::any_of(m_taken.begin(), m_taken.end(),
                     [&](const auto& run) { return run.second.nodes.contains(key); });
}

const Key* BusyNodes::taken_below(const Graph& graph, NodeId id) const {
  for (const NodeId below : graph.subtree(id)) {
    if (is_taken(graph[below].key)) {
      return &graph[below].key;
    }
  }
  return nullptr;
}

BusyNodes::Part BusyNodes::part_of(const Key& key) {
  return key.kind == "DeployItem" || key.kind == "Execution" ? Part::waits : Part::works;
}

bool BusyNodes::Taken::has(Part part, const std::string* project) const {
  const auto any = [project](const auto& of) {
    return project == nullptr ? !of.empty() : of.contains(*project);
  };
  return part == Part::works ? any(work) : any(waits) && !any(work);
}

BusyNodes::Room BusyNodes::room_for(const Key& key, Cause cause) {
  return {part_of(key), more_for(cause)};
}

bool BusyNodes::has_room(const std::string& project, const Room& room, int but) const {
  std::size_t held = 0, used = 0;
  for (const auto& [run, ended] : m_ended) {
    const auto taken = m_taken.find(run);
    if (run == but) {
      continue;
    }
    if (taken == m_taken.end()) {
      used += room.part == Part::works ? 1 : 0;  // it reads the tree
      continue;
    }
    held += taken->second.has(room.part, &project) ? 1 : 0;
    used += taken->second.has(room.part) ? 1 : 0;
  }
  const std::size_t share = (room.part == Part::works ? k_at_work : k_waiting) + room.more;
  return util::Shares{share, k_runs}.has_room(held, used);
}

bool BusyNodes::has_room(const std::string& project, Part part, Taking& taking) const {
  const auto [found, fresh] = taking.room.try_emplace({project, part});
  if (fresh) {
    found->second = has_room(project, {part, more_for(Cause::requested)}, taking.run);
  }
  return found->second;
}

void BusyNodes::wait_for_room(const std::string& project, const Key& key,
                              const engine::Trigger& cause) {
  auto& waiting = m_waiting_for_runs[project];
  if (std::none_of(waiting.begin(), waiting.end(),
                   [&](const auto& each) { return each.second.contains(key); })) {
    waiting[room_for(key, cause)].emplace(key, cause);
  }
}

void BusyNodes::visit(NodeId id, Taking& taking, bool below) {
  if (taking.seen[id]) {
    return;
  }
  taking.seen[id] = true;
  const engine::Node& node = taking.graph[id];
  const std::string project = project_of(node);
  if (!allows(project)) {
    taking.left_out.push_back(id);
    return;
  }
  const bool goes = taking.graph.deleting(id);
  const Cause cause = goes ? Cause::deleted : Cause::changed;
  if (!below && !has_room(project, part_of(node.key), taking)) {
    taking.left_out.push_back(id);
    wait_for_room(project, node.key, cause);
    return;
  }
  // Below what goes all has been looked at from there.
  const Key* taken = below                ? nullptr
                     : goes               ? taken_below(taking.graph, id)
                     : is_taken(node.key) ? &node.key
                                          : nullptr;
  if (taken != nullptr) {
    taking.left_out.push_back(id);
    m_waiting[*taken].emplace(node.key, cause);
    return;
  }
  const auto [mine, fresh] = taking.mine.nodes.try_emplace(node.key);
  ++mine->second.count;
  if (fresh) {
    ++taking.mine.of(node.key)[project];
    mine->second.project = project;
  }
  for (const NodeId child : node.children) {
    visit(child, taking, below || goes);
  }
}

std::vector<NodeId> BusyNodes::take(int run, const Graph& graph, const std::vector<NodeId>& tops) {
  const std::lock_guard lock(m_mutex);
  forget(run);  // it plans again
  Taking taking{.graph = graph, .run = run, .seen = std::vector<bool>(graph.size())};
  for (const NodeId top : tops) {
    visit(top, taking);
  }
  await_others(taking, std::exchange(m_ended[run], {}));
  m_taken[run] = std::move(taking.mine);
  return std::move(taking.left_out);
}

bool BusyNodes::await(const Graph& graph, const Key& key, const engine::Trigger& cause) {
  const std::string project = project_of(graph, key);
  const std::lock_guard lock(m_mutex);
  if (is_taken(key)) {
    m_waiting[key].emplace(key, cause);
  } else if (!has_room(project, room_for(key, cause), k_no_run)) {
    wait_for_room(project, key, cause);
  } else {
    return false;
  }
  return true;
}

// Their run may not know of what waits for them, nor this one's tree that they are ready by now.
void BusyNodes::await_others(const Taking& taking, const std::set<Key>& ended) {
  const Graph& graph = taking.graph;
  for (const engine::Node& node : graph.nodes()) {
    if (!taking.seen[node.id] || !taking.mine.nodes.contains(node.key)) {
      continue;
    }
    std::vector<NodeId> awaited = node.waits_for;
    if (node.parent != engine::k_no_node) {
      awaited.push_back(node.parent);
    }
    for (const NodeId id : awaited) {
      const engine::Node& other = graph[id];
      if (taking.mine.nodes.contains(other.key) || other.status_summary.ready == "True") {
        continue;
      }
      if (is_taken(other.key)) {
        m_waiting[other.key].emplace(node.key, Cause::changed);
      } else if (ended.contains(other.key)) {
        m_asks(node.key, Cause::changed);
      }
    }
  }
}

void BusyNodes::begin(int run) {
  const std::lock_guard lock(m_mutex);
  m_ended[run].clear();
}

void BusyNodes::ended(int run, const Key& key, bool outdated) {
  const std::lock_guard lock(m_mutex);
  const auto taken = m_taken.find(run);
  if (taken == m_taken.end()) {
    return;
  }
  if (outdated) {
    taken->second.outdated.insert(key);
  }
  auto& nodes = taken->second.nodes;
  const auto node = nodes.find(key);
  if (node == nodes.end() || --node->second.count > 0) {
    return;
  }
  auto& names = taken->second.of(key);
  const auto project = names.find(node->second.project);
  nodes.erase(node);
  tell(key);
  if (--project->second == 0) {
    names.erase(project);
    tell_room();
  }
}

void BusyNodes::ended(int run) {
  const std::lock_guard lock(m_mutex);
  forget(run);
  m_ended.erase(run);
  tell_room();
}

std::vector<Key> BusyNodes::take_outdated() {
  const std::lock_guard lock(m_mutex);
  std::vector<Key> all;
  for (auto& [run, taken] : m_taken) {
    if (taken.has(Part::waits)) {
      all.insert(all.end(), taken.outdated.begin(), taken.outdated.end());
      taken.outdated.clear();
    }
  }
  return all;
}

void BusyNodes::forget(int run) {
  const auto taken = m_taken.extract(run);
  if (taken) {
    for (const auto& [key, open] : taken.mapped().nodes) {
      tell(key);
    }
  }
}

void BusyNodes::share() {
  const std::lock_guard lock(m_mutex);
  m_allowed.emplace();
}

void BusyNodes::allow(const std::string& ns) {
  const std::lock_guard lock(m_mutex);
  m_allowed->insert(ns);
}

bool BusyNodes::disallow(const std::string& ns, const std::vector<Key>& projects) {
  const std::lock_guard lock(m_mutex);
  for (const auto& [run, taken] : m_taken) {
    for (const auto& [key, open] : taken.nodes) {
      if (key.ns == ns || std::find(projects.begin(), projects.end(), key) != projects.end()) {
        return false;
      }
    }
  }
  m_allowed->erase(ns);
  return true;
}

void BusyNodes::forbid(const std::string& ns) {
  const std::lock_guard lock(m_mutex);
  m_allowed->erase(ns);
}

bool BusyNodes::is_allowed(const Graph& graph, const Key& key) const {
  const std::string project = project_of(graph, key);
  const std::lock_guard lock(m_mutex);
  return allows(project);
}

bool BusyNodes::allows(const std::string& ns) const {
  return !m_allowed || ns.empty() || m_allowed->contains(ns);
}

void BusyNodes::tell(const Key& freed) {
  for (auto& [run, ended] : m_ended) {
    ended.insert(freed);
  }
  const auto waiting = m_waiting.extract(freed);
  if (waiting) {
    for (const auto& [key, cause] : waiting.mapped()) {
      m_asks(key, cause);
    }
  }
}

void BusyNodes::tell_room() {
  for (auto& [project, waiting] : m_waiting_for_runs) {
    std::erase_if(waiting, [&, of = std::cref(project)](const auto& each) {
      if (!has_room(of, each.first, k_no_run)) {
        return false;
      }
      for (const auto& [key, cause] : each.second) {
        m_asks(key, cause);
      }
      return true;
    });
  }
  std::erase_if(m_waiting_for_runs, [](const auto& each) { return each.second.empty(); });
}

}  // namespace kubist::executors
