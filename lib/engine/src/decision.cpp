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

Decision one_of(const Decision& former, const Decision& later) {
  if (later.action != former.action) {
    return later.action > former.action ? later : former;
  }
  if (former.action != Action::advance) {
    return former;
  }
  if (former.winner != later.winner) {
    const auto named = [](const Decision& each) {
      return each.winner.empty() ? std::string("no winner") : each.winner;
    };
    return {.action = Action::hold,
            .reason = "WinnersDiffer",
            .message = cat(former.by, " names ", named(former), ", ", later.by, ' ', named(later)),
            .by = later.by};
  }
  return later.weight && (!former.weight || *later.weight < *former.weight) ? later : former;
}

/// A whole number from 0 to 100.
util::Result<int> percent(const Json& value, std::string_view field) {
  if (!value.is_number_integer() || value < 0 || value > 100) {
    return broken_decision(cat("status.decision.", field, " must be a whole number from 0 to 100"));
  }
  return value.get<int>();
}

}  // namespace

std::string_view to_string(Action action) { return k_actions[static_cast<std::size_t>(action)]; }

std::string Decision::told() const {
  return by.empty() || message.empty() ? message : cat(by, ": ", message);
}

Decision more_cautious(const Decision& former, const Decision& later) {
  Decision both = one_of(former, later);
  both.shares = later.shares.empty() ? former.shares : later.shares;
  return both;
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
    KUBIST_TRY(read.weight, percent(*weight, "weight"));
  }
  read.winner = data::string_at(decision, {"winner"});
  for (const auto& [name, share] : data::object_at(decision, {"shares"}).items()) {
    KUBIST_TRY(read.shares[name], percent(share, cat("shares.", name)));
  }
  return read;
}

Json to_json(const Decision& decision) {
  Json json = {{"action", to_string(decision.action)},
               {"reason", decision.reason},
               {"message", decision.message}};
  if (!decision.by.empty()) {
    json["by"] = decision.by;
  }
  if (decision.weight) {
    json["weight"] = *decision.weight;
  }
  if (!decision.winner.empty()) {
    json["winner"] = decision.winner;
  }
  if (!decision.shares.empty()) {
    json["shares"] = decision.shares;
  }
  return json;
}

}  // namespace kubist::engine
