#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/engine/runner.hpp>
#include <kubist/util/fair_queue.hpp>

#include "event_queue.hpp"
#include "steps.hpp"
#include "worker_pool.hpp"

namespace kubist::engine {

/// What the loop keeps about one selected node. Only the loop's thread touches it; workers get
/// copies or look at parts that do not change while they run.
struct NodeRun {
  std::optional<PolicyVerdict> policies;
  std::optional<CallAnswers> answers;    ///< to what its policies called for
  Json status;                           ///< as last written or read
  int writing = 0;                       ///< how many writes of it are under way
  bool tree_recorded = false;            ///< its TreeReady was
  bool tree_early = false;               ///< then children were being written: check_tree()
  std::optional<HandledRequest> answer;  ///< for when what is below has ended
  std::optional<Steady> settle_until;
  std::string waits_for;          ///< as its step last said
  bool telling = false;           ///< it is in m_tellings
  std::shared_ptr<Telling> step;  ///< at work; shared with that and what is written
};

/// What is worked on has places of its own: nodes that wait for others hold up no other nodes, and
/// neither do servers that say nothing or policies. Each project has its share of them.
enum class Lane { step, wait, reach, policy };

/// What waits for a place in a lane.
struct Task {
  NodeId id;                  ///< whose project it counts for
  std::function<void()> job;  ///< null: the node's executor is to be called
};

/// The places of one lane, and threads for them.
struct LanePlaces {
  explicit LanePlaces(util::Shares shares) : queue(shares), pool(shares.total) {}
  util::FairQueue<Task> queue;
  WorkerPool pool;
};

/// One run from beginning to end: the loop's thread starts nodes as the plan frees them, waits for
/// what workers report, and records what became of each node.
class Runner {
  // The order of a project's tasks in a lane; nodes that were not looked at yet are in their own.
  static constexpr std::size_t k_write = 0;
  static constexpr std::size_t k_again = 1;
  static constexpr std::size_t k_first = 2;

 public:
  Runner(const Graph& graph, const std::vector<NodeId>& selected, const RunInfo& info,
         const RunOptions& options, const RunParts& parts, const std::stop_token& stop);
  Report run();

 private:
  void prepare_report();
  NodeReport& report_of(NodeId id);
  Lane lane_of(NodeId id) const;
  LanePlaces& at(Lane lane) { return m_lanes[static_cast<std::size_t>(lane)]; }
  bool is_at_work() const;
  void add(Lane lane, std::size_t order, NodeId id, std::function<void()> job = nullptr);
  void free_place(Lane lane, NodeId id);

  // --- starting ---
  void start_work();
  void make_due(NodeId id, std::size_t order = k_again);
  void begin_node(NodeId id);
  void start_planned(NodeId id, std::vector<NodeId>& wave);
  std::function<void()> start_node(NodeId id);
  void start_gathering(NodeId id);
  void start_calls(NodeId id);
  void start_policies(const std::vector<NodeId>& wave);
  void start_wave(std::vector<NodeId> wave);
  void take_due();

  // --- waiting ---
  void wait_one();
  void handle(StepResult& result);
  static void merge(NodeReport& report, NodeReport& step);
  void handle(Gathered& gathered);
  void handle(PoliciesRan& ran);
  void handle(Progressed& progressed);
  void handle(Told& told);
  void handle(Recorded& recorded);
  void take_status(StepResult& result);

  // --- ending ---
  void end_node(NodeId id, const Verdict& verdict);
  void cancel_node(NodeId id);
  void stop_work();
  void after_plan_moved();
  void plan_telling(NodeId id);
  void start_telling(NodeId id);
  void record_settled(NodeId id, NodeReport& report);
  Json newest_status(NodeId id) const;
  TreeOf tree_of(NodeId id) const;
  void record_subtree(NodeId id);
  void record_tree_ready(NodeId id, const TreeOf& tree_of);
  void check_tree(NodeId id);
  bool has_child_in_writing(NodeId id) const;
  void add_record(NodeId id, std::function<StepResult()> record);
  void record_above();
  Report finish();

  const Graph& m_graph;
  RunOptions m_options;
  const RunParts& m_parts;
  std::stop_token m_stop;
  StepContext m_context;
  Plan m_plan;
  std::vector<NodeRun> m_runs;
  std::vector<NodeId> m_order;
  Report m_report;
  Steady m_started;
  std::size_t m_writes_above = 0;
  std::vector<NodeId> m_gathered;               ///< nodes whose policies can run now
  std::multimap<Steady, NodeId> m_parked;       ///< nodes to look at again then
  std::multimap<Steady, NodeId> m_tellings;     ///< nodes whose status shall say what they wait for
  std::map<NodeId, Verdict> m_waiting_verdict;  ///< what parked nodes came to so far
  EventQueue m_events;
  std::array<LanePlaces, 4> m_lanes;  ///< last: their threads end before anything that they use
};

}  // namespace kubist::engine
