#pragma once
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kubist/engine/graph.hpp>

namespace kubist::engine {

/// How far a node of a plan is. done, failed, blocked and skipped are final.
enum class NodeState {
  waiting,  ///< for its parent, its dependencies, or kinds that come first
  ready,    ///< may start
  running,  ///< started, not finished
  done,     ///< aligned or removed as far as this run goes
  failed,   ///< ended with an error
  blocked,  ///< not started, because of another node (reason, cause)
  skipped,  ///< not started on purpose: suspended, or the run was stopped
};
std::string_view to_string(NodeState state);
bool is_final(NodeState state);

/// What a step does with its node.
enum class Mode { align, remove };

/// How a running node ended.
struct Verdict {
  NodeState state = NodeState::done;  ///< done or failed
  bool ready = true;                  ///< align: own Ready is True. remove: it is gone
  bool children = true;               ///< align: may children start? remove: ignored
  std::string reason;                 ///< CamelCase, for blocked ones and the report
};

/// The nodes that run after a node, however it ends (Executor::followers). Those that it depends on
/// run before it all the same.
using Followers = std::function<std::vector<Key>(const Node&)>;

/// The order of work over a graph as a pure state machine: no I/O, no clock, no threads.
///
/// Align: a node starts after its parent allowed children, its dependencies are Ready, and its
/// siblings of earlier kinds have ended. Remove (being deleted, or below such a node): backwards,
/// after its children and all that depend on it are gone. A node that fails or is not Ready blocks
/// its subtree and what depends on it, and nothing else. Nodes outside the selection count with
/// their recorded status.
class Plan {
 public:
  /// `selected`: subtrees to work on. `mode` remove treats all of them as being deleted.
  /// REQUIRES: `graph` outlives the plan.
  /// `followers` is called here only, for each node to align; null: none has any.
  /// `left_out`: subtrees that are outside the selection all the same.
  Plan(const Graph& graph, const std::vector<NodeId>& selected, Mode mode = Mode::align,
       const Followers& followers = nullptr, const std::vector<NodeId>& left_out = {});

  /// Takes the next ready node (it becomes running), best first; nothing when none is ready now.
  std::optional<NodeId> next();
  /// Lets the children of a running node start already, whatever it comes to in the end.
  void release_children(NodeId id);
  /// Ends a running node.
  void finish(NodeId id, const Verdict& verdict);
  /// Starts nothing more: all waiting and ready nodes become skipped with this reason.
  void stop(const std::string& reason);
  /// Are all selected nodes in a final state?
  bool finished() const { return m_open == 0; }
  std::size_t running() const { return m_running; }

  /// Nodes that became final without running since the last call, in order.
  std::vector<NodeId> take_settled();
  /// Nodes all of whose selected subtree became final since the last call, children first.
  std::vector<NodeId> take_complete_subtrees();

  bool selected(NodeId id) const { return m_entries[id].selected; }
  NodeState state(NodeId id) const { return m_entries[id].state; }
  Mode mode(NodeId id) const { return m_entries[id].mode; }
  /// align: did it end Ready? remove: is it gone?
  bool ready(NodeId id) const { return m_entries[id].ready; }
  /// Why it is blocked, skipped or failed before it ran: ParentNotReady, DependencyNotReady,
  /// Suspended, Cancelled, ChildrenRemain, ... Empty otherwise.
  const std::string& reason(NodeId id) const { return m_entries[id].reason; }
  /// The node at fault for `blocked`; k_no_node when none.
  NodeId cause(NodeId id) const { return m_entries[id].cause; }

 private:
  struct Entry {
    bool selected = false;
    bool ready = false;
    Mode mode = Mode::align;
    NodeState state = NodeState::waiting;
    unsigned hard = 0;          ///< parent and dependencies that have not ended yet
    bool behind = false;        ///< kinds that come first have not ended yet
    bool children = false;      ///< may its children start?
    bool released = false;      ///< its children know that already
    std::size_t rank_slot = 0;  ///< its place in Siblings::ranks
    unsigned open_below = 0;    ///< selected nodes of its subtree, itself included, not final yet
    NodeId cause = k_no_node;
    std::string reason;
  };
  /// Siblings of one mode, by rank in the order in which they run: one rank at a time.
  struct Siblings {
    std::vector<std::vector<NodeId>> ranks;
    std::vector<std::size_t> open;  ///< nodes of the rank that have not ended
    std::size_t current = 0;
  };
  void include(const std::vector<NodeId>& selected, Mode mode, const std::vector<NodeId>& left_out);
  void order_followers(const Followers& followers);
  void group_siblings();
  void begin(NodeId id);
  void begin_align(NodeId id);
  void begin_remove(NodeId id);
  void settle(NodeId id, NodeState state, std::string reason, NodeId cause);
  void drain();
  void ended(NodeId id);
  void after_align(NodeId id);
  void tell_children(NodeId id);
  void after_remove(NodeId id);
  void free_or_block(NodeId id, bool free, const char* reason, NodeId cause);
  void make_ready(NodeId id);
  void advance_siblings(NodeId id);
  void break_deadlock();
  Siblings& siblings_of(NodeId id);

  const Graph& m_graph;
  std::vector<Entry> m_entries;
  std::map<std::pair<NodeId, Mode>, Siblings> m_siblings;
  /// What runs after a node, however that ends.
  std::multimap<NodeId, NodeId> m_followers;
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> m_ready;  ///< kind order
  std::vector<NodeId> m_ended;  ///< final, consequences not drawn yet
  std::vector<NodeId> m_settled;
  std::vector<NodeId> m_complete;
  std::size_t m_open = 0;
  std::size_t m_running = 0;
};

}  // namespace kubist::engine
