#include "functions/function_executor.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/engine/resource_list.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/readiness.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "functions/function_wish.hpp"
#include "keep/namespaces.hpp"
#include "keep/sites.hpp"
#include "releases/releases.hpp"
#include "traffic/destination_users.hpp"
#include "traffic/traffic.hpp"
#include "world/survey.hpp"

namespace kubist::executors {

using data::Json;
using engine::Alignment;
using engine::ExecutorOutput;
using engine::Outcome;
using resources::ObjectView;
using util::cat;

namespace {

Json without_servers_fields(Json object) {
  data::erase_path(object, {"metadata", "managedFields"});
  data::erase_path(object, {"metadata", "resourceVersion"});
  return object;
}

class FunctionExecutor final : public TrafficExecutor {
 public:
  FunctionExecutor(World& world, util::Result<ExecutorFunction> function)
      : TrafficExecutor(world), m_function(std::move(function)) {}

 private:
  util::Result<Alignment> align_traffic(Work& work, const TrafficPlace& place) override {
    if (!m_function) {
      return util::fail(m_function.error());
    }
    Left left = left_by_last(work.node());
    OwnedObjects objects(work, place, left.inventory);
    KUBIST_TRY(const Json input, make_input(work, place, objects, left.told));
    KUBIST_TRY(const ExecutorOutput said, call(work, input));
    KUBIST_TRY(const auto wishes, wishes_of(work, place, said.objects));
    auto live = objects.keep(wishes);
    const auto pruned = live ? objects.prune(users_of(work, place)) : util::fail(live.error());
    left.inventory = objects.inventory();
    if (pruned) {
      left.told = told(said, left.told);
    }
    remember(work.node(), left);
    KUBIST_CHECK(pruned);
    Alignment alignment;
    alignment.message = data::string_at(left.told, {"message"});
    alignment.conditions.push_back(objects.drift_condition());
    alignment.requeue_after = said.requeue_after;
    alignment.status["inventory"] = std::move(left.inventory);
    alignment.status["executor"] = std::move(left.told);
    if (!work.dry()) {
      judge(work, *live, alignment);
    }
    return alignment;
  }

  /// What a look left. In a run with several, the node is as it was before the first.
  struct Left {
    Json inventory;
    Json told;  ///< status.executor
  };
  Left left_by_last(const engine::Node& node) {
    const std::lock_guard lock(m_mutex);
    const auto found = m_left.find(node.id);
    return found != m_left.end() ? found->second
                                 : Left{node.status().value("inventory", Json()),
                                        node.status().value("executor", Json::object())};
  }
  void remember(const engine::Node& node, const Left& left) {
    const std::lock_guard lock(m_mutex);
    m_left.insert_or_assign(node.id, left);
  }

  // A Service that routes send to waits for them, whoever's executor made it.
  Users users_of(Work& work, const TrafficPlace& place) override {
    if (work.node().key.kind != "Destination") {
      return {};
    }
    auto users = std::make_shared<DestinationUsers>(work, place);
    return [users](const std::string& kind, const std::string& name) {
      return kind == "Service" || kind == "DestinationRule" ? users->of(kind, name)
                                                            : std::vector<std::string>{};
    };
  }

  const engine::PolicyDefinition& definition() const { return *m_function->definition; }

  /// With the function's name; its reason stays, or is ExecutorFailed.
  util::Error failure(util::Error error) const {
    const std::string reason = error.reason.empty() ? "ExecutorFailed" : error.reason;
    error = util::with_context(std::move(error), cat("executor ", definition().name));
    error.reason = reason;
    return error;
  }

  util::Result<Json> make_input(Work& work, const TrafficPlace& place, OwnedObjects& objects,
                                const Json& last_told) {
    const engine::Context& context = work.context();
    engine::PolicyInput input;
    input.settings = context.graph.settings(work.node().id);
    auto parameters = engine::resolve_parameters(definition(), context.parameters, input.settings);
    if (!parameters) {
      return util::fail(failure(parameters.error()));
    }
    input.parameters = *std::move(parameters);
    if (world().releases != nullptr) {
      auto metrics = world().releases->metrics(work.node(), definition(), input.parameters);
      if (!metrics) {
        return util::fail(failure(metrics.error()));
      }
      input.metrics = *std::move(metrics);
    }
    input.resource = engine::resource_for_policies(effective_object(work));
    if (definition().wants_objects) {
      KUBIST_TRY(auto live, objects.live());
      std::transform(live.begin(), live.end(), std::back_inserter(input.observed),
                     without_servers_fields);
    }
    input.state = state_of(last_told);
    input.target = {{"namespace", place.ns}};
    if (place.virtual_cluster != nullptr) {
      input.target["virtualCluster"] = place.virtual_cluster->key.name;
    }
    input.now = context.now;
    input.run_id = context.run.id;
    input.attempt = work.node().status_summary.failures + 1;
    input.seed = util::sha256_hex(cat(context.run.id, '/', work.node().uid)).substr(0, 16);
    return engine::make_policy_input(definition(), input);
  }

  util::Result<ExecutorOutput> call(Work& work, const Json& input) {
    auto answers = definition().runtime->evaluate(definition(), std::span(&input, 1), work.stop());
    const util::Result<Json>& output = answers.at(0).output;
    auto read = output ? engine::read_executor_output(input, *output)
                       : util::Result<ExecutorOutput>(util::fail(output.error()));
    return read ? std::move(read) : util::fail(failure(read.error()));
  }

