#include <algorithm>
#include <array>
#include <cmath>

#include <kubist/release/experiment_judge.hpp>
#include <kubist/stats/confidence_sequence.hpp>
#include <kubist/stats/distributions.hpp>
#include <kubist/stats/tests.hpp>
#include <kubist/util/text.hpp>

namespace kubist::experiment {

using util::cat;

namespace {

class Judge {
 public:
  Judge(const Plan& plan, const std::vector<std::vector<Totals>>& totals)
      : m_plan(plan),
        m_totals(totals),
        m_alpha(plan.alpha / static_cast<double>(plan.variants.size() - 1)) {}

  Judgement run() {
    Judgement judgement;
    for (std::size_t goal = 0; goal < m_plan.goals.size(); ++goal) {
      judgement.report.push_back(report_of(goal));
    }
    decide(judgement);
    return judgement;
  }

 private:
  double fewest(std::size_t goal) const {
    double fewest = m_totals[goal].front().n;
    for (const Totals& each : m_totals[goal]) {
      fewest = std::min(fewest, each.n);
    }
    return fewest;
  }
  double wanted() const {
    return m_plan.test == Test::welch ? m_plan.samples : m_plan.minimum_samples;
  }

  GoalReport report_of(std::size_t goal) const {
    GoalReport report{m_plan.goals[goal].name, {}};
    const bool enough = fewest(goal) >= wanted();
    const GoalKind kind = m_plan.goals[goal].kind;
    const stats::Moments control = moments_of(m_totals[goal].front(), kind);
    for (std::size_t i = 0; i < m_plan.variants.size(); ++i) {
      const stats::Moments own = moments_of(m_totals[goal][i], kind);
      Row row{m_plan.variants[i].name, own.n, own.mean, std::nullopt};
      if (i > 0) {
        row.control = compare(own, control, enough);
      }
      report.rows.push_back(std::move(row));
    }
    return report;
  }

  Comparison compare(const stats::Moments& own, const stats::Moments& control, bool enough) const {
    Comparison comparison;
    comparison.difference = own.n > 0 && control.n > 0 ? own.mean - control.mean : 0;
    const double variance = own.variance / own.n + control.variance / control.n;
    // Without any spread nothing tells how far chance reaches.
    if (!enough || own.n < 2 || control.n < 2 || variance <= 0) {
      return comparison;
    }
    std::optional<double> half;
    if (m_plan.test == Test::welch) {
      const stats::WelchResult welch = stats::welch_t_test(own, control);
      comparison.p = welch.two_sided;
      half = stats::t_quantile(1 - m_alpha / 2, welch.freedom) * std::sqrt(variance);
    } else if (m_plan.assignment != Assignment::fixed) {
      const stats::MeanSequence mine{own.n, own.mean, own.variance * own.n};
      const stats::MeanSequence theirs{control.n, control.mean, control.variance * control.n};
      half = stats::separate_half_width(mine, theirs, m_alpha, m_plan.samples);
      comparison.p = stats::separate_p_value(mine, theirs, m_alpha, m_plan.samples);
    } else {
      const double n = own.n + control.n;
      const stats::MeanSequence sequence{n, comparison.difference, variance * n * n};
      const double best_at = 2 * m_plan.samples;
      half = sequence.half_width(m_alpha, best_at);
      comparison.p = sequence.p_value(m_alpha, best_at);
    }
    if (half) {
      comparison.low = comparison.difference - *half;
      comparison.high = comparison.difference + *half;
    }
    return comparison;
  }

  bool is_proven(const Row& row) const {
    const Comparison& control = *row.control;
    return control.low && (*control.low > 0 || *control.high < 0);
  }
  bool is_better(const Row& row, const Row& than) const {
    return m_plan.goals.front().increase ? row.value > than.value : row.value < than.value;
  }

