#include "canaries.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <kubist/data/pointer.hpp>
#include <kubist/engine/pipeline.hpp>
#include <kubist/policies/builtins.hpp>
#include <kubist/release/loop.hpp>
#include <kubist/release/measured.hpp>
#include <kubist/runtimes/jsonnet.hpp>
#include <kubist/util/text.hpp>

namespace {

using kubist::data::Json;
using kubist::util::cat;
namespace data = kubist::data;
namespace engine = kubist::engine;
namespace release = kubist::release;
namespace runtimes = kubist::runtimes;

constexpr const char* k_source = R"(function(list)
  local arms = list.functionConfig.metrics.window.arms;
  local rate(arm) = arm.errors / arm.requests;
  list { functionConfig+: { status: { decision:
    if rate(arms.v2) > rate(arms.v1) + 0.05 then { action: 'rollback', reason: 'Worse' }
    else { action: 'hold', reason: 'Fine' } } } })";

template <class T>
T must(kubist::util::Result<T> result) {
  if (!result) {
    die(result.error().to_string());
  }
  return *std::move(result);
}

class JsonnetRuntime final : public engine::PolicyRuntime {
 public:
  explicit JsonnetRuntime(const std::string& program) : m_jsonnet(options(program)) {}
  std::vector<engine::PolicyAnswer> evaluate(const engine::PolicyDefinition& definition,
                                             std::span<const Json> inputs,
                                             const std::stop_token& stop) override {
    std::vector<std::string> texts;
    for (const Json& input : inputs) {
      texts.push_back(input.dump());
    }
    std::vector<engine::PolicyAnswer> answers;
    for (const auto& answer : m_jsonnet.call(definition.name, definition.source, texts, stop)) {
      answers.push_back({Json::parse(must(answer.output)), answer.stderr_tail, false});
    }
    return answers;
  }

 private:
  static runtimes::JsonnetOptions options(const std::string& program) {
    runtimes::JsonnetOptions options;
    options.program = program;
    options.max_cached = 0;
    return options;
  }
  runtimes::Jsonnet m_jsonnet;
};

/// A window of 1,000 requests, as a gateway's histogram tells it.
Json window() {
  const auto arm = [](int requests, int errors) {
    Json latency = Json::array();
    for (const double le : {0.5, 1., 5., 10., 25., 50., 100., 250., 500., 1000., 2500., 5000.}) {
      latency.push_back({{"le", le}, {"count", requests}});
    }
    latency.push_back({{"le", "+Inf"}, {"count", requests}});
    return Json{{"requests", requests}, {"errors", errors}, {"latency", std::move(latency)}};
  };
  return {{"seconds", 30}, {"weight", 10}, {"arms", {{"v1", arm(900, 9)}, {"v2", arm(100, 1)}}}};
}

class Windows final : public engine::PolicyWorld {
 public:
  kubist::util::Result<Json> metrics(const engine::Node&, const engine::PolicyDefinition&,
                                     const Json&) override {
    return Json{{"window", m_window}};
  }
  kubist::util::Result<std::vector<Json>> observed(const engine::Node& node) override {
    return std::vector<Json>{
        {{"apiVersion", "kubist.io/v1alpha1"},
         {"kind", "ReleaseObservation"},
         {"metadata", {{"name", "v2"}}},
         {"target", {{"name", data::string_at(node.status(), {"target"})}, {"ready", true}}}}};
  }

 private:
  const Json m_window = window();
};

class Canaries {
 public:
  Canaries(std::size_t count, const std::string& kubist) {
    kubist::policies::add_builtins(m_catalog);
    if (!kubist.empty()) {
      auto definition = std::make_shared<engine::PolicyDefinition>();
      definition->name = "own";
      definition->origin = "ClusterPolicyDefinition";
      definition->schema = must(engine::compile_parameters(definition->parameters, "own"));
      definition->metrics = {{"window", engine::WindowQuery{}}};
      definition->source = k_source;
      definition->runtime = std::make_shared<JsonnetRuntime>(kubist);
      must(m_catalog.add(definition).map([] { return true; }));
    }
    for (std::size_t i = 0; i < count; ++i) {
      m_objects.push_back(object(i, kubist.empty() ? "Statistical" : "own"));
    }
    look();  // from here on there is the state of a look before
  }

  void look() {
    std::vector<engine::Node> nodes{engine::make_node(std::make_shared<const Json>(
        Json{{"apiVersion", "kubist.io/v1alpha1"},
             {"kind", "Project"},
             {"metadata", {{"name", "shop"}, {"uid", "shop"}, {"generation", 1}}},
             {"spec", Json::object()}}))};
    for (const Json& each : m_objects) {
      nodes.push_back(engine::make_node(std::make_shared<const Json>(each)));
    }
    const engine::Graph graph = engine::Graph::build(std::move(nodes));
    std::vector<engine::NodeId> ids;
    for (const engine::NodeId id : graph.preorder()) {
      if (graph[id].key.kind == "CanaryRelease") {
        ids.push_back(id);
      }
    }
    m_now += std::chrono::seconds(30);
    const auto verdicts =
        engine::run_policies(graph, ids, m_catalog, m_world, {"run", m_now, false}, m_now, {});
    for (std::size_t i = 0; i < ids.size(); ++i) {
      m_objects[i]["status"] = status_after(graph[ids[i]], verdicts[i]);
    }
  }

 private:
  static Json object(std::size_t i, const char* policy) {
    const std::string name = cat("canary-", i);
    return {{"apiVersion", "kubist.io/v1alpha1"},
            {"kind", "CanaryRelease"},
            {"metadata", {{"name", name}, {"namespace", "shop"}, {"uid", name}, {"generation", 1}}},
            {"spec",
             {{"destination", "web"},
              {"stable", "v1"},
              {"canary", "v2"},
              {"routes", {"web"}},
              {"policies", Json::array({{{"name", policy}}})}}},
            {"status",
             {{"state", "Progressing"},
              {"attempt", 1},
              {"weight", 10},
              {"target", "v2/0123456789"},
              {"stepStartedAt", "2026-11-23T10:00:00Z"},
              {"observedAt", "2026-11-23T10:00:00Z"}}}};
  }

  Json status_after(const engine::Node& node, const engine::PolicyVerdict& verdict) const {
    if (verdict.error || !verdict.decision) {
      die(verdict.error ? verdict.error->to_string() : "there is no decision");
    }
    const release::Plan plan = must(release::read_plan({{"spec", *verdict.spec}}));
    const release::Progress before = release::read_progress(node.status());
    release::Seen seen;
    seen.target = before.target;
    seen.target_ready = true;
    seen.members.push_back({"web", true, true, 10, false, ""});
    const release::Tick tick =
        release::tick(plan, before, seen, verdict.decision, release::Request::none, m_now);
    Json status = release::to_json(tick.progress);
    status["history"] = release::history_after(node.status().value("history", Json()), before,
                                               tick.progress, m_now);
    status["measured"] =
        release::measured_after(node.status().value("measured", Json()), m_window, plan, before);
    status["policies"] = verdict.status_policies;
    return status;
  }

  engine::PolicyCatalog m_catalog;
  Windows m_world;
  const Json m_window = window();
  std::vector<Json> m_objects;
  std::chrono::system_clock::time_point m_now{
      std::chrono::sys_days(std::chrono::year(2026) / std::chrono::November / 23) +
      std::chrono::hours(10)};
};

}  // namespace

std::function<void()> look_at_canaries(std::size_t count, const std::string& kubist) {
  const auto canaries = std::make_shared<Canaries>(count, kubist);
  return [canaries] { canaries->look(); };
}
