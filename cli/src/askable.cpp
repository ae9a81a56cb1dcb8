#include "askable.hpp"

#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/release/experiment_progress.hpp>
#include <kubist/release/states.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

using data::Json;
using util::cat;

namespace {

/// "NAME: STATE", what it has come to, and the reason.
std::string line_of(const Json& object, const std::string& reached) {
  const std::string_view reason = data::string_at(object, {"status", "reason"});
  const std::string_view message = data::string_at(object, {"status", "message"});
  return cat(data::string_at(object, {"metadata", "name"}), ": ",
             data::string_at(object, {"status", "state"}, "Pending"), reached,
             reason.empty() ? "" : ", ", reason, message.empty() ? "" : ": ", message);
}

std::string canary_line(const Json& release) {
  const auto weight = data::int_at(release, {"status", "weight"});
  const bool has_weight = weight > 0 || data::bool_at(release, {"status", "atZero"});
  return line_of(release, has_weight ? cat(" at ", weight, " %") : "");
}

release::State release_state(const Json& release) {
  return release::read_state(data::string_at(release, {"status", "state"}));
}

int canary_exit_code(const Json& release) {
  switch (release_state(release)) {
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

std::string experiment_line(const Json& experiment) {
  const std::string_view winner = data::string_at(experiment, {"status", "winner"});
  return line_of(experiment, winner.empty() ? "" : cat(", winner ", winner));
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

}  // namespace

const Askable& canary() {
  static constexpr Askable what{
      "CanaryRelease",
      "canary",
      canary_line,
      canary_exit_code,
      [](const Json& release) { return release::is_final(release_state(release)); },
      Completes::canaries};
  return what;
}

const Askable& experiment() {
  static constexpr Askable what{
      "Experiment",
      "experiment",
      experiment_line,
      experiment_exit_code,
      [](const Json& experiment) { return experiment_exit_code(experiment) != k_not_ready; },
      Completes::experiments};
  return what;
}

kube::ApiResource resource_of(const Askable& what) {
  return executors::resource_of(*resources::find_kind(resources::k_kubist_group, what.kind));
}

engine::Key asked_key(const Askable& what, const std::string& ns, const std::string& word) {
  return {std::string(resources::k_kubist_group), std::string(what.kind), ns,
          word.substr(word.find('/') + 1)};
}

util::Result<Json> get_asked(kube::Client& client, const Askable& what, const engine::Key& key,
                             const std::stop_token& stop) {
  KUBIST_TRY(auto found, client.find(resource_of(what), key.ns, key.name, stop));
  if (!found) {
    return util::fail(util::ErrorKind::not_found,
                      cat("there is no ", what.kind, ' ', key.name, " in namespace ", key.ns),
                      cat("See 'kubist ", what.command, " list -A'."));
  }
  return *std::move(found);
}

util::Result<Json> get_asked(Context& context, const Arguments& arguments, const Askable& what) {
  KUBIST_TRY(const std::string ns, context.ns());
  KUBIST_TRY(const auto client, context.client());
  return get_asked(*client, what, asked_key(what, ns, arguments.words().front()), context.stop());
}

}  // namespace kubist::cli
