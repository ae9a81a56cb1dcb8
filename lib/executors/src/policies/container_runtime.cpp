#include "policies/container_runtime.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/function.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "keep/item_world.hpp"

namespace kubist::executors {

using data::Json;
using deployers::FunctionCall;
using engine::PolicyAnswer;
using engine::PolicyDefinition;
using util::cat;
using util::ErrorKind;

namespace {

constexpr std::size_t k_at_once = 16;
constexpr std::size_t k_shown_output = 2048;  // bytes of what a failed one printed
constexpr const char* k_timeout = "2m";

/// What a function may have that says nothing else.
Json default_resources() {
  return {{"requests", {{"cpu", "10m"}, {"memory", "32Mi"}}},
          {"limits", {{"cpu", "1"}, {"memory", "512Mi"}}}};
}

class ContainerRuntime final : public engine::PolicyRuntime {
 public:
  explicit ContainerRuntime(World* world) : m_world(world) {}

  std::vector<PolicyAnswer> evaluate(const PolicyDefinition& definition,
                                     std::span<const Json> inputs,
                                     const std::stop_token& stop) override {
    const PolicyAnswer none{util::fail(ErrorKind::cancelled, "it was not asked"), "", false};
    std::vector<PolicyAnswer> answers(inputs.size(), none);
    util::for_each_index(inputs.size(), k_at_once, [&](std::size_t i) {
      auto given = util::guarded([&] { return answer(definition, inputs[i], stop); });
      answers[i] = given ? *std::move(given) : PolicyAnswer{util::fail(given.error()), "", false};
    });
    return answers;
  }

 private:
  PolicyAnswer answer(const PolicyDefinition& definition, const Json& input,
                      const std::stop_token& stop) {
    if (m_world == nullptr) {
      return {util::fail(ErrorKind::invalid,
                         cat(definition.name, " is an image, which runs in a cluster only"),
                         "'kubist reconcile' runs it, 'kubist policy trace' shows its answer."),
              "", false};
    }
    auto call = call_of(definition, input);
    if (!call) {
      return {util::fail(call.error()), "", false};
    }
    const std::lock_guard one_at_a_time(mutex_of(cat(call->ns, '/', call->name)));
    deployers::World items = home_items_world(
        *m_world, call->ns, field_manager(cat(definition.origin, '/', definition.name)), stop);
    auto given = deployers::run_function(items, *call);
    if (!given) {
      return {util::fail(given.error()),
              given.error().reason == "FunctionFailed"
                  ? deployers::last_words(items, call->ns, call->name, k_shown_output)
                  : "",
              false};
    }
    return {completed(definition, input, std::move(given->value)), "", given->kept};
  }

  /// Calls of one DeployItem wait for each other: of a resource on several virtual clusters.
  std::mutex& mutex_of(const std::string& item) {
    const std::lock_guard lock(m_mutex);
    return m_items[item];
  }

  util::Result<FunctionCall> call_of(const PolicyDefinition& definition, const Json& input) const {
    const Json& resource = input["items"][0];
    const resources::ObjectView view(resource);
    FunctionCall call;
    call.ns =
        view.kind() == "Project" ? resources::project_namespace(resource) : std::string(view.ns());
    if (call.ns.empty()) {
      return util::fail(ErrorKind::invalid,
                        cat("a ", view.kind(), " has no namespace for the pod of an image"),
                        "Use jsonnet or exec there.");
    }
    call.function = definition.name;
    const auto target = data::string_at(input, {"functionConfig", "target", "virtualCluster"});
    call.name = deployers::short_name(cat("fn-", definition.name, '-', view.name()),
                                      cat(definition.origin, '/', definition.name, '/', view.kind(),
                                          '/', view.name(), '/', target));
    call.owner = {{"apiVersion", resource["apiVersion"]},
                  {"kind", view.kind()},
                  {"name", view.name()},
                  {"uid", view.uid()}};
    call.annotations[std::string(resources::k_owner_annotation)] =
        owner_mark(m_world->home_uid, view.ref());
    call.config = definition.runtime_config;
    call.timeout = data::string_at(call.config, {"timeout"}, k_timeout);
    call.config.erase("timeout");
    if (!call.config.contains("resources")) {
      call.config["resources"] = default_resources();
    }
    Json given = input;
    given["items"][0] = lasting(definition, resource);
    call.input = data::to_json(given);
    return call;
  }

  /// The resource without what changes from run to run though nobody changed it.
  static Json lasting(const PolicyDefinition& definition, Json resource) {
    if (!definition.wants_status) {
      resource.erase("status");
    }
    resource["metadata"].erase("finalizers");
    resource["metadata"].erase("generation");
    return resource;
  }

  /// Gives the resource of an answer back what the image did not get. One that was changed besides
  /// its spec stays as it came, to be refused.
  static Json completed(const PolicyDefinition& definition, const Json& input, Json answer) {
    Json* items = data::find_path(answer, {"items"});
    if (items == nullptr || !items->is_array() || items->empty() || !items->front().is_object()) {
      return answer;
    }
    Json& resource = items->front();
    Json same = lasting(definition, input["items"][0]);
    same["spec"] = resource.value("spec", Json());
    if (resource == same) {
      Json spec = std::move(resource["spec"]);
      resource = input["items"][0];
      resource["spec"] = std::move(spec);
    }
    return answer;
  }

  World* m_world;
  std::mutex m_mutex;
  std::map<std::string, std::mutex> m_items;  ///< guarded by m_mutex; entries stay for the run
};

}  // namespace

std::shared_ptr<engine::PolicyRuntime> make_container_runtime(World* world) {
  return std::make_shared<ContainerRuntime>(world);
}

bool is_function_item(const engine::Node& node) {
  return node.key.kind == "DeployItem" &&
         resources::ObjectView(*node.object).labels().contains(deployers::k_function_label);
}

bool is_function_used(const engine::Graph& graph, const engine::Node& item) {
  const resources::ObjectView view(*item.object);
  const auto function = data::string_at(view.labels(), {deployers::k_function_label});
  const auto owners = view.owners();
  const auto is_it = [&](const std::string& name) {
    return deployers::label_value(util::lower(name)) == function;
  };
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const engine::Node& node) {
    const bool owner = std::any_of(owners.begin(), owners.end(),
                                   [&](const auto& each) { return each.uid == node.uid; });
    return owner && ((node.executor && is_it(node.executor->name)) ||
                     std::any_of(node.policies.begin(), node.policies.end(),
                                 [&](const auto& call) { return is_it(call.name); }));
  });
}

}  // namespace kubist::executors
