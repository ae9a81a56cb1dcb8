#include "item/job.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/upstream.hpp>

namespace kubist::deployers {

ItemOutcome outcome_of(const Session& session, Progress::State state, bool ran, std::string reason,
                       std::string message) {
  const Json status = session.status();
  return {state,
          ran,
          std::string(data::string_at(status, {"phase"})),
          std::move(reason),
          std::move(message),
          {},
          session.object(),
          {}};
}

ItemOutcome outcome_of_item(const Json& deploy_item) {
  const Json status = from_upstream_status(sound_status(deploy_item));
  ItemOutcome outcome;
  outcome.item = deploy_item;
  outcome.phase = data::string_at(status, {"phase"});
  if (outcome.phase == phase::k_failed || outcome.phase == phase::k_delete_failed) {
    outcome.state = Progress::State::failed;
    outcome.reason = data::string_at(status, {"lastError", "reason"}, "Failed");
    outcome.message = data::string_at(status, {"lastError", "message"});
    return outcome;
  }
  const bool done = is_success(outcome.phase) && !job_pending(status);
  outcome.state = done ? Progress::State::done : Progress::State::running;
  outcome.reason = done ? "Succeeded" : "Pending";
  return outcome;
}

ItemOutcome as_it_stands(const Session& session, bool ran) {
  ItemOutcome outcome = outcome_of_item(session.object());
  outcome.ran = ran;
  return outcome;
}

util::Result<Place> find_place(World& world, const Item& item) {
  auto place = world.place_of(item.ns, runs_at_home(item) ? std::string() : item.target);
  if (!place && place.error().kind == util::ErrorKind::not_found) {
    return util::fail(util::with_default_reason(place.error(), "NoTargetFound"));
  }
  return place && item.deleting ? place->for_removal() : place;
}

void fill_job(const Session& session, const World& world, Job& job) {
  const Json status = session.status();
  job.id = std::string(data::string_at(status, {"jobID"}));
  // initTime has whole seconds: a timeout of 1s must not be over before it began.
  const auto now = world.clock->now();
  job.started = std::min(now, taken_up_at(status).value_or(now) + std::chrono::milliseconds(999));
}

std::optional<std::chrono::milliseconds> set_remaining(Job& job, const Item& item,
                                                       const World& world) {
  if (!item.timeout) {
    return std::nullopt;
  }
  const auto left = job.started + *item.timeout - world.clock->now();
  job.remaining = std::chrono::ceil<std::chrono::seconds>(left);
  return std::chrono::ceil<std::chrono::milliseconds>(left);
}

}  // namespace kubist::deployers
