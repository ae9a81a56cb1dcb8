#include <algorithm>

#include <kubist/release/workload.hpp>

namespace kubist::release {

std::optional<WorkloadQuery> read_workload_query(std::string_view query) {
  constexpr std::string_view k_canary = "canary.";
  constexpr std::string_view k_stable = "stable.";
  static_assert(k_canary.size() == k_stable.size());
  const bool canary = query.starts_with(k_canary);
  if (!canary && !query.starts_with(k_stable)) {
    return std::nullopt;
  }
  query.remove_prefix(k_canary.size());
  const auto* const found = std::find(k_workload_numbers.begin(), k_workload_numbers.end(), query);
  return found == k_workload_numbers.end() ? std::nullopt
                                           : std::optional(WorkloadQuery{canary, *found});
}

}  // namespace kubist::release
