#include "commands.hpp"
#include "request.hpp"

namespace kubist::cli {

CommandSpec experiment_pause_command() {
  return request_command(
      experiment(), "experiment pause", "Stop counting in an experiment",
      "Clients stay where they are, and nothing counts, until 'kubist experiment resume'.",
      {"Pause one", "kubist experiment pause button -n shop"});
}

CommandSpec experiment_resume_command() {
  return request_command(
      experiment(), "experiment resume", "Let a paused experiment go on",
      "Also where it paused because its route was edited: the route as it is now counts.",
      {"Go on", "kubist experiment resume button -n shop"});
}

CommandSpec experiment_abort_command() {
  return request_command(
      experiment(), "experiment abort", "End an experiment without a winner",
      "Its route gets the weights of its spec again; it is Aborted when they are proven.",
      {"End it and see to it", "kubist experiment abort button -n shop --wait"});
}

}  // namespace kubist::cli
