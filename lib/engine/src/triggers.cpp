#include <algorithm>
#include <utility>
#include <vector>

#include <kubist/data/pointer.hpp>
#include <kubist/engine/made_items.hpp>
#include <kubist/engine/status.hpp>
#include <kubist/engine/triggers.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

namespace kubist::engine {

std::string_view to_string(Cause cause) {
  static constexpr util::Word<Cause> k_words[] = {
      {Cause::created, "created"},     {Cause::changed, "changed"}, {Cause::deleted, "deleted"},
      {Cause::requested, "requested"}, {Cause::drift, "drift"},     {Cause::due, "due"},
      {Cause::retry, "retry"},         {Cause::resync, "resync"}};
  return util::word_of(k_words, cause);
}

std::string to_string(const Trigger& trigger) {
  return trigger.of.empty() ? std::string(to_string(trigger.cause))
                            : util::cat(to_string(trigger.cause), " (", trigger.of, ')');
}

std::optional<Cause> cause_of(const Json* before, const Json* after) {
  if (!after) {
    return Cause::deleted;
  }
  if (!before) {
    return Cause::created;
  }
  resources::ObjectView was(*before);
  resources::ObjectView is(*after);
  if (was.uid() != is.uid()) {
    return Cause::created;
  }
  if (was.deletion_timestamp().empty() && !is.deletion_timestamp().empty()) {
    return Cause::deleted;
  }
  // A terminating object whose finalizers change is on its way: the last one may be ours.
  if (!is.deletion_timestamp().empty() && was.finalizers() != is.finalizers()) {
    return Cause::deleted;
  }
  if (was.annotation(resources::k_request_annotation) !=
          is.annotation(resources::k_request_annotation) &&
      !is.annotation(resources::k_request_annotation).empty()) {
    return Cause::requested;
  }
  // Labels of virtual clusters say what is kept there.
  const bool selected_anew = is.kind() == "VirtualCluster" && was.labels() != is.labels();
  if (was.generation() != is.generation() || selected_anew) {
    return Cause::changed;
  }
  return std::nullopt;
}

namespace {

// One may stand for a kind's own executor, so also those that name none.
std::vector<Key> users_of_executor(const Graph& graph, const Key& definition) {
  std::vector<Key> keys;
  for (const Node& node : graph.nodes()) {
    if (!node.executor || util::iequals(node.executor->name, definition.name)) {
      keys.push_back(node.key);
    }
  }
  return keys;
}

/// Below which the DeployItems that Executions make are held to that policy.
std::vector<NodeId> imposers_on_items(const Graph& graph, const Key& definition) {
  std::vector<NodeId> ids;
  for (const Node& node : graph.nodes()) {
    if (definition.ns.empty() && imposes_on_items(node, definition.name)) {
      ids.push_back(node.id);
    }
  }
  return ids;
}

bool is_below(const Graph& graph, const Node& node, const std::vector<NodeId>& above) {
  NodeId up = above.empty() ? k_no_node : node.parent;
  while (up != k_no_node && std::ranges::find(above, up) == above.end()) {
    up = graph[up].parent;
  }
  return up != k_no_node;
}

std::vector<Key> users_of_policy(const Graph& graph, const Key& definition) {
  std::vector<Key> keys;
  const auto imposers = imposers_on_items(graph, definition);
  for (const Node& node : graph.nodes()) {
    const bool reaches = definition.ns.empty() || definition.ns == project_of(node);
    const bool runs = std::ranges::any_of(node.policies, [&](const resources::NamedCall& policy) {
      return policy.name == definition.name && (policy.imposed_by.empty() || definition.ns.empty());
    });
    const bool makes = node.key.kind == "Execution" && is_below(graph, node, imposers);
    if (reaches && (runs || makes)) {
      keys.push_back(node.key);
    }
  }
  return keys;
}

}  // namespace

std::vector<Key> affected(const Graph& graph, const Key& object, Cause cause) {
  if (object.kind == "PolicyDefinition" || object.kind == "ClusterPolicyDefinition") {
    return users_of_policy(graph, object);
  }
  if (object.kind == "ExecutorDefinition") {
    return users_of_executor(graph, object);
  }
  auto nodes = graph.find(object);
  std::vector<Key> keys;
  bool gone = nodes.empty() || (cause == Cause::deleted && !graph[nodes.front()].deleting);
  if (!gone) {
    keys.push_back(object);
  }
  for (NodeId id : nodes) {
    if (gone) {
      const NodeId parent = graph[id].parent;
      keys.push_back(parent == k_no_node ? object : graph[parent].key);
    }
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

namespace {

/// Which of two causes a run is said to have: a person asks seldom, and waits for the answer.
enum class Weight { own, drift, person };

Weight weight_of(Cause cause) {
  const bool own = cause == Cause::due || cause == Cause::retry || cause == Cause::resync;
  return own ? Weight::own : cause == Cause::drift ? Weight::drift : Weight::person;
}

}  // namespace

// What throws half-way leaves a place in the queue whose entry is not there, or has another time:
// it is passed over when its time comes. An entry without a place would never be due.
void Schedule::add(const Key& key, Time when, const Trigger& cause) {
  const auto found = m_entries.find(key);
  if (found == m_entries.end()) {
    m_queue.emplace(when, key);
    m_entries.emplace(key, Entry{when, cause});
    ++m_added;
    return;
  }
  Entry& entry = found->second;
  const bool sooner = when < entry.when;
  const Weight present = weight_of(entry.cause);
  const Weight added = weight_of(cause);
  if (added > present || (added == present && sooner)) {
    entry.cause = cause;
  }
  if (sooner) {
    m_queue.emplace(when, key);
    m_queue.erase({std::exchange(entry.when, when), key});
  }
}

std::optional<Schedule::Time> Schedule::next() const {
  return m_queue.empty() ? std::nullopt : std::optional(m_queue.begin()->first);
}

std::vector<Schedule::Due> Schedule::take_due(Time now, const Graph& graph) {
  std::map<Key, Trigger> due;
  while (!m_queue.empty() && m_queue.begin()->first <= now) {
    const auto found = m_entries.find(m_queue.begin()->second);
    if (found != m_entries.end() && found->second.when <= now) {
      due.emplace(found->first, found->second.cause);
      m_entries.erase(found);
    }
    m_queue.erase(m_queue.begin());
  }
  auto covered = [&](const Key& key) {
    for (NodeId id : graph.find(key)) {
      NodeId up = graph[id].parent;
      while (up != k_no_node && !due.contains(graph[up].key)) {
        up = graph[up].parent;
      }
      if (up == k_no_node) {
        return false;
      }
    }
    return !graph.find(key).empty();
  };
  std::vector<Due> out;
  for (const auto& [key, cause] : due) {
    if (!covered(key)) {
      out.push_back({key, cause});
    }
  }
  return out;
}

void schedule_from(Schedule& schedule, const Report& report, const Graph& graph, Schedule::Time now,
                   const std::function<int(const Key&)>& failures) {
  for (const NodeReport& node : report.nodes) {
    if (node.requeue_after) {
      const bool failed = node.state == NodeState::failed;
      const bool counted = failed && failures && graph[node.id].foreign_status;
      const auto pause = counted ? std::max(*node.requeue_after,
                                            retry_delay(failures(node.key), util::random_unit()))
                                 : *node.requeue_after;
      schedule.add(node.key, now + pause, failed ? Cause::retry : Cause::due);
    }
    const auto tell = [&](NodeId waiting, Cause cause) {
      if (!report.find(waiting)) {
        schedule.add(graph[waiting].key, now, cause);
      }
    };
    // What waited for a node outside the run hears that it became Ready, or that it is gone.
    if (node.ready && node.mode == Mode::align && graph[node.id].status_summary.ready != "True") {
      for (NodeId dependent : graph[node.id].waited_by) {
        tell(dependent, Cause::changed);
      }
    }
    if (node.ready && node.mode == Mode::remove) {
      std::vector<NodeId> waiting = graph[node.id].waits_for;
      if (graph[node.id].parent != k_no_node) {
        waiting.push_back(graph[node.id].parent);
      }
      for (NodeId each : waiting) {
        if (graph.deleting(each)) {
          tell(each, Cause::deleted);
        }
      }
    }
  }
}

}  // namespace kubist::engine
