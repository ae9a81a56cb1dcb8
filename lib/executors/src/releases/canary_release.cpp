#include <kubist/data/pointer.hpp>
#include <kubist/release/measured.hpp>
#include <kubist/release/waves.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/traffic/condition.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "keep/kinds.hpp"
#include "keep/managed.hpp"
#include "releases/release_jobs.hpp"
#include "releases/release_look.hpp"
#include "releases/release_metrics.hpp"

namespace kubist::executors {

using data::Json;
using engine::Alignment;
using engine::Outcome;
using release::State;
using util::cat;

namespace {

/// Decides how much of its routes' traffic the canary gets. The routes run after it and move their
/// weights; the next look sees whether they have.
class CanaryReleaseExecutor final : public ManagedExecutor {
 public:
  using ManagedExecutor::ManagedExecutor;
  // Else a broken policy would keep a canary where it is, without a limit and whatever people ask.
  bool aligns_without_policies() const override { return true; }
  // Below the Project it moves routes on several virtual clusters, which run when it has decided.
  std::vector<engine::Key> followers(const engine::Node& node) const override {
    return node.target.empty() ? routes_of(node) : std::vector<engine::Key>();
  }

 private:
  // Its routes let go of its weights by themselves when it is gone.
  bool needs_finalizer() const override { return false; }
  util::Result<engine::Removal> remove_node(Work& /*work*/) override { return engine::Removal{}; }

  util::Result<Alignment> align_node(Work& work) override {
    const engine::Node& node = work.node();
    KUBIST_TRY(const auto look, world().releases->look(node, work.spec()));
    const std::string request = pending_request(node);
    const auto asked = release::read_request(request.substr(0, request.find('@')));
    KUBIST_TRY(const release::Plan plan, paced(look->plan, work.spec()));
    const release::Tick tick = release::tick(plan, look->before, look->seen,
                                             work.context().decision, asked, work.context().now);
    const bool fresh = asked == release::Request::resume && tick.request_done;
    Alignment alignment;
    alignment.status = release::to_json(tick.progress);
    alignment.status["members"] = members(work, plan, look->before, tick.progress, fresh);
    alignment.status["nextWeight"] = next_weight(plan, tick.progress);
    const Json* history = data::find_path(node.status(), {"history"});
    alignment.status["history"] = release::history_after(
        history != nullptr ? *history : Json(), look->before, tick.progress, work.context().now);
    if (const auto measured = world().releases->measured(node)) {
      alignment.status["cursor"] =
          release::is_final(tick.progress.state) ? Json() : measured->cursor;
      alignment.status["measured"] = release::measured_after(
          node.status().value("measured", Json()), measured->window, look->plan, look->before);
    }
    ask_routes(work, plan, tick.progress, alignment.status["members"]);
    if ((release::is_final(tick.progress.state) || tick.progress.state == State::rolling_back) &&
        !work.dry()) {
      // The routes go back whether it can be ended or not; it is tried at each look.
      static_cast<void>(end_jobs(world(), work.context().graph, node, work.stop()));
    }
    report(tick, work.context().policy_error, alignment);
    if (asked != release::Request::none) {
      alignment.handled_request = answered(request, tick.request_done, tick.progress.message,
                                           cat("the release is ", to_string(look->before.state)));
    }
    return alignment;
  }

  // Policies set the pace; what is released, and where, was looked at before they ran.
  static util::Result<release::Plan> paced(release::Plan plan, const Json& spec) {
    KUBIST_TRY(release::Plan pace, release::read_plan({{"spec", spec}}));
    if (const auto match = traffic::parse_condition(pace.match); !match) {
      return util::fail(util::with_context(match.error(), "spec.match"));
    }
    const traffic::Copies copies = traffic::read_copies(pace.mirror);
    if (const auto match = traffic::parse_condition(copies.match); !match) {
      return util::fail(util::with_context(match.error(), "spec.mirror.match"));
    }
    plan.match = std::move(pace.match);
    plan.mirror = std::move(pace.mirror);
    plan.cookie = std::move(pace.cookie);
    plan.cookie_age = pace.cookie_age;
    plan.weights = std::move(pace.weights);
    plan.in_waves = pace.in_waves;
    plan.waves = std::move(pace.waves);
    plan.interval = pace.interval;
    plan.bake = pace.bake;
    plan.hold_limit = pace.hold_limit;
    return plan;
  }