  util::Result<std::vector<Wish>> wishes_of(Work& work, const TrafficPlace& place,
                                            const std::vector<Json>& objects) {
    if (objects.size() > k_max_function_objects) {
      return util::fail(failure(refused(
          "ExecutorFailed",
          cat("it returned ", objects.size(), " objects, more than ", k_max_function_objects),
          "Split the resource.")));
    }
    std::vector<Wish> wishes;
    std::set<resources::ObjectRef> seen;
    std::set<std::string> namespaces{place.ns};
    for (const Json& object : objects) {
      const ObjectView view(object);
      auto resource =
          place.client->discovery().find_kind(view.api_version(), view.kind(), work.stop());
      auto wish = resource ? read_wish(*m_function, object, *resource, place.ns)
                           : util::Result<Wish>(util::fail(resource.error()));
      if (wish && wish->resource.namespaced && namespaces.insert(wish->ns).second) {
        if (auto allowed = check_namespace(work, place, wish->ns); !allowed) {
          wish = util::fail(allowed.error());
        }
      }
      if (!wish) {
        return util::fail(failure(wish.error()));
      }
      if (!seen.insert({resource->group, resource->kind, wish->ns, wish->name}).second) {
        return util::fail(failure(refused(
            "ExecutorFailed", cat("it returned ", resource->kind, '/', wish->name, " twice"),
            "Let it return each object once.")));
      }
      wishes.push_back(*std::move(wish));
    }
    return wishes;
  }

  /// Of a namespace besides the target, which its VirtualCluster answers for.
  util::Result<> check_namespace(Work& work, const TrafficPlace& place, const std::string& ns) {
    const engine::Node& node = work.node();
    if (place.cluster.empty()) {
      const engine::Graph& graph = work.context().graph;
      KUBIST_CHECK(check_home_namespace(graph, node.key.ns, ns));
      KUBIST_CHECK(world().sites.admit(*graph.project_of(node.key.ns), ns, work.stop()));
    }
    const auto not_allowed = [&](std::string message) {
      return util::fail(refused("NamespaceNotAllowed", std::move(message),
                                "Let the executor use another namespace."));
    };
    if (resources::is_reserved_namespace(ns)) {
      return not_allowed(cat("namespace ", ns, " is reserved"));
    }
    KUBIST_TRY(const auto live,
               place.own_client->find(kube::well_known::namespaces(), "", ns, work.stop()));
    if (!live) {
      return not_allowed(cat("namespace ", ns, " does not exist"));
    }
    const std::string_view owner = ObjectView(*live).annotation(k_owner_annotation);
    const auto parts = util::split(owner, '/');  // home, kind, namespace, name
    const bool same_project = parts.size() == 4 && parts[0] == world().home_uid &&
                              (parts[1] == "Project" || parts[2] == node.key.ns);
    return owner.empty() || same_project
               ? util::Result<>{}
               : not_allowed(cat("namespace ", ns, " belongs to ", owner));
  }

  Json state_of(const Json& last_told) const {
    return data::string_at(last_told, {"name"}) == definition().name
               ? last_told.value("state", Json())
               : Json();
  }

  /// status.executor after it.
  Json told(const ExecutorOutput& said, const Json& last_told) const {
    std::vector<std::string> messages;
    for (const engine::PolicyMessage& result : said.results) {
      messages.push_back(result.message);
    }
    Json told{{"name", definition().name}};
    if (!messages.empty()) {
      told["message"] = util::join(messages, "; ");
    }
    if (Json state = said.state ? *said.state : state_of(last_told); !state.is_null()) {
      told["state"] = std::move(state);
    }
    return told;
  }

  /// Ready when all of its objects are, by the rules of kstatus.
  static void judge(Work& work, const std::vector<Json>& live, Alignment& alignment) {
    std::vector<std::string> waits;
    for (const Json& object : live) {
      if (object.is_null()) {
        continue;
      }
      const auto readiness = resources::readiness(object, work.context().now);
      const std::string what = cat(ObjectView(object).kind(), '/', ObjectView(object).name(),
                                   readiness.message.empty() ? "" : ": ", readiness.message);
      if (readiness.status == resources::Status::failed) {
        alignment.outcome = Outcome::failed;
        alignment.reason = "ObjectFailed";
        alignment.message = what;
        return;
      }
      if (readiness.status == resources::Status::in_progress) {
        waits.push_back(what);
      }
    }
    if (!waits.empty()) {
      constexpr std::chrono::milliseconds k_poll{500};
      alignment.outcome = Outcome::progressing;
      alignment.reason = "ObjectsNotReady";
      alignment.message = util::join(waits, "; ");
      alignment.requeue_after = std::min(alignment.requeue_after.value_or(k_poll), k_poll);
    }
  }

  util::Result<ExecutorFunction> m_function;
  std::mutex m_mutex;
  std::map<engine::NodeId, Left> m_left;  ///< an executor lives for one run
};

}  // namespace

std::shared_ptr<engine::Executor> make_function_executor(World& world,
                                                         util::Result<ExecutorFunction> function) {
  return std::make_shared<FunctionExecutor>(world, std::move(function));
}

}  // namespace kubist::executors
