#include <algorithm>
#include <cmath>
#include <numeric>

#include <kubist/release/experiment_assignment.hpp>
#include <kubist/stats/sampling.hpp>
#include <kubist/util/text.hpp>

namespace kubist::experiment {

using util::cat;

namespace {

constexpr int k_draws = 10'000;
constexpr int k_least_move = 5;

double draw(const Totals& totals, GoalKind kind, stats::Random& random) {
  if (kind == GoalKind::conversion) {
    return random.beta(1 + totals.sum, 1 + std::max(0.0, totals.n - totals.sum));
  }
  const stats::Moments moments = moments_of(totals, kind);
  return moments.mean + random.normal() * std::sqrt(moments.variance / moments.n);
}

/// In whole numbers that are 100 together: those that lose most by rounding down get one more.
std::vector<int> whole(const std::vector<double>& percents) {
  std::vector<int> shares(percents.size());
  std::transform(percents.begin(), percents.end(), shares.begin(),
                 [](double percent) { return static_cast<int>(std::floor(percent)); });
  std::vector<std::size_t> order(percents.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return percents[a] - std::floor(percents[a]) > percents[b] - std::floor(percents[b]);
  });
  const int missing = 100 - std::accumulate(shares.begin(), shares.end(), 0);
  for (int i = 0; i < missing; ++i) {
    shares[order[static_cast<std::size_t>(i) % order.size()]] += 1;
  }
  return shares;
}

}  // namespace

std::vector<int> thompson_shares(const Plan& plan, const std::vector<Totals>& totals,
                                 std::uint64_t stream) {
  const bool enough = std::all_of(totals.begin(), totals.end(), [&](const Totals& each) {
    return each.n >= plan.minimum_samples;
  });
  if (!enough) {
    return {};
  }
  const Goal& goal = plan.goals.front();
  stats::Random random(plan.seed, stream);
  std::vector<int> best(totals.size());
  std::vector<double> drawn(totals.size());
  for (int i = 0; i < k_draws; ++i) {
    std::transform(totals.begin(), totals.end(), drawn.begin(), [&](const Totals& each) {
      const double value = draw(each, goal.kind, random);
      return goal.increase ? value : -value;
    });
    best[static_cast<std::size_t>(std::max_element(drawn.begin(), drawn.end()) - drawn.begin())]++;
  }
  const double given = plan.minimum_percent;
  const double left = 100 - given * static_cast<double>(totals.size());
  std::vector<double> percents(totals.size());
  std::transform(best.begin(), best.end(), percents.begin(),
                 [&](int wins) { return given + left * wins / k_draws; });
  return whole(percents);
}

util::Result<std::vector<int>> shares_of(const Plan& plan,
                                         const std::map<std::string, int>& given) {
  std::vector<int> shares;
  if (given.empty()) {
    return shares;
  }
  const auto refused = [](std::string message) {
    return util::fail(util::ErrorKind::invalid, std::move(message), "", "SharesRefused");
  };
  if (plan.assignment == Assignment::fixed) {
    return refused("a policy gives shares, and spec.assignment.kind is Fixed: make it Policies");
  }
  for (const Variant& variant : plan.variants) {
    const auto found = given.find(variant.name);
    if (found == given.end() || found->second < plan.minimum_percent) {
      return refused(cat("every variant needs a share of ", plan.minimum_percent,
                         " % or more: ", variant.name));
    }
    shares.push_back(found->second);
  }
  const int sum = std::accumulate(shares.begin(), shares.end(), 0);
  if (sum != 100 || given.size() != plan.variants.size()) {
    return refused(cat("the variants' shares are ", sum, " % together, of ", given.size(),
                       " names: they must be 100 %, a share for each variant"));
  }
  return shares;
}

bool is_worth_moving(const std::vector<int>& before, const std::vector<int>& shares) {
  return !std::equal(shares.begin(), shares.end(), before.begin(), before.end(),
                     [](int a, int b) { return std::abs(a - b) < k_least_move; });
}

}  // namespace kubist::experiment