  void decide(Judgement& judgement) const {
    const std::vector<Row>& rows = judgement.report.front().rows;
    const double least = fewest(0);
    if (least < wanted()) {
      judgement.reason = "TooFew";
      judgement.message = cat("every variant needs ", wanted(), " samples, one has ", least);
      return;
    }
    const Row* best = nullptr;
    std::size_t worse = 0;
    for (const Row& row : rows) {
      if (!row.control || !is_proven(row)) {
        continue;
      }
      if (!is_better(row, rows.front())) {
        ++worse;
      } else if (best == nullptr || is_better(row, *best)) {
        best = &row;
      }
    }
    if (best == nullptr && worse + 1 == rows.size()) {
      best = &rows.front();
    }
    if (best != nullptr) {
      judgement.verdict = Verdict::winner;
      judgement.winner = best->variant;
      judgement.reason = "Winner";
      judgement.message = best == &rows.front()
                              ? cat(best->variant, " is better than every other variant")
                              : cat(best->variant, " is better than ", rows.front().variant);
    } else if (m_plan.test == Test::welch) {
      judgement.verdict = Verdict::no_difference;
      judgement.reason = "NoDifference";
      judgement.message =
          cat("no difference is proven with ", m_plan.samples, " samples a variant");
    } else {
      judgement.reason = "Collecting";
      judgement.message =
          cat("no difference is proven yet; every variant has ", least, " samples or more");
    }
  }

  const Plan& m_plan;
  const std::vector<std::vector<Totals>>& m_totals;
  const double m_alpha;  ///< of one comparison
};

}  // namespace

stats::Moments moments_of(const Totals& totals, GoalKind kind) {
  stats::Moments moments{.n = totals.n, .mean = 0, .variance = 0};
  if (totals.n > 0) {
    moments.mean = totals.sum / totals.n;
  }
  if (totals.n > 1 && kind == GoalKind::conversion) {
    const double rate = stats::shrunk_rate({totals.n, totals.sum});
    moments.variance = rate * (1 - rate) * totals.n / (totals.n - 1);
  } else if (totals.n > 1) {
    moments.variance =
        std::max(0.0, totals.squares - totals.n * moments.mean * moments.mean) / (totals.n - 1);
  }
  return moments;
}

bool are_plausible(const Totals& totals, GoalKind kind) {
  constexpr double k_most_values = 1e15;  // whole numbers of a double, and their sums
  constexpr double k_rounding = 1e-6;     // of differences of counters that were added up
  const bool countable = totals.n >= 0 && totals.n <= k_most_values && totals.squares >= 0 &&
                         std::isfinite(totals.sum) && std::isfinite(totals.squares);
  return countable && (kind != GoalKind::conversion ||
                       (totals.sum >= 0 && totals.sum <= totals.n * (1 + k_rounding)));
}

Totals totals_of(double n, double mean, double deviation) {
  return {n, n * mean, n * mean * mean + std::max(0.0, n - 1) * deviation * deviation};
}

std::span<const std::string_view> fields_of(GoalKind kind) {
  static constexpr std::array<std::string_view, 2> k_conversion{"successes", "count"};
  static constexpr std::array<std::string_view, 3> k_mean{"mean", "standardDeviation", "count"};
  return kind == GoalKind::conversion ? std::span<const std::string_view>(k_conversion) : k_mean;
}

util::Result<Totals> read_totals(GoalKind kind, const std::vector<double>& values) {
  const bool rate = kind == GoalKind::conversion;
  const double count = values.back();
  const double spread = rate ? values[0] : values[1];
  const Totals totals = rate ? Totals{count, spread, spread} : totals_of(count, values[0], spread);
  if (spread < 0 || (rate && spread > count) || !are_plausible(totals, kind)) {
    return util::fail(util::ErrorKind::invalid,
                      rate ? cat(spread, " successes of ", count)
                           : cat(count, " values that deviate by ", spread),
                      "", "NotPlausible");
  }
  return totals;
}

Judgement judge(const Plan& plan, const std::vector<std::vector<Totals>>& totals) {
  return Judge(plan, totals).run();
}

}  // namespace kubist::experiment
