#pragma once
#include <compare>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <kubist/engine/graph.hpp>
#include <kubist/engine/triggers.hpp>
#include <kubist/util/fair_queue.hpp>

namespace kubist::executors {

/// Which nodes the runs that are under way still have to end, so that no two are at work on one
/// node, and no project has more than its share of the runs; and who waits for that. Runs that have
/// nothing left but executions and items, which may wait for their pods for good, have a share of
/// their own: 64 of a project, beside 16 at work. Any thread.
class BusyNodes {
 public:
  /// `asks` is told what waited for a node that has ended.
  using Asks = std::function<void(const engine::Key&, const engine::Trigger&)>;
  explicit BusyNodes(Asks asks) : m_asks(std::move(asks)) {}

  /// Is it an execution or an item, at whose end nothing is worked on, but waited for?
  static bool only_waits(const engine::Key& key) { return part_of(key) == Part::waits; }

  /// From here on that run reads the tree, to plan by it.
  void begin(int run);
  /// Takes the subtrees of `tops` for that run, but those that others have, and those of projects
  /// at which enough runs are at work; these are returned. Of a node that goes all or nothing is
  /// taken, since what is below goes first. What is not taken waits. So does what is taken, where a
  /// node of another run keeps it from going on.
  std::vector<engine::NodeId> take(int run, const engine::Graph& graph,
                                   const std::vector<engine::NodeId>& tops);
  /// One node of that name has ended in that run. `outdated`: as its plan holds no more; the run
  /// plans it again when all of its nodes have ended.
  void ended(int run, const engine::Key& key, bool outdated = false);
  /// The run has ended.
  void ended(int run);
  /// What ended as outdated in runs that have nothing left but executions and items, so that it
  /// would wait for these. Each once.
  std::vector<engine::Key> take_outdated();

  /// Where that node is busy, or enough runs are at work at its project: true, and `key` waits for
  /// that. What is due by its own time, such as a rollback, has eight more runs, and what a person
  /// asks for another eight.
  bool await(const engine::Graph& graph, const engine::Key& key, const engine::Trigger& cause);

  // Where others share the projects, which are known by their namespaces.
  /// From now on take() leaves out all projects but those that are allowed; nobody waits for them.
  void share();
  void allow(const std::string& ns);
  /// Takes that back. False, and it stays allowed: a run is at work on these, or in the namespace.
  bool disallow(const std::string& ns, const std::vector<engine::Key>& projects);
  /// The same, whoever is at work there.
  void forbid(const std::string& ns);
  /// Is it of a project that is allowed, or of none that the graph knows?
  bool is_allowed(const engine::Graph& graph, const engine::Key& key) const;

 private:
  using Asked = std::map<engine::Key, engine::Trigger>;
  /// What a run does at a project: work on its nodes, or only wait for the ends of items.
  enum class Part { works, waits };
  static Part part_of(const engine::Key& key);
  /// What a run has still to end.
  struct Taken {
    struct Open {
      std::size_t count = 0;  ///< nodes of that name
      std::string project;
    };
    std::map<engine::Key, Open> nodes;
    /// By project, how many of the names are of it: those to work on, and those that only wait.
    std::map<std::string, std::size_t> work, waits;
    std::set<engine::Key> outdated;

    std::map<std::string, std::size_t>& of(const engine::Key& key) {
      return part_of(key) == Part::works ? work : waits;
    }
    /// Is it the run's part at that project (null: at all of them together)? While there is
    /// something to work on, it works.
    bool has(Part part, const std::string* project = nullptr) const;
  };
  bool is_taken(const engine::Key& key) const;
  const engine::Key* taken_below(const engine::Graph& graph, engine::NodeId id) const;
  /// What take() has come to so far.
  struct Taking {
    const engine::Graph& graph;
    const int run;
    Taken mine = {};
    std::vector<engine::NodeId> left_out = {};
    std::vector<bool> seen;
    std::map<std::pair<std::string, Part>, bool> room = {};  ///< by project
  };
  /// For one part at a project, and for causes that get so many runs more.
  struct Room {
    Part part;
    std::size_t more;
    auto operator<=>(const Room&) const = default;
  };
  static Room room_for(const engine::Key& key, engine::Cause cause);
  bool has_room(const std::string& project, const Room& room, int but) const;
  bool has_room(const std::string& project, Part part, Taking& taking) const;
  void wait_for_room(const std::string& project, const engine::Key& key,
                     const engine::Trigger& cause);
  /// `below`: a node above it goes, and is taken.
  void visit(engine::NodeId id, Taking& taking, bool below = false);
  void await_others(const Taking& taking, const std::set<engine::Key>& ended);
  void forget(int run);
  void tell(const engine::Key& freed);
  void tell_room();
  bool allows(const std::string& ns) const;

  Asks m_asks;
  mutable std::mutex m_mutex;
  std::map<int, Taken> m_taken;            ///< by run
  std::map<engine::Key, Asked> m_waiting;  ///< by what they wait for
  /// By project: what waits until fewer runs are at work there. It can be a whole namespace, so
  /// each end of a run asks for the few kinds of room, and not for each key.
  std::map<std::string, std::map<Room, Asked>> m_waiting_for_runs;
  /// By run, all of them: what has ended since it began to read the tree.
  std::map<int, std::set<engine::Key>> m_ended;
  std::optional<std::set<std::string>> m_allowed;  ///< nothing: all
};

}  // namespace kubist::executors
