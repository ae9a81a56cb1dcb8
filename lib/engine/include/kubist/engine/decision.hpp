#pragma once
#include <map>
#include <optional>
#include <string>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::engine {

/// What a policy wants of a change that is under way, least cautious first.
enum class Action { advance, hold, pause, rollback };
std::string_view to_string(Action action);

/// `decision {action, weight, reason, message, winner, shares}` of a PolicyRun's status.
struct Decision {
  Action action = Action::hold;
  std::optional<int> weight;  ///< percent of the change; nothing: its next step
  std::string reason;         ///< CamelCase: "WorseThanStable", "TooFew"
  std::string message;        ///< the evidence, for people
  std::string by;             ///< the policy that decided; empty as it is read
  // Where several variants are compared:
  std::string winner{};                 ///< of an advance, which ends it; empty: none
  std::map<std::string, int> shares{};  ///< of what is to come, in percent; empty: as before

  /// "Statistical: 3 of 5 windows are good".
  std::string told() const;
};

/// The decision of a chain: a later policy can only be more cautious, and a rollback is final. Of
/// two advances the smaller weight counts (one without a weight leaves the other's); two that name
/// different winners, or one and none, hold (reason WinnersDiffer). The last shares count.
Decision more_cautious(const Decision& former, const Decision& later);

/// Reads `decision` of a PolicyRun's status; nothing: it has none. A string is only an action.
/// Invalid: an unknown action, a weight or share outside 0 to 100.
util::Result<std::optional<Decision>> read_decision(const data::Json& status);
/// As policies see the decision of those before them.
data::Json to_json(const Decision& decision);

}  // namespace kubist::engine
