#pragma once
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <kubist/engine/runner.hpp>

#include "terminal/picture.hpp"

namespace kubist::cli {

/// What is known of a run while it goes on, and how that looks. One thread at a time.
class RunPicture {
 public:
  using Time = std::chrono::steady_clock::time_point;

  void planned(const engine::Graph& graph, const std::vector<engine::NodeId>& nodes);
  void started(const engine::Node& node, engine::Mode mode, Time now);
  /// What it waits for, in one or more lines.
  void progress(const engine::Node& node, const std::string& message, Time now);
  void finished(const engine::Node& node, const engine::NodeReport& report, Time now);

  /// The tree as whole lines, no more than the terminal has: what runs or failed stays, with what
  /// it is below, and the rest goes first. The last line counts.
  std::string lines(const TerminalSize& size, bool color, Time now) const;

 private:
  enum class State { waits, runs, ready, not_ready, failed, removed };
  /// By the words of a node and of those above it, so that each follows its parent.
  using Path = std::vector<std::string>;
  struct Row {
    State state = State::waits;
    std::string message;
    Time since = {};
    bool selected = false;  ///< of this run; else it is there for those below it
  };
  using Rows = std::vector<std::pair<const Path*, const Row*>>;

  static Path path_of(const engine::Graph& graph, engine::NodeId id);
  void drop_gone(const engine::Graph& graph);
  Row& row_of(const engine::Node& node);
  void set(const engine::Node& node, State state, std::string message, Time now);
  Rows shown(std::size_t most) const;
  std::string last_line(std::size_t hidden, Time now) const;

  std::map<Path, Row> m_rows;           ///< of runs that follow each other, or go on side by side
  std::map<std::string, Path> m_paths;  ///< by node
  Time m_begin = {};
};

}  // namespace kubist::cli
