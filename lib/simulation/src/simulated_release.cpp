#include "simulated_release.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <kubist/release/measured.hpp>
#include <kubist/release/observation.hpp>
#include <kubist/release/window.hpp>
#include <kubist/util/text.hpp>

namespace kubist::simulation {

namespace reason = policies::reason;
using data::Json;
using util::cat;

namespace {

/// Rollbacks that a policy asks for because it could not tell.
constexpr std::array k_no_proof{reason::k_no_traffic, reason::k_too_few, reason::k_undecided};

Json to_json(const SimulatedCounts& counts) {
  Json latency = Json::array();
  for (const LatencyCount& bucket : counts.latency) {
    latency.push_back({{"le", std::isinf(bucket.le_ms) ? Json("+Inf") : Json(bucket.le_ms)},
                       {"count", bucket.count}});
  }
  return {{"requests", counts.requests}, {"errors", counts.errors}, {"latency", latency}};
}

std::size_t step_of(const release::Plan& plan, int weight) {
  const auto place = std::lower_bound(plan.weights.begin(), plan.weights.end(), weight);
  return static_cast<std::size_t>(place - plan.weights.begin());
}

}  // namespace

SimulatedRelease::SimulatedRelease(const ReleaseSimulation& simulation, const release::Plan& plan,
                                   int index)
    : m_simulation(&simulation),
      m_plan(plan),
      m_index(index),
      m_random(simulation.seed, static_cast<std::uint64_t>(index)) {
  m_seen.target = cat(m_plan.canary, "/simulated");
  m_seen.target_ready = true;
  for (const std::string& route : m_plan.routes) {
    m_seen.members.push_back({.name = route, .settled = true});
  }
}

void SimulatedRelease::arrive() {
  if (m_next > m_simulation->longest) {
    end(Ending::undecided);
    return;
  }
  if (m_next > m_last) {
    const SimulatedSpan span{m_last, m_next, m_progress.weight / 100.0,
                             step_of(m_plan, m_progress.weight)};
    const auto answers = m_simulation->traffic->draw(m_random, span);
    if (!answers) {
      m_progress.reason = k_recording_ended;
      end(Ending::undecided);
      return;
    }
    count(*answers);
  }
  m_last = m_next;
  m_result.looks += 1;
  for (release::Member& member : m_seen.members) {
    member.weight = release::is_moved(m_progress) ? std::optional(m_progress.weight) : std::nullopt;
  }
  m_window = measure();
}

void SimulatedRelease::count(const SimulatedAnswers& answers) {
  m_stable += answers.stable;
  m_canary += answers.canary;
  m_result.requests += answers.stable.requests + answers.canary.requests;
  if (answers.bad) {
    m_result.canary_requests += answers.canary.requests;
    m_result.extra_failures += answers.canary.errors - answers.expected_errors;
  }
}

// As executors' ReleaseMetrics does, with traffic instead of counters.
Json SimulatedRelease::measure() {
  if (!release::is_measured(m_progress)) {
    m_window_began.reset();
    return release::no_window("NotObserved", "no weight is under way");
  }
  const bool begins = !m_window_began || m_window_weight != m_progress.weight;
  if (!begins && !release::is_window_over(m_plan, m_simulation->begins + *m_window_began, now())) {
    return release::no_window("WindowOpen", "the window is not over yet");
  }
  Json window = release::no_window("WindowBegins", "the first window begins");
  if (!begins) {
    window = {{"seconds", static_cast<double>((m_next - *m_window_began).count())},
              {"weight", m_progress.weight},
              {"arms", {{m_plan.stable, to_json(m_stable)}, {m_plan.canary, to_json(m_canary)}}}};
  }
  m_window_began = m_next;
  m_window_weight = m_progress.weight;
  m_stable = m_canary = {};
  return window;
}

Json SimulatedRelease::object() const {
  Json object = *m_simulation->release;
  object["metadata"]["uid"] = std::to_string(m_index);
  object["status"] = m_status;
  return object;
}

Json SimulatedRelease::observation() const { return release::observation(m_plan, m_seen); }

util::Result<> SimulatedRelease::decide(const engine::PolicyVerdict& verdict) {
  if (verdict.error) {
    return util::fail(
        util::with_context(*verdict.error, cat("run ", m_index, ", evaluation ", m_result.looks)));
  }
  KUBIST_TRY(m_plan, release::read_plan({{"spec", *verdict.spec}}));
  const release::Progress before = m_progress;
  release::Tick tick =
      release::tick(m_plan, before, m_seen, verdict.decision, release::Request::none, now());
  m_progress = std::move(tick.progress);
  set_status(verdict, before);
  conclude(verdict.decision);
  std::chrono::milliseconds again = tick.look_again.value_or(m_plan.interval);
  again = std::min(again, verdict.requeue_after.value_or(again));
  m_next += std::max(std::chrono::seconds(1), std::chrono::ceil<std::chrono::seconds>(again));
  return {};
}

void SimulatedRelease::set_status(const engine::PolicyVerdict& verdict,
                                  const release::Progress& before) {
  Json measured =
      release::measured_after(m_status.value("measured", Json()), m_window, m_plan, before);
  Json history =
      release::history_after(m_status.value("history", Json()), before, m_progress, now());
  m_status = release::to_json(m_progress);
  m_status["measured"] = std::move(measured);
  m_status["history"] = std::move(history);
  m_status["policies"] = verdict.status_policies;
  for (auto field = m_status.begin(); field != m_status.end();) {
    field = field->is_null() ? m_status.erase(field) : std::next(field);
  }
}

void SimulatedRelease::conclude(const std::optional<engine::Decision>& decision) {
  if (m_progress.state == release::State::succeeded) {
    end(Ending::promoted);
  } else if (m_progress.state == release::State::rolling_back) {
    const bool told =
        decision && decision->action == engine::Action::rollback &&
        std::find(k_no_proof.begin(), k_no_proof.end(), decision->reason) == k_no_proof.end();
    end(told ? Ending::aborted : Ending::undecided);
  }
}

void SimulatedRelease::end(Ending ending) {
  m_over = true;
  m_result.ending = ending;
  m_result.reason = m_progress.reason;
  m_result.seconds = static_cast<double>(m_last.count());
}

}  // namespace kubist::simulation