  static Json next_weight(const release::Plan& plan, const release::Progress& progress) {
    const bool none = release::is_final(progress.state) || progress.weight >= 100 ||
                      progress.state == State::rolling_back;
    return none ? Json() : Json(release::next_weight(plan, progress.weight));
  }

  // What the routes were when their weights were first moved: other routes later are an edit.
  static Json members(Work& work, const release::Plan& plan, const release::Progress& before,
                      const release::Progress& after, bool fresh) {
    const Json* known = data::find_path(work.node().status(), {"members"});
    const bool begins = !release::is_moved(before) && release::is_moved(after);
    if (!release::is_moved(after)) {
      return Json();
    }
    return begins || fresh || known == nullptr ? members_of(work.context().graph, work.node(), plan)
                                               : *known;
  }

  void ask_routes(Work& work, const release::Plan& plan, const release::Progress& progress,
                  const Json& members) {
    const bool over = progress.state == State::succeeded;
    const auto held = not_reached(work, plan, progress);
    if (progress.state == State::pending || progress.state == State::failed) {
      return;  // their weights are their own, or nobody knows
    }
    for (const std::string& route : plan.routes) {
      RouteWish wish;
      wish.by = cat(work.node().key.kind, '/', work.node().key.name);
      wish.attempt = progress.attempt;
      wish.final = over;
      wish.held = held;
      if (release::is_moved(progress)) {
        wish.shift = traffic::Shift{plan.destination,
                                    plan.stable,
                                    plan.canary,
                                    progress.weight,
                                    over ? std::string() : plan.match,
                                    over ? traffic::Copies() : traffic::read_copies(plan.mirror),
                                    affinity(work.node(), plan, progress)};
      }
      const engine::Key key = route_key(work.node(), route);
      if (!over || unchanged(work.context().graph, key, members)) {
        world().releases->wish(key, std::move(wish));
      }
    }
  }

  /// The same in every run of an attempt, and in no other attempt.
  static traffic::Affinity affinity(const engine::Node& node, const release::Plan& plan,
                                    const release::Progress& progress) {
    return {plan.cookie, util::sha256_hex(cat(node.uid, '/', progress.attempt)).substr(0, 16),
            plan.cookie_age};
  }

  /// The virtual clusters that the step has not reached, with what they have.
  static std::map<std::string, int> not_reached(Work& work, const release::Plan& plan,
                                                const release::Progress& progress) {
    std::map<std::string, int> held;
    const auto targets = targets_of(work.context().graph, work.node());
    for (const auto& [cluster, wave] : release::waves_of(plan, {targets.begin(), targets.end()})) {
      if (wave > progress.wave) {
        held[cluster] = progress.from;
      }
    }
    return held;
  }

  // After the release the spec wins.
  static bool unchanged(const engine::Graph& graph, const engine::Key& route, const Json& members) {
    for (const engine::NodeId id : graph.find(route)) {
      const Json* routes = data::find_path(graph[id].spec(), {"routes"});
      for (const Json& member : members) {
        if (routes != nullptr && data::string_at(member, {"route"}) == route.name) {
          return data::string_at(member, {"forSpec"}) == traffic::routes_hash(*routes);
        }
      }
    }
    return false;
  }

  static void report(const release::Tick& tick, const util::Error* policy_error,
                     Alignment& alignment) {
    const release::Progress& progress = tick.progress;
    alignment.reason =
        progress.reason.empty() ? std::string(to_string(progress.state)) : progress.reason;
    alignment.message = progress.message;
    if (alignment.message.empty() && progress.state != State::succeeded) {
      alignment.message = "neither a policy nor its status says why";
    }
    alignment.requeue_after = tick.look_again;
    alignment.needs_new_run = true;  // the routes move in between
    switch (progress.state) {
      case State::succeeded:
        alignment.outcome = Outcome::ready;
        break;
      case State::rolled_back:
      case State::aborted:
        alignment.rolled_back = true;
        [[fallthrough]];
      case State::failed:
        alignment.outcome = Outcome::stalled;
        break;
      case State::rolling_back:
        alignment.outcome = Outcome::progressing;
        break;
      default:
        alignment.outcome = Outcome::progressing;
        if (policy_error != nullptr) {
          alignment.outcome = engine::alignment_of(*policy_error).outcome;
          alignment.error = *policy_error;
        }
    }
  }
};

}  // namespace

std::shared_ptr<engine::Executor> make_canary_release_executor(World& world) {
  return std::make_shared<CanaryReleaseExecutor>(world);
}

}  // namespace kubist::executors
