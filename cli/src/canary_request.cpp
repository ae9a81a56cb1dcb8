#include "canary_request.hpp"

#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/release/states.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

using data::Json;
using util::cat;

const Askable& canary() {
  static constexpr Askable what{"CanaryRelease", "canary", canary_line, canary_exit_code,
                                Completes::canaries};
  return what;
}

std::string canary_line(const Json& release) {
  const std::string_view state = data::string_at(release, {"status", "state"}, "Pending");
  std::string line = cat(data::string_at(release, {"metadata", "name"}), ": ", state);
  if (const auto weight = data::int_at(release, {"status", "weight"});
      weight > 0 || data::bool_at(release, {"status", "atZero"})) {
    line += cat(" at ", weight, " %");
  }
  const std::string_view reason = data::string_at(release, {"status", "reason"});
  const std::string_view message = data::string_at(release, {"status", "message"});
  return cat(line, reason.empty() ? "" : ", ", reason, message.empty() ? "" : ": ", message);
}

int canary_exit_code(const Json& release) {
  switch (release::read_state(data::string_at(release, {"status", "state"}))) {
    case release::State::succeeded:
      return k_ok;
    case release::State::rolled_back:
    case release::State::aborted:
      return k_rolled_back;
    case release::State::failed:
      return k_error;
    default:
      return k_not_ready;
  }
}

}  // namespace kubist::cli
