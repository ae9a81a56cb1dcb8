#include "functions/function_executor.hpp"

#include <algorithm>
#include <mutex>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "functions/function_call.hpp"
#include "keep/alignments.hpp"
#include "keep/function_place.hpp"
#include "traffic/destination_users.hpp"

namespace kubist::executors {

using data::Json;
using engine::Alignment;
using engine::ExecutorOutput;
using util::cat;

namespace {

/// What a look left. In a run with several, the node is as it was before the first.
struct Left {
  Json inventory;
  Json told;  ///< status.executor without the inventory
};

/// Where both keep one object, each would undo what the other wrote.
Alignment apart(Alignment both) {
  const Json& own = both.status.value("inventory", Json());
  for (const Json& entry : data::array_at(both.status, {"executor", "inventory"})) {
    const resources::ObjectRef object = read_entry(entry).ref;
    if (is_listed(own, object)) {
      both.outcome = engine::Outcome::stalled;
      both.reason = "ObjectTaken";
      both.message =
          cat(object.kind, '/', object.name, " is kept by the executor and by the built-in one");
      both.children.reset();
    }
  }
  return both;
}

/// An error as what it means, so that what the other of the two gave is kept.
Alignment settled(util::Result<Alignment> aligned) {
  return aligned ? *std::move(aligned) : alignment_of_failure(aligned.error());
}

class FunctionExecutor final : public ManagedExecutor {
 public:
  FunctionExecutor(World& world, util::Result<ExecutorFunction> function, BuiltIns built_ins)
      : ManagedExecutor(world), m_function(std::move(function)), m_bases(std::move(built_ins)) {}

  util::Result<Alignment> align_node(Work& work) override {
    KUBIST_CHECK(m_function);
    ManagedExecutor* base = wrapped();
    if (base == nullptr) {
      return run(work, Json::object());
    }
    if (work.context().policy_error != nullptr) {
      return base->align_node(work);  // the function knows nothing of a spec that nobody agreed on
    }
    const auto built_in = [&] { return settled(base->align_node(work)); };
    if (m_function->before) {
      Alignment own = settled(run(work, Json::object()));
      if (own.outcome != engine::Outcome::ready) {
        own.children = false;  // nothing is there for them yet
        return own;
      }
      return apart(joined(built_in(), std::move(own)));
    }
    Alignment first = built_in();
    if (first.outcome != engine::Outcome::ready) {
      return first;
    }
    Alignment own = settled(run(work, first.status));
    return joined(std::move(first), std::move(own));
  }

  // What the function made is gone when this is called, but for what stands for a built-in's.
  util::Result<engine::Removal> remove_node(Work& work) override {
    if (ManagedExecutor* base = base_of(work.node())) {
      return base->remove_node(work);
    }
    const Json& inventory = own_inventory(work.node().status());
    return inventory.empty() ? engine::Removal{}
                             : remove_listed(
                                   work, inventory, function_place(work, "", true),
                                   [](const TrafficPlace&) { return Users{}; }, Orphans::by_policy);
  }

  engine::Waits waits(const engine::Node& node) const override {
    const ManagedExecutor* base = wrapped();
    return base != nullptr ? base->waits(node) : engine::Waits::no;
  }
  bool aligns_without_policies() const override {
    const ManagedExecutor* base = wrapped();
    return base != nullptr && base->aligns_without_policies();
  }
  std::vector<engine::Key> followers(const engine::Node& node) const override {
    const ManagedExecutor* base = wrapped();
    return base != nullptr ? base->followers(node) : std::vector<engine::Key>();
  }

 private:
  /// The built-in executor of the node's kind; null: of a kind of somebody's own.
  ManagedExecutor* base_of(const engine::Node& node) const {
    const auto found = m_bases.find(node.key.kind);
    return found != m_bases.end() && node.key.group == resources::k_kubist_group
               ? found->second.get()
               : nullptr;
  }
  /// The one that it runs beside; null: it runs instead.
  ManagedExecutor* wrapped() const {
    const auto found = m_function ? m_bases.find(m_function->wraps) : m_bases.end();
    return found != m_bases.end() ? found->second.get() : nullptr;
  }
  /// Is what it makes in status.inventory? Where the built-in executor keeps objects in a virtual
  /// cluster, the executor that the node names has them all.
  bool stands_for_built_in(const engine::Node& node) const {
    return m_function->wraps.empty() &&
           (base_of(node) == nullptr || is_function_kind(node.key.kind));
  }
  bool has_function(const engine::Node& node) const override {
    const std::string_view former = data::string_at(node.status(), {"executor", "name"});
    return !m_function || former == m_function->definition->name;
  }
  bool is_function() const override { return true; }

