#include <cmath>

#include <kubist/stats/sampling.hpp>

#include "experiment_support.hpp"

namespace kubist::experiment {

using namespace kubist::testing;

TEST_CASE("judge: Welch says nothing before every variant has its samples") {
  const Judgement judgement = judge(plan(Test::welch), {{rate(5000, 100), rate(999, 500)}});
  CHECK(judgement.verdict == Verdict::undecided);
  CHECK(judgement.reason == "TooFew");
  CHECK(judgement.message == "every variant needs 1000 samples, one has 999");
  const Row& green = judgement.report[0].rows[1];
  CHECK(green.value == doctest::Approx(500.0 / 999));
  CHECK(green.control->difference == doctest::Approx(500.0 / 999 - 0.02));
  CHECK_FALSE(green.control->low);
}

TEST_CASE("judge: Welch with all samples finds the better one, or no difference") {
  const Judgement better = judge(plan(Test::welch), {{rate(1000, 100), rate(1000, 150)}});
  CHECK(better.verdict == Verdict::winner);
  CHECK(better.winner == "green");
  // By hand: 0.05 +- 1.961 * sqrt((0.1005 * 0.8995 + 0.1504 * 0.8496) / 999).
  CHECK(*better.report[0].rows[1].control->low == doctest::Approx(0.0209).epsilon(0.01));
  CHECK(*better.report[0].rows[1].control->high == doctest::Approx(0.0791).epsilon(0.01));
  CHECK(better.report[0].rows[1].control->p == doctest::Approx(0.0008).epsilon(0.05));
  const Judgement worse = judge(plan(Test::welch), {{rate(1000, 150), rate(1000, 100)}});
  CHECK(worse.winner == "control");
  CHECK(worse.message == "control is better than every other variant");
  const Judgement same = judge(plan(Test::welch), {{rate(1000, 100), rate(1000, 105)}});
  CHECK(same.verdict == Verdict::no_difference);
  CHECK(same.reason == "NoDifference");
}

TEST_CASE("judge: where less is better, the lower mean wins") {
  Plan slower = plan(Test::welch);
  slower.goals[0].kind = GoalKind::mean;
  slower.goals[0].increase = false;
  const Judgement judgement = judge(slower, {{totals_of(1000, 120, 40), totals_of(1000, 100, 40)}});
  CHECK(judgement.winner == "green");
  CHECK(judgement.report[0].rows[1].control->difference == doctest::Approx(-20));
}

TEST_CASE("judge: of several variants one must beat the control, or all lose to it") {
  const Plan three = plan(Test::anytime, 3);
  const auto winner = [&](double green, double blue) {
    return judge(three, {{rate(5000, 500), rate(5000, green), rate(5000, blue)}}).winner;
  };
  CHECK(winner(750, 800) == "blue");
  CHECK(winner(250, 800) == "blue");
  CHECK(winner(250, 510) == "");
  CHECK(winner(250, 260) == "control");
}

TEST_CASE("judge: only the first goal decides, all are reported") {
  Plan two = plan();
  two.goals.push_back({"returns", GoalKind::conversion, false, {}});
  const Judgement judgement =
      judge(two, {{rate(5000, 500), rate(5000, 505)}, {rate(5000, 500), rate(5000, 50)}});
  CHECK(judgement.verdict == Verdict::undecided);
  CHECK(judgement.reason == "Collecting");
  REQUIRE(judgement.report.size() == 2);
  CHECK(*judgement.report[1].rows[1].control->high < 0);
}

TEST_CASE("judge: without any data nothing is guessed") {
  for (const Test test : {Test::anytime, Test::welch}) {
    const Judgement judgement = judge(plan(test), {{Totals{}, Totals{}}});
    CHECK(judgement.verdict == Verdict::undecided);
    CHECK(judgement.reason == "TooFew");
    CHECK(judgement.report[0].rows[1].control->difference == 0);
  }
}

TEST_CASE("judge: looking anytime at equal variants finds a winner in at most alpha of all runs") {
  const Plan equal = plan();
  int wrong = 0;
  int found = 0;
  for (std::uint64_t run = 0; run < 400; ++run) {
    stats::Random random(7, run);
    Totals control, same, better;
    bool ends = false, ends_better = false;
    for (int look = 0; look < 100; ++look) {
      for (const auto& [totals, p] :
           {std::pair(&control, 0.1), std::pair(&same, 0.1), std::pair(&better, 0.15)}) {
        const double k = random.binomial(50, p);
        *totals = rate(totals->n + 50, totals->sum + k);
      }
      ends = ends || judge(equal, {{control, same}}).verdict == Verdict::winner;
      ends_better = ends_better || judge(equal, {{control, better}}).winner == "green";
    }
    wrong += ends ? 1 : 0;
    found += ends_better ? 1 : 0;
  }
  CHECK(wrong <= 20);  // alpha 5 % of 400
  CHECK(found >= 395);
}

TEST_CASE("judge: the totals of a mean and a deviation give them back") {
  const Totals totals = totals_of(100, 5, 2);
  CHECK(totals.sum == doctest::Approx(500));
  CHECK((totals.squares - 100 * 25.0) / 99 == doctest::Approx(4));
}

}  // namespace kubist::experiment
