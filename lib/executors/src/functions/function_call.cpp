#include "functions/function_call.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "functions/function_wish.hpp"
#include "keep/function_place.hpp"
#include "keep/namespaces.hpp"
#include "keep/sites.hpp"
#include "releases/releases.hpp"

namespace kubist::executors {

using data::Json;
using engine::ExecutorOutput;
using resources::ObjectView;
using util::cat;

namespace {

Json without_servers_fields(Json object) {
  data::erase_path(object, {"metadata", "managedFields"});
  data::erase_path(object, {"metadata", "resourceVersion"});
  return object;
}

Json target_of(const engine::Node& node, const TrafficPlace& place) {
  Json target = Json::object();
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) {
      target[key] = value;
    }
  };
  add("namespace", place.ns);
  add("virtualCluster", place.virtual_cluster != nullptr    ? place.virtual_cluster->key.name
                        : node.key.kind == "VirtualCluster" ? node.key.name
                                                            : "");
  return target;
}

}  // namespace

util::Error FunctionCall::failure(util::Error error) const {
  return util::with_default_reason(
      util::with_context(std::move(error), cat("executor ", definition().name)), "ExecutorFailed");
}

util::Result<Json> FunctionCall::input(const TrafficPlace& place, OwnedObjects& objects,
                                       const Json& told, const Json& observed) {
  const engine::Context& context = m_work.context();
  const engine::Node& node = m_work.node();
  engine::PolicyInput input;
  input.settings = context.graph.settings(node.id);
  KUBIST_TRY(input.parameters,
             engine::resolve_parameters(definition(), context.parameters, input.settings));
  if (Releases* releases = m_work.world().releases) {
    KUBIST_TRY(input.metrics, releases->metrics(node, definition(), input.parameters));
  }
  Json resource = effective_object(m_work);
  if (!observed.empty()) {
    resource["status"].update(observed);
  }
  input.resource = engine::resource_for_policies(resource);
  if (definition().wants_objects) {
    KUBIST_TRY(auto live, objects.live());
    std::transform(live.begin(), live.end(), std::back_inserter(input.observed),
                   without_servers_fields);
  }
  input.state = state_of(told);
  input.target = target_of(node, place);
  input.now = context.now;
  input.run_id = context.run.id;
  input.attempt = node.status_summary.failures + 1;
  input.seed = util::sha256_hex(cat(context.run.id, '/', node.uid)).substr(0, 16);
  return engine::make_policy_input(definition(), input);
}

util::Result<ExecutorOutput> FunctionCall::ask(const TrafficPlace& place, OwnedObjects& objects,
                                               const Json& told, const Json& observed) {
  const auto said = [&]() -> util::Result<ExecutorOutput> {
    KUBIST_TRY(const Json asked, input(place, objects, told, observed));
    const auto begin = std::chrono::steady_clock::now();
    auto answers =
        definition().runtime->evaluate(definition(), std::span(&asked, 1), m_work.stop());
    if (const FunctionHook& traces = m_work.world().traces_function) {
      const engine::PolicyAnswer& answer = answers.at(0);
      traces(m_work.node().key, {.name = definition().name,
                                 .origin = definition().origin,
                                 .input = asked,
                                 .output = answer.output.value_or(Json()),
                                 .stderr_tail = answer.stderr_tail,
                                 .took = std::chrono::steady_clock::now() - begin,
                                 .cached = answer.cached});
    }
    KUBIST_TRY(const Json output, std::move(answers.at(0).output));
    return engine::read_executor_output(asked, output);
  }();
  return said ? said : util::fail(failure(said.error()));
}

