#include <algorithm>
#include <array>

#include <kubist/data/pointer.hpp>
#include <kubist/engine/decision.hpp>
#include <kubist/util/text.hpp>

namespace kubist::engine {

using data::Json;
using util::cat;

namespace {

constexpr std::array<std::string_view, 4> k_actions{"advance", "hold", "pause", "rollback"};

tl::unexpected<util::Error> broken_decision(std::string message) {
  return util::fail(
      util::make_error(util::ErrorKind::invalid, std::move(message), {}, "PolicyFailed"));
}

}  // namespace

std::string_view to_string(Action action) { return k_actions[static_cast<std::size_t>(action)]; }

Decision more_cautious(const Decision& former, const Decision& later) {
  if (later.action != former.action) {
    return later.action > former.action ? later : former;
  }
  const bool less = later.weight && (!former.weight || *later.weight < *former.weight);
  return former.action == Action::advance && less ? later : former;
}

util::Result<std::optional<Decision>> read_decision(const Json& status) {
  const Json* found = data::find_path(status, {"decision"});
  if (found == nullptr || found->is_null()) {
    return std::nullopt;
  }
  const Json decision = found->is_string() ? Json{{"action", *found}} : *found;
  const std::string action = util::lower(data::string_at(decision, {"action"}));
  const auto known = std::find(k_actions.begin(), k_actions.end(), action);
  if (known == k_actions.end()) {
    return broken_decision(
        cat("status.decision.action: \"", action, "\" is none of advance, hold, pause, rollback"));
  }
  Decision read;
  read.action = static_cast<Action>(known - k_actions.begin());
  read.reason = data::string_at(decision, {"reason"});
  read.message = data::string_at(decision, {"message"});
  if (const Json* weight = data::find_path(decision, {"weight"}); weight && !weight->is_null()) {
    if (!weight->is_number_integer() || *weight < 0 || *weight > 100) {
      return broken_decision("status.decision.weight must be a whole number from 0 to 100");
    }
    read.weight = weight->get<int>();
  }
  return read;
}

Json to_json(const Decision& decision) {
  Json json = {{"action", to_string(decision.action)},
               {"reason", decision.reason},
               {"message", decision.message},
               {"by", decision.by}};
  if (decision.weight) {
    json["weight"] = *decision.weight;
  }
  return json;
}

}  // namespace kubist::engine
