#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/executors/replica.hpp>
#include <kubist/executors/watch_loop.hpp>

#include "controller/instruments.hpp"

namespace kubist::cli {

/// What the controller counts, under controller-runtime's and client-go's names where theirs fit:
/// docs/how-to/controller.md lists them. Any thread.
class Telemetry {
 public:
  Telemetry();
  /// The home cluster's address; before the first request.
  void home(std::string_view server);
  /// A request to an API server: its method, its URL and the status of the answer, 0 for none.
  void requested(std::string_view method, std::string_view url, int status);
  /// What asks for a run.
  void starting(const std::vector<engine::Schedule::Due>& due);
  void finished(const executors::Run& run);
  void turned(const executors::LoopState& state);

  /// In Prometheus' text form, with what the process takes now.
  std::string text();

 private:
  Instruments m_instruments;
  std::string m_home;  ///< host and port
};

}  // namespace kubist::cli