util::Result<std::vector<Wish>> FunctionCall::wishes(const TrafficPlace& place,
                                                     const std::vector<Json>& objects,
                                                     const Json& taken) {
  const auto refuse = [&](std::string message, std::string hint) {
    return util::fail(failure(refused("ExecutorFailed", std::move(message), std::move(hint))));
  };
  if (objects.size() > k_max_function_objects) {
    return refuse(
        cat("it returned ", objects.size(), " objects, more than ", k_max_function_objects),
        "Split the resource.");
  }
  if (!objects.empty() && place.client == nullptr) {
    return refuse("nobody may make what it returned: its definition names no account",
                  "An administrator can set spec.serviceAccountName of the ExecutorDefinition.");
  }
  std::vector<Wish> wishes;
  std::set<resources::ObjectRef> seen;
  std::set<std::string> namespaces{place.ns};
  for (const Json& object : objects) {
    const ObjectView view(object);
    auto resource =
        place.client->discovery().find_kind(view.api_version(), view.kind(), m_work.stop());
    auto wish = resource ? read_wish(m_function, object, *resource, place.ns)
                         : util::Result<Wish>(util::fail(resource.error()));
    if (wish && wish->resource.namespaced && namespaces.insert(wish->ns).second) {
      if (auto allowed = check_namespace(place, wish->ns); !allowed) {
        wish = util::fail(allowed.error());
      }
    }
    if (!wish) {
      return util::fail(failure(wish.error()));
    }
    if (!seen.insert({resource->group, resource->kind, wish->ns, wish->name}).second) {
      return refuse(cat("it returned ", resource->kind, '/', wish->name, " twice"),
                    "Let it return each object once.");
    }
    if (is_listed(taken, {resource->group, resource->kind,
                          wish->resource.namespaced ? wish->ns : "", wish->name})) {
      return util::fail(failure(refused(
          "ObjectTaken", cat(resource->kind, '/', wish->name, " is kept by the built-in executor"),
          "Let the executor give its object another name, or run instead of the built-in one.")));
    }
    wishes.push_back(*std::move(wish));
  }
  return wishes;
}

/// Of a namespace besides the target, which its VirtualCluster answers for. What is made as an
/// account that administrators chose is in no namespace of another project's either, but for the
/// Root, which is above all.
util::Result<> FunctionCall::check_namespace(const TrafficPlace& place, const std::string& ns) {
  const std::string project_ns = m_work.project_namespace();
  World& world = m_work.world();
  const engine::Graph& graph = m_work.context().graph;
  const bool as_project = place.cluster.empty() && !place.ns.empty();
  if (as_project) {
    KUBIST_CHECK(check_home_namespace(graph, project_ns, ns));
    KUBIST_CHECK(world.sites.admit(*graph.project_of(project_ns), ns, m_work.stop()));
  }
  const auto not_allowed = [&](std::string message) {
    return util::fail(refused("NamespaceNotAllowed", std::move(message),
                              "Let the executor use another namespace."));
  };
  if (resources::is_reserved_namespace(ns)) {
    return not_allowed(cat("namespace ", ns, " is reserved"));
  }
  const bool is_root = project_ns.empty();
  const engine::Node* project = graph.project_of(ns);  // a run of one project knows of all Projects
  if (place.cluster.empty() && !is_root && project != nullptr && ns != project_ns) {
    return not_allowed(cat("namespace ", ns, " belongs to Project ", project->key.name));
  }
  KUBIST_TRY(const auto live,
             place.own_client->find(kube::well_known::namespaces(), "", ns, m_work.stop()));
  if (!live) {
    return not_allowed(cat("namespace ", ns, " does not exist"));
  }
  const std::string_view owner = ObjectView(*live).annotation(resources::k_owner_annotation);
  const auto parts = util::split(owner, '/');  // home, kind, namespace, name
  const bool same_project =
      parts.size() == 4 && parts[0] == world.home_uid &&
      (parts[2] == project_ns || (parts[1] == "Project" && (as_project || ns == project_ns)));
  return owner.empty() || same_project || is_root
             ? util::Result<>{}
             : not_allowed(cat("namespace ", ns, " belongs to ", owner));
}

Json FunctionCall::state_of(const Json& told) const {
  return data::string_at(told, {"name"}) == definition().name ? told.value("state", Json())
                                                              : Json();
}

Json FunctionCall::own(const Json& before) const {
  Json told = data::string_at(before, {"name"}) == definition().name
                  ? before
                  : Json{{"name", definition().name}};
  return told;
}

Json FunctionCall::told(const ExecutorOutput& said, const Json& before, bool ready) const {
  std::vector<std::string> messages;
  for (const engine::PolicyMessage& result : said.results) {
    messages.push_back(result.message);
  }
  Json told = own(before);
  const auto set = [&](const char* key, Json value, bool there) {
    told.erase(key);
    if (there) {
      told[key] = std::move(value);
    }
  };
  std::vector<std::string> types;
  for (const resources::Condition& each : said.conditions) {
    types.push_back(each.type);
  }
  set("message", util::join(messages, "; "), !messages.empty());
  set("conditions", types, !types.empty());
  set("observedGeneration", m_work.node().generation, ready);
  if (said.state) {
    set("state", *said.state, !said.state->is_null());
  }
  return told;
}

}  // namespace kubist::executors
