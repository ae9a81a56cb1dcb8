#include "terminal/live_run.hpp"

#include <unistd.h>

#include <kubist/util/clock.hpp>
#include <kubist/util/threads.hpp>

#include "output/progress_lines.hpp"

namespace kubist::cli {

using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds k_between{200};

}  // namespace

LiveRun::LiveRun(Context& context) : m_context(context) {
  // Without the thread there is no picture, and the run goes on.
  if (auto thread = util::start_thread([this](const std::stop_token& stop) {
        while (util::sleep_for(k_between, stop)) {
          static_cast<void>(util::guarded([&] { draw(); }));
        }
      })) {
    m_thread = std::move(*thread);
  }
}

LiveRun::~LiveRun() {
  m_thread.request_stop();
  if (m_thread.joinable()) {
    m_thread.join();
  }
  m_context.picture().clear();
}

void LiveRun::draw() {
  const TerminalSize size = terminal_size(STDERR_FILENO);
  std::string lines;
  {
    const std::lock_guard lock(m_mutex);
    lines = m_picture.lines(size, m_context.err_color(), Clock::now());
  }
  m_context.picture().draw(lines, size.columns);
}

void LiveRun::planned(const engine::Graph& graph, const std::vector<engine::NodeId>& nodes) {
  const std::lock_guard lock(m_mutex);
  m_picture.planned(graph, nodes);
}

void LiveRun::started(const engine::Node& node, engine::Mode mode) {
  const std::lock_guard lock(m_mutex);
  m_picture.started(node, mode, Clock::now());
}

void LiveRun::progress(const engine::Node& node, const std::string& message) {
  const std::lock_guard lock(m_mutex);
  m_picture.progress(node, message, Clock::now());
}

void LiveRun::finished(const engine::Node& node, const engine::NodeReport& report) {
  {
    const std::lock_guard lock(m_mutex);
    m_picture.finished(node, report, Clock::now());
  }
  if (report.state == engine::NodeState::failed) {
    m_context.log().line(failure_line(node, report));
  }
}

Flag progress_flag() {
  return choice_flag(
      "progress", 0, "FORM",
      "how to follow the run on standard error: the tree as it is now, or a line for "
      "each change; auto: the tree on a terminal, without -v",
      "auto", {"auto", "tree", "lines"});
}

std::unique_ptr<engine::Observer> progress_of(Context& context) {
  const std::string form = context.arguments().text("progress");
  const bool tree = form == "tree" ||
                    (form == "auto" && context.err_is_terminal() && context.log().verbosity() == 0);
  return tree ? std::unique_ptr<engine::Observer>(std::make_unique<LiveRun>(context))
              : std::make_unique<ProgressLines>(context.log());
}

}  // namespace kubist::cli
