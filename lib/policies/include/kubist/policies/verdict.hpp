#pragma once
#include <string_view>

namespace kubist::policies {

/// What a policy that judges a canary says, from the least cautious to the most.
enum class Verdict {
  advance,   ///< the next weight may come
  hold,      ///< stay and look again
  rollback,  ///< go back to the original weights; final
};

/// "advance", "hold" or "rollback".
std::string_view to_string(Verdict verdict);

/// Why, as a CamelCase word of the API.
namespace reason {
inline constexpr std::string_view k_proven = "Proven";                      ///< advance
inline constexpr std::string_view k_passed = "Passed";                      ///< advance
inline constexpr std::string_view k_settling = "Settling";                  ///< hold
inline constexpr std::string_view k_baking = "Baking";                      ///< hold
inline constexpr std::string_view k_check_failed = "CheckFailed";           ///< hold
inline constexpr std::string_view k_no_traffic = "NoTraffic";               ///< hold, then rollback
inline constexpr std::string_view k_too_few = "TooFew";                     ///< hold, then rollback
inline constexpr std::string_view k_undecided = "Undecided";                ///< hold, then rollback
inline constexpr std::string_view k_worse_than_stable = "WorseThanStable";  ///< rollback
inline constexpr std::string_view k_budget_exceeded = "BudgetExceeded";     ///< rollback
inline constexpr std::string_view k_threshold_failed = "ThresholdFailed";   ///< rollback
}  // namespace reason

}  // namespace kubist::policies
