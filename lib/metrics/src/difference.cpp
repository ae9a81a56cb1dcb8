#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <kubist/metrics/sample.hpp>

namespace kubist::metrics {
namespace {

constexpr int k_max_missed = 120;

bool same_bounds(const std::vector<Bucket>& a, const std::vector<Bucket>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Bucket& x, const Bucket& y) { return x.le == y.le; });
}

/// A counter never shrinks: where one did, its process began again, and with it all others.
bool was_reset(const Series& before, const Series& after) {
  if (after.requests < before.requests || after.errors < before.errors) {
    return true;
  }
  if (!same_bounds(before.latency_ms, after.latency_ms)) {
    return false;
  }
  for (std::size_t i = 0; i < after.latency_ms.size(); ++i) {
    if (after.latency_ms[i].count < before.latency_ms[i].count) {
      return true;
    }
  }
  return false;
}

Counts counts_of(const Series& series) {
  return {series.requests, series.errors, series.latency_ms, series.latency_sum_ms};
}

Counts gained(const Series& before, const Series& after) {
  if (was_reset(before, after)) {
    return counts_of(after);
  }
  Counts counts = counts_of(after);
  counts.requests -= before.requests;
  counts.errors -= before.errors;
  if (before.latency_ms.empty()) {
    return counts;  // nothing had been timed yet
  }
  if (!same_bounds(before.latency_ms, after.latency_ms)) {
    counts.latency_ms.clear();
    counts.latency_sum_ms = 0;
    return counts;
  }
  for (std::size_t i = 0; i < counts.latency_ms.size(); ++i) {
    counts.latency_ms[i].count -= before.latency_ms[i].count;
  }
  counts.latency_sum_ms = std::max(0.0, after.latency_sum_ms - before.latency_sum_ms);
  return counts;
}

/// Both over the bounds that they share: a cumulative count is exact only at each bound.
void add_latency(std::vector<Bucket>& sum, const std::vector<Bucket>& more) {
  if (more.empty()) {
    return;
  }
  if (sum.empty()) {
    sum = more;
    return;
  }
  std::vector<Bucket> shared;
  auto other = more.begin();
  for (const Bucket& bucket : sum) {
    other = std::find_if(other, more.end(), [&](const Bucket& b) { return b.le >= bucket.le; });
    if (other != more.end() && other->le == bucket.le) {
      shared.push_back({bucket.le, bucket.count + other->count});
    }
  }
  sum = std::move(shared);
}

void add(Counts& sum, const Counts& more) {
  sum.requests += more.requests;
  sum.errors += more.errors;
  sum.latency_sum_ms += more.latency_sum_ms;
  add_latency(sum.latency_ms, more.latency_ms);
}

Counts difference_of_arm(const std::vector<Series>& before, const std::vector<Series>& after) {
  std::unordered_map<std::string_view, const Series*> earlier;
  for (const Series& series : before) {
    earlier.emplace(series.id, &series);
  }
  Counts sum;
  for (const Series& series : after) {
    if (series.missed > 0) {
      continue;  // carried over: not seen in this reading
    }
    const auto found = earlier.find(series.id);
    add(sum, found == earlier.end() ? counts_of(series) : gained(*found->second, series));
  }
  return sum;
}

}  // namespace

std::map<std::string, Counts> difference(const Sample& before, const Sample& after) {
  std::map<std::string, Counts> counts;
  for (const auto& [version, series] : before.arms) {
    counts.try_emplace(version);
  }
  const bool comparable = before.source == after.source;
  for (const auto& [version, series] : after.arms) {
    Counts& arm = counts[version];
    const auto earlier = before.arms.find(version);
    if (comparable && earlier != before.arms.end()) {
      arm = difference_of_arm(earlier->second, series);
    }
  }
  return counts;
}

Sample carry_over(const Sample& before, Sample after) {
  if (before.source != after.source) {
    return after;
  }
  for (const auto& [version, series] : before.arms) {
    const auto arm = after.arms.find(version);
    if (arm == after.arms.end()) {
      continue;
    }
    std::unordered_set<std::string> seen;
    for (const Series& now : arm->second) {
      seen.insert(now.id);
    }
    for (const Series& old : series) {
      if (old.missed < k_max_missed && seen.insert(old.id).second) {
        arm->second.push_back(old);
        ++arm->second.back().missed;
      }
    }
  }
  return after;
}

}  // namespace kubist::metrics
