#include <numeric>

#include <kubist/release/experiment_assignment.hpp>
#include <kubist/stats/sampling.hpp>

#include "experiment_support.hpp"

namespace kubist::experiment {

using namespace kubist::testing;

namespace {

Plan adaptive(int variants = 2) {
  Plan made = plan(Test::anytime, variants);
  made.assignment = Assignment::thompson;
  made.seed = 42;
  return made;
}

}  // namespace

TEST_CASE("thompson: too few samples leave the weights, more follow the evidence") {
  const Plan two = adaptive();
  CHECK(thompson_shares(two, {rate(99, 10), rate(1000, 100)}, 1).empty());
  const auto even = thompson_shares(two, {rate(1000, 100), rate(1000, 100)}, 1);
  CHECK(std::abs(even[0] - 50) <= 2);
  CHECK(thompson_shares(two, {rate(1000, 100), rate(1000, 200)}, 1) == std::vector{5, 95});
  Plan less = two;
  less.goals.front().increase = false;
  CHECK(thompson_shares(less, {rate(1000, 100), rate(1000, 200)}, 1) == std::vector{95, 5});
}

TEST_CASE("thompson: the shares are 100 together, none below the minimum, the same for a seed") {
  Plan three = adaptive(3);
  three.minimum_percent = 9;
  for (std::uint64_t stream = 0; stream < 50; ++stream) {
    stats::Random random(3, stream);
    std::vector<Totals> totals;
    for (int i = 0; i < 3; ++i) {
      totals.push_back(rate(300, random.binomial(300, 0.1 + 0.02 * i)));
    }
    const auto shares = thompson_shares(three, totals, stream);
    CHECK(std::accumulate(shares.begin(), shares.end(), 0) == 100);
    CHECK(*std::min_element(shares.begin(), shares.end()) >= 9);
    CHECK(thompson_shares(three, totals, stream) == shares);
  }
}

TEST_CASE("thompson: means have normal posteriors") {
  Plan means = adaptive();
  means.goals.front().kind = GoalKind::mean;
  const auto shares = thompson_shares(means, {totals_of(200, 10, 4), totals_of(200, 10.4, 4)}, 1);
  // Phi(0.4 / sqrt(2 * 16 / 200)) = Phi(1) = 0.841, of what 5 % for each leave.
  CHECK(std::abs(shares[1] - (5 + 90 * 0.8413)) <= 2);
}

TEST_CASE("thompson: the route is moved for 5 points or more") {
  CHECK(is_worth_moving({}, {50, 50}));
  CHECK_FALSE(is_worth_moving({50, 50}, {54, 46}));
  CHECK(is_worth_moving({50, 50}, {55, 45}));
}

// Clients are assigned by what was seen of those before, the hard case for a test.
TEST_CASE("thompson: equal variants give a winner in at most alpha of all runs, better ones win") {
  const Plan two = adaptive();
  int wrong = 0, found = 0;
  double to_better = 0, clients = 0;
  for (std::uint64_t run = 0; run < 400; ++run) {
    for (const double better : {0.1, 0.15}) {
      stats::Random random(11, run);
      std::vector<Totals> totals(2);
      std::vector<int> shares{50, 50};
      std::string winner;
      for (int look = 0; look < 100 && winner.empty(); ++look) {
        const double green = random.binomial(100, shares[1] / 100.0);
        totals[0] =
            rate(totals[0].n + 100 - green, totals[0].sum + random.binomial(100 - green, 0.1));
        totals[1] = rate(totals[1].n + green, totals[1].sum + random.binomial(green, better));
        winner = judge(two, {totals}).winner;
        if (look % 10 == 9) {
          const auto drawn = thompson_shares(two, totals, run * 1000 + static_cast<unsigned>(look));
          shares = drawn.empty() ? shares : drawn;
        }
      }
      wrong += better == 0.1 && !winner.empty() ? 1 : 0;
      found += better > 0.1 && winner == "green" ? 1 : 0;
      to_better += better > 0.1 ? totals[1].n : 0;
      clients += better > 0.1 ? totals[0].n + totals[1].n : 0;
    }
  }
  CHECK(wrong <= 20);  // alpha 5 % of 400
  MESSAGE(found << " of 400 found, " << 100 * to_better / clients << " % got the better one");
  CHECK(found >= 300);
  CHECK(to_better / clients > 0.6);
}

}  // namespace kubist::experiment
