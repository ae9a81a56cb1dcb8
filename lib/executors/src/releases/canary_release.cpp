#include <kubist/data/pointer.hpp>
#include <kubist/release/measured.hpp>
#include <kubist/release/request.hpp>
#include <kubist/release/routes.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "keep/kinds.hpp"
#include "keep/managed.hpp"
#include "releases/release_jobs.hpp"
#include "releases/release_metrics.hpp"

namespace kubist::executors {

using data::Json;
using engine::Alignment;
using engine::Outcome;
using release::State;
using util::cat;

namespace {

/// Decides how much of its routes' traffic the canary gets. The routes run after it and move their
/// weights; the next evaluation sees whether they have.
class CanaryReleaseExecutor final : public ManagedExecutor {
 public:
  using ManagedExecutor::ManagedExecutor;
  // Else a broken policy would keep a canary where it is, without a limit and whatever people ask.
  bool aligns_without_policies() const override { return true; }
  // Below the Project it moves routes on several virtual clusters, which run when it has decided.
  std::vector<engine::Key> followers(const engine::Node& node) const override {
    return node.target.empty() ? release::routes_of(node) : std::vector<engine::Key>();
  }

 private:
  // Its routes let go of its weights by themselves when it is gone.
  bool needs_finalizer() const override { return false; }
  util::Result<engine::Removal> remove_node(Work& /*work*/) override { return engine::Removal{}; }

  util::Result<Alignment> align_node(Work& work) override {
    const engine::Node& node = work.node();
    KUBIST_TRY(const auto snapshot, world().releases->snapshot(node, work.spec()));
    const std::string request = release::pending_request(node);
    const auto asked = release::read_request(release::verb_of(request));
    // Policies set the pace; what is released, and where, was read before they ran.
    KUBIST_TRY(const release::Plan plan, release::paced(snapshot->plan, work.spec()));
    const release::Tick tick = release::tick(plan, snapshot->before, snapshot->seen,
                                             work.context().decision, asked, work.context().now);
    Alignment alignment;
    alignment.status = release::to_json(tick.progress);
    alignment.status["members"] =
        release::members_after(work.context().graph, node, plan, snapshot->before, tick.progress,
                               asked == release::Request::resume && tick.request_done);
    alignment.status["nextWeight"] = next_weight(plan, tick.progress);
    const Json* history = data::find_path(node.status(), {"history"});
    alignment.status["history"] =
        release::history_after(history != nullptr ? *history : Json(), snapshot->before,
                               tick.progress, work.context().now);
    if (const auto measured = world().releases->measured(node)) {
      alignment.status["cursor"] =
          release::is_final(tick.progress.state) ? Json() : measured->cursor;
      alignment.status["measured"] =
          release::measured_after(node.status().value("measured", Json()), measured->window,
                                  snapshot->plan, snapshot->before);
    }
    ask_routes(work, plan, tick.progress, alignment.status["members"]);
    if ((release::is_final(tick.progress.state) || tick.progress.state == State::rolling_back) &&
        !work.dry()) {
      // The routes go back whether it can be ended or not; it is tried at each evaluation.
      static_cast<void>(end_jobs(world(), work.context().graph, node, work.stop()));
    }
    report(tick, work.context().policy_error, alignment);
    if (asked != release::Request::none) {
      alignment.handled_request =
          release::answered(request, tick.request_done, tick.progress.message,
                            cat("the release is ", to_string(snapshot->before.state)));
    }
    return alignment;
  }

  static Json next_weight(const release::Plan& plan, const release::Progress& progress) {
    const bool none = release::is_final(progress.state) || progress.weight >= 100 ||
                      progress.state == State::rolling_back;
    return none ? Json() : Json(release::next_weight(plan, progress.weight));
  }

  void ask_routes(Work& work, const release::Plan& plan, const release::Progress& progress,
                  const Json& members) {
    const engine::Graph& graph = work.context().graph;
    const auto made = release::override_of(graph, work.node(), plan, progress);
    if (!made) {
      return;
    }
    for (const std::string& route : plan.routes) {
      const engine::Key key = release::route_key(work.node(), route);
      traffic::Override given = *made;
      if (work.context().policy_error != nullptr) {
        const auto found = graph.find(key);
        release::keep_present(found.empty() ? nullptr : &graph[found.front()], given);
      }
      // After the release the spec wins.
      if (!given.final || release::is_unchanged(graph, key, members)) {
        world().releases->give(key, std::move(given));
      }
    }
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

std::shared_ptr<ManagedExecutor> make_canary_release_executor(World& world) {
  return std::make_shared<CanaryReleaseExecutor>(world);
}

}  // namespace kubist::executors
