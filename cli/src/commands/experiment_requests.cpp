#include "commands.hpp"
#include "experiment_request.hpp"

namespace kubist::cli {
namespace {

template <const char* Verb>
util::Result<int> run_experiment_verb(Context& context, const Arguments& arguments) {
  return run_request(context, arguments, experiment(), Verb);
}

constexpr char k_experiment_pause[] = "pause";
constexpr char k_experiment_resume[] = "resume";
constexpr char k_experiment_abort[] = "abort";

}  // namespace

const CommandSpec& experiment_pause_command() {
  static const CommandSpec spec = request_command(
      experiment(), "experiment pause", "Stop counting in an experiment",
      "Clients stay where they are, and nothing counts, until 'kubist experiment resume'.",
      {"Pause one", "kubist experiment pause button -n shop"},
      run_experiment_verb<k_experiment_pause>);
  return spec;
}

const CommandSpec& experiment_resume_command() {
  static const CommandSpec spec = request_command(
      experiment(), "experiment resume", "Let a paused experiment go on",
      "Also where it paused because its route was edited: the route as it is now counts.",
      {"Go on", "kubist experiment resume button -n shop"},
      run_experiment_verb<k_experiment_resume>);
  return spec;
}

const CommandSpec& experiment_abort_command() {
  static const CommandSpec spec = request_command(
      experiment(), "experiment abort", "End an experiment without a winner",
      "Its route gets the weights of its own spec again; it is Aborted when they are proven.",
      {"End it and see to it", "kubist experiment abort button -n shop --wait"},
      run_experiment_verb<k_experiment_abort>);
  return spec;
}

}  // namespace kubist::cli
