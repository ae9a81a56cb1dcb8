#include <algorithm>
#include <cmath>

#include <kubist/util/backoff.hpp>

namespace kubist::util {

std::chrono::milliseconds backoff_delay(const BackoffPolicy& policy, int attempt, double unit,
                                        std::optional<std::chrono::milliseconds> retry_after) {
  const double ceiling =
      std::min(static_cast<double>(policy.maximum.count()),
               static_cast<double>(policy.initial.count()) * std::pow(policy.factor, attempt - 1));
  const auto step = std::chrono::milliseconds(static_cast<long long>(ceiling * unit));
  return retry_after ? *retry_after + step : step;
}

}  // namespace kubist::util
