#include <mutex>
#include <set>

#include <kubist/deployers/handshake.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/util/text.hpp>

#include "keep/item_world.hpp"
#include "keep/kinds.hpp"
#include "keep/sites.hpp"
#include "policies/container_runtime.hpp"

// A DeployItem that stands by itself. Its finalizer and its status are its deployer's.
namespace kubist::executors {

using deployers::ItemOutcome;
using deployers::Progress;
using engine::Alignment;
using engine::Removal;

namespace {

class DeployItemExecutor final : public engine::Executor {
 public:
  explicit DeployItemExecutor(World& world) : m_world(world) {}
  engine::Waits waits(const engine::Node& /*node*/) const override {
    return engine::Waits::for_others;
  }

  util::Result<Alignment> align(const engine::Node& node, const engine::Context& context) override {
    Work work(m_world, node, context);
    Alignment alignment;
    if (work.dry() && is_function_item(node)) {
      alignment.reason = "DryRun";
      return alignment;
    }
    deployers::World items = items_world(work);
    KUBIST_CHECK(check_account(context.graph, *node.object));
    KUBIST_CHECK(
        act_outside(items, m_world.sites, context.graph, *node.object, fallback(), context.stop));
    if (is_function_item(node)) {
      return align_function(work, items);
    }
    if (m_world.all_outside && context.graph.project_of(node.key.ns) == nullptr) {
      items.settings.local_charts = false;  // nobody named it
    }
    KUBIST_CHECK(check_unchanged(node, context));
    KUBIST_TRY(const ItemOutcome outcome,
               work.dry() ? deployers::preview_item(items, *node.object, m_world.force)
                          : deployers::run_item(items, node.key.ns, node.key.name,
                                                {.force = m_world.force,
                                                 .known = unseen(node),
                                                 .generation = generation_of(node)}));
    alignment.outcome = outcome_of(outcome);
    alignment.reason = outcome.reason;
    alignment.message =
        outcome.drift.empty() ? outcome.message : util::cat("drift: ", outcome.drift);
    alignment.writes = work.writes();
    return alignment;
  }

  util::Result<Removal> remove(const engine::Node& node, const engine::Context& context) override {
    Work work(m_world, node, context);
    const deployers::RemoveItemOptions options{.skip_uninstall = m_world.skip_uninstall,
                                               .abandon = m_world.abandon};
    if (work.dry()) {
      Removal removal;
      removal.message = deployers::removal_text(*node.object, m_world.deployers, options);
      return removal;
    }
    deployers::World items = items_world(work);
    KUBIST_CHECK(
        act_outside(items, m_world.sites, context.graph, *node.object, fallback(), context.stop));
    KUBIST_CHECK(deployers::request_item_deletion(items, node.key.ns, node.key.name, node.uid));
    KUBIST_TRY(const ItemOutcome outcome,
               deployers::remove_item(items, node.key.ns, node.key.name, options));
    if (outcome.state == Progress::State::running) {
      Removal removal = removal_running(outcome.reason, outcome.message);
      removal.writes = work.writes();
      return removal;
    }
    Removal removal;
    if (outcome.state == Progress::State::failed) {
      removal.state = engine::RemovalState::failed;
    }
    removal.reason = outcome.reason;
    removal.message = outcome.message;
    removal.left_behind = outcome.left_behind;
    removal.writes = work.writes();
    return removal;
  }

 private:
  ProjectAccounts::Fallback fallback() const {
    return m_world.all_outside ? ProjectAccounts::Fallback::none
                               : ProjectAccounts::Fallback::own_rights;
  }

  /// A DeployItem runs as it is written: others drive it, too.
  static util::Result<> check_unchanged(const engine::Node& node, const engine::Context& context) {
    return context.spec == node.spec()
               ? util::Result<>()
               : util::fail(util::ErrorKind::invalid,
                            util::cat(engine::to_string(node),
                                      ": a policy changed its spec, and a DeployItem runs as it "
                                      "is written"),
                            "Have the policy change the Execution that makes the item.",
                            "PolicyNotApplicable");
  }

  /// What its policies have seen; 0: it has none.
  static std::int64_t generation_of(const engine::Node& node) {
    return node.policies.empty() ? 0 : node.generation;
  }

  /// That of a function is run by who asks it; here it only goes when nobody does any more.
  static util::Result<Alignment> align_function(Work& work, deployers::World& items) {
    const engine::Node& node = work.node();
    Alignment alignment;
    alignment.reason = "Function";
    if (!is_function_used(work.context().graph, node)) {
      KUBIST_CHECK(deployers::request_item_deletion(items, node.key.ns, node.key.name, node.uid));
      KUBIST_TRY(const ItemOutcome gone, deployers::remove_item(items, node.key.ns, node.key.name));
      alignment.reason = "Unused";
      alignment.message = gone.message;
      alignment.writes = work.writes();
    }
    return alignment;
  }

  static engine::Outcome outcome_of(const ItemOutcome& outcome) {
    switch (outcome.state) {
      case Progress::State::done:
        return engine::Outcome::ready;
      case Progress::State::running:
        return engine::Outcome::progressing;
      case Progress::State::failed:
        break;
    }
    // What somebody ended is not begun again because of that.
    return outcome.reason == deployers::k_interrupted ||
                   deployers::needs_somebody(outcome.item.value("status", data::Json::object()))
               ? engine::Outcome::stalled
               : engine::Outcome::failed;
  }

  /// The node's object, as the first look of a run finds it: nothing of the run has changed it, and
  /// what this process wrote before is in it (ObjectSource).
  std::shared_ptr<const data::Json> unseen(const engine::Node& node) {
    const std::lock_guard lock(m_mutex);
    return m_seen.insert(node.id).second ? node.object : nullptr;
  }

  World& m_world;
  std::mutex m_mutex;
  std::set<engine::NodeId> m_seen;  ///< guarded by m_mutex
};

}  // namespace

std::shared_ptr<engine::Executor> make_deploy_item_executor(World& world) {
  return std::make_shared<DeployItemExecutor>(world);
}

}  // namespace kubist::executors
