#include <kubist/release/experiment_assignment.hpp>
#include <kubist/release/experiment_decision.hpp>

namespace kubist::experiment {

namespace {

std::map<std::string, int> shares(const Plan& plan, const std::vector<Totals>& totals, Time now) {
  std::map<std::string, int> shares;
  if (plan.assignment == Assignment::thompson) {
    const auto at = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch());
    const auto drawn = thompson_shares(plan, totals, static_cast<std::uint64_t>(at.count()));
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      shares[plan.variants[i].name] = drawn[i];
    }
  }
  return shares;
}

}  // namespace

engine::Decision decide(const Plan& plan, const std::vector<std::vector<Totals>>& totals,
                        Time now) {
  const Judgement judgement = judge(plan, totals);
  engine::Decision decision;
  decision.reason = judgement.reason;
  decision.message = judgement.message;
  decision.winner = judgement.winner;
  if (judgement.verdict != Verdict::undecided) {
    decision.action = engine::Action::advance;
  } else {
    decision.shares = shares(plan, totals.front(), now);
  }
  return decision;
}

}  // namespace kubist::experiment