  util::Result<Alignment> run(Work& work, const Json& observed) {
    auto place = function_place(work, m_function->account, false);
    if (!place && place.error().reason == k_account_not_yours) {
      return left_to_others(work.node(), place.error());
    }
    KUBIST_CHECK(place);
    FunctionCall function(work, *m_function);
    const bool own_list = stands_for_built_in(work.node());
    const auto book = [own_list](const Json& told) {
      return own_list ? InventoryBook() : InventoryBook::of_function(told);
    };
    Left left = left_by_last(work.node(), own_list);
    if (place->client == nullptr && !left.inventory.empty()) {
      return util::fail(refused("ExecutorFailed",
                                "nobody may change what it made: its definition names no account",
                                "An administrator can set spec.serviceAccountName of the "
                                "ExecutorDefinition."));
    }
    OwnedObjects objects(work, *place, left.inventory, book(function.own(left.told)));
    KUBIST_TRY(const ExecutorOutput said, function.ask(*place, objects, left.told, observed));
    KUBIST_TRY(const auto wishes,
               function.wishes(*place, said.objects, observed.value("inventory", Json())));
    auto live = objects.keep(wishes);
    const auto pruned = live ? objects.prune(users_of(work, *place)) : util::fail(live.error());
    left.inventory = objects.inventory();
    if (!pruned) {
      remember(work.node(), left);
      return pruned.error().reason == "ObjectTerminating"
                 ? util::Result<Alignment>(waiting("ObjectTerminating", pruned.error().message,
                                                   std::chrono::milliseconds(300)))
                 : util::fail(pruned.error());
    }
    Alignment alignment =
        alignment_of(said, work.dry() ? std::vector<Json>{} : *live, work.context().now);
    alignment.conditions.push_back(objects.drift_condition());
    drop_conditions(left.told, alignment);
    left.told = function.told(said, left.told, alignment.outcome == engine::Outcome::ready);
    remember(work.node(), left);
    if (work.dry()) {
      alignment.requeue_after.reset();  // nothing changes in a dry run
    }
    if (alignment.message.empty()) {
      alignment.message = data::string_at(left.told, {"message"});
    }
    alignment.status["executor"] = left.told;
    alignment.status.update(book(left.told).fields(left.inventory));
    return alignment;
  }

  Left left_by_last(const engine::Node& node, bool own_list) {
    const std::lock_guard lock(m_mutex);
    if (const auto found = m_left.find(node.id); found != m_left.end()) {
      return found->second;
    }
    const Json& status = node.status();
    Left left{own_inventory(status), data::object_at(status, {"executor"})};
    if (!own_list) {  // another function's has gone before
      left.inventory = has_function(node) ? function_inventory(status) : Json();
    }
    left.told.erase("inventory");
    return left;
  }
  void remember(const engine::Node& node, const Left& left) {
    const std::lock_guard lock(m_mutex);
    m_left.insert_or_assign(node.id, left);
  }

  // A Service that routes send to waits for them, whoever's executor made it.
  static Users users_of(Work& work, const TrafficPlace& place) {
    if (work.node().key.kind != "Destination") {
      return {};
    }
    auto users = std::make_shared<DestinationUsers>(work, place);
    return [users](const std::string& kind, const std::string& name) {
      return kind == "Service" || kind == "DestinationRule" ? users->of(kind, name)
                                                            : std::vector<std::string>{};
    };
  }

  util::Result<ExecutorFunction> m_function;
  BuiltIns m_bases;
  std::mutex m_mutex;
  std::map<engine::NodeId, Left> m_left;  ///< an executor lives for one run
};

}  // namespace

std::shared_ptr<engine::Executor> make_function_executor(World& world,
                                                         util::Result<ExecutorFunction> function,
                                                         BuiltIns built_ins) {
  return std::make_shared<FunctionExecutor>(world, std::move(function), std::move(built_ins));
}

}  // namespace kubist::executors
