#include "experiment_request.hpp"

#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/release/experiment_progress.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

using data::Json;
using util::cat;

const Askable& experiment() {
  static constexpr Askable what{"Experiment", "experiment", experiment_line, experiment_exit_code,
                                Completes::experiments};
  return what;
}

std::string experiment_line(const Json& experiment) {
  const std::string_view reason = data::string_at(experiment, {"status", "reason"});
  const std::string_view message = data::string_at(experiment, {"status", "message"});
  const std::string_view winner = data::string_at(experiment, {"status", "winner"});
  return cat(data::string_at(experiment, {"metadata", "name"}), ": ",
             data::string_at(experiment, {"status", "state"}, "Pending"),
             winner.empty() ? "" : cat(", winner ", winner),
             reason.empty() ? "" : cat(", ", reason), message.empty() ? "" : cat(": ", message));
}

int experiment_exit_code(const Json& experiment) {
  switch (experiment::read_state(data::string_at(experiment, {"status", "state"}))) {
    case experiment::State::finished:
      return k_ok;
    case experiment::State::aborted:
      return k_rolled_back;
    default:
      return k_not_ready;
  }
}

}  // namespace kubist::cli
