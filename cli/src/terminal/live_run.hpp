#pragma once
#include <memory>
#include <mutex>
#include <thread>

#include <kubist/cli/context.hpp>
#include <kubist/engine/runner.hpp>

#include "terminal/run_picture.hpp"

namespace kubist::cli {

/// Draws the tree of a run on the terminal behind standard error while it goes on, a few times a
/// second. What fails is a line that stays, too. From its end on the terminal is as without it.
class LiveRun final : public engine::Observer {
 public:
  explicit LiveRun(Context& context);
  ~LiveRun() override;
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  void planned(const engine::Graph& graph, const std::vector<engine::NodeId>& nodes) override;
  void started(const engine::Node& node, engine::Mode mode) override;
  void progress(const engine::Node& node, const std::string& message) override;
  void finished(const engine::Node& node, const engine::NodeReport& report) override;

 private:
  void draw();
  Context& m_context;
  std::mutex m_mutex;
  RunPicture m_picture;
  std::jthread m_thread;
};

/// --progress: how a run is followed.
Flag progress_flag();

/// Who follows a run: the tree on a terminal, else lines, or as --progress says.
std::unique_ptr<engine::Observer> progress_of(Context& context);

}  // namespace kubist::cli
