#include "policy/release_policy.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/release/states.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::policies {

util::Result<ReleaseView> read_release(const Json& list) {
  ReleaseView view;
  KUBIST_TRY(view.now, util::parse_time(data::string_at(list, {"functionConfig", "now"})));
  const Json& items = list["items"];
  view.state = data::string_at(items[0], {"status", "state"});
  view.weight = data::count_at(items[0], {"status", "weight"});
  view.moved = view.weight != 0 || data::bool_at(items[0], {"status", "atZero"});
  view.wave = data::count_at(items[0], {"status", "wave", "number"}, 1) - 1;
  view.waves = data::count_at(items[0], {"status", "wave", "of"}, 1);
  if (const auto since = util::parse_time(data::string_at(items[0], {"status", "observedAt"}))) {
    view.observed_at = *since;
  }
  for (const Json& item : items) {
    if (data::string_at(item, {"kind"}) == "ReleaseObservation") {
      view.target = data::string_at(item, {"target", "name"});
      view.target_ready = data::bool_at(item, {"target", "ready"});
      view.target_message = data::string_at(item, {"target", "message"});
    }
  }
  return view;
}

bool is_release(const Json& list) {
  return data::string_at(list["items"][0], {"kind"}) == "CanaryRelease";
}

bool is_over(const ReleaseView& view) {
  const auto state = release::read_state(view.state);
  return release::is_final(state) || state == release::State::rolling_back;
}

int step_key(int weight, int wave) { return weight + 1000 * wave; }

int step_key(const ReleaseView& view) { return step_key(view.weight, view.wave); }

int next_weight(const ReleaseView& view, const release::Plan& plan) {
  return view.wave + 1 < view.waves ? view.weight : release::next_weight(plan, view.weight);
}

bool is_live(Json& list, const ReleaseView& view) {
  constexpr const char* k_why = "the weight is not live yet";
  if (view.observed_at) {
    return true;
  }
  if (is_over(view)) {
    set_outcome(list, "ReleaseOver", "the release is over: nothing is judged");
  } else if (!view.moved) {
    set_outcome(list, "StepNotLive", k_why);
  } else {
    decide(list, engine::Action::hold, "StepNotLive", k_why);
  }
  return false;
}

void decide(Json& list, engine::Action action, const std::string& reason,
            const std::string& message) {
  set_outcome(list, reason, message);
  list["functionConfig"]["status"]["decision"] = {
      {"action", engine::to_string(action)}, {"reason", reason}, {"message", message}};
}

util::Result<std::chrono::nanoseconds> duration_parameter(const Json& list, std::string_view name) {
  const std::string_view text = data::string_at(parameters_of(list), {name});
  const auto read = util::parse_duration(text);
  if (!read || read->count() < 0) {
    return util::fail(util::ErrorKind::invalid,
                      util::cat("parameter ", name, ": \"", text, "\" is no duration like 30s"));
  }
  return *read;
}

}  // namespace kubist::policies
