#include "judges/metric_objective.hpp"

#include <array>

#include <kubist/data/jsonpath.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "policy/step_fields.hpp"

namespace kubist::policies {

using util::cat;
using Outcome = WindowCheck::Outcome;

namespace {

/// Flagger's built-in metrics, both of the canary.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> k_known{
    {{"request-success-rate", "100 * canary.successRate"}, {"request-duration", "canary.p99"}}};

/// Vamp's names for what the gateways count; each also with ".sum".
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> k_vamps{
    {{"response_code_2xx", "successes"},
     {"response_code_5xx", "errors"},
     {"requests_2xx", "successes"},
     {"requests_5xx", "errors"},
     {"internal_upstream_rq_2xx", "successes"},
     {"internal_upstream_rq_5xx", "errors"},
     {"internal_upstream_rq_total", "requests"},
     {"upstream_rq_total", "requests"},
     {"updated_replicas", "updatedReplicas"},
     {"available_replicas", "availableReplicas"},
     {"unavailable_replicas", "unavailableReplicas"}}};
constexpr std::string_view k_sum = ".sum";
constexpr std::string_view k_canary = "canary.";
constexpr std::string_view k_stable = "stable.";

std::vector<std::string> vamps_names() {
  std::vector<std::string> names = WindowValues::names_of_version();
  for (const auto& [name, meant] : k_vamps) {
    names.emplace_back(name);
    names.push_back(cat(name, k_sum));
  }
  for (const char* name : {"requests", "errors"}) {
    names.push_back(cat(name, k_sum));
  }
  return names;
}

std::string meaning(std::string_view name) {
  if (name.ends_with(k_sum)) {
    name.remove_suffix(k_sum.size());
  }
  for (const auto& [vamps, meant] : k_vamps) {
    if (name == vamps) {
      return std::string(meant);
    }
  }
  return std::string(name);
}

util::Result<Expression> read_value(std::string_view text, const std::vector<std::string>& names,
                                    const std::string& what, const Place& place) {
  auto read = place.mark(Expression::parse(text, names));
  if (!read) {
    return util::fail(util::with_context(read.error(), what));
  }
  if (read->is_condition()) {
    return place.fail(cat(what, ": \"", util::printable(text), "\" is a condition, not a number"));
  }
  return read;
}

util::Result<std::string> value_text(const Json& metric, const std::string& name,
                                     const Place& place) {
  if (const std::string_view own = data::string_at(metric, {"value"}); !own.empty()) {
    return std::string(own);
  }
  std::vector<std::string> known;
  for (const auto& [flaggers, text] : k_known) {
    if (name == flaggers) {
      return std::string(text);
    }
    known.emplace_back(flaggers);
  }
  return (place / "name")
      .fail(cat("metric ", name, " is none of ", util::join(known, ", "),
                util::did_you_mean(name, known), ": give it a value, as in value: canary.p95"));
}

/// Argo's provider.web.
util::Result<std::optional<engine::Query>> web_query(const Json& web, const std::string& what,
                                                     const Place& place) {
  constexpr std::array<std::string_view, 3> k_fields{"url", "jsonPath", "timeoutSeconds"};
  KUBIST_CHECK(check_fields(web, k_fields, cat(what, ": provider.web"), place));
  engine::WebQuery query;
  query.url = data::string_at(web, {"url"});
  query.path = data::string_at(web, {"jsonPath"});
  query.timeout = std::chrono::seconds(
      web.contains("timeoutSeconds") ? data::int_at(web, {"timeoutSeconds"}) : 10);
  const auto path = data::JsonPath::compile_relaxed(query.path);
  if (query.url.empty() || query.path.empty() || !path || query.timeout.count() < 1 ||
      query.timeout.count() > 60) {
    return place.fail(cat(what,
                          ": provider.web needs a url, a jsonPath that finds one number, and "
                          "a timeoutSeconds from 1 to 60",
                          path ? "" : ": ", path ? "" : path.error().message));
  }
  return query;
}

std::optional<double> bound(const Json& metric, std::string_view which) {
  const Json* found = data::find_path(metric, {"thresholdRange", which});
  return found != nullptr && found->is_number() ? std::optional(found->get<double>())
                                                : std::nullopt;
}

Value value_of(const Objective& objective, const WindowValues& window, std::string_view version) {
  return objective.value.evaluate([&](const std::string& name) {
    return window.get(objective.compared ? cat(version, meaning(name)) : name);
  });
}

/// "request-duration 250 is above 200".
WindowCheck check(const Objective& objective, const Value& value, const WindowValues& window) {
  const Value least = objective.compared ? value_of(objective, window, k_stable)
                                         : Value{objective.least.value_or(0), "", ""};
  for (const Value* each : {&value, &least}) {
    if (!each->unknown.empty()) {
      return {Outcome::inconclusive, each->unknown, cat(objective.name, ": ", each->message)};
    }
  }
  const std::string what = cat(objective.name, ' ', value.number);
  if ((objective.least || objective.compared) && value.number < least.number) {
    return {Outcome::fail, "",
            cat(what, " is below ", objective.compared ? "stable's " : "", least.number)};
  }
  if (objective.most && value.number > *objective.most) {
    return {Outcome::fail, "", cat(what, " is above ", *objective.most)};
  }
  return {Outcome::pass, "", what};
}

WindowCheck check(const Objective& objective, const WindowValues& window) {
  if (!objective.query) {
    return check(objective, value_of(objective, window, k_canary), window);
  }
  std::vector<WindowCheck> checks;
  for (const Value& answer : window.answers(to_string(*objective.query))) {
    checks.push_back(check(objective, answer, window));
  }
  return strictest(checks);
}

}  // namespace

Json objectives_schema() {
  const auto number = [](const char* description) {
    return Json{{"type", "number"}, {"description", description}};
  };
  const Json range = {
      {"type", "object"},
      {"description", "Where it must stay; bounds are inside."},
      {"properties",
       {{"min", number("The least that passes.")}, {"max", number("The most that passes.")}}}};
  const Json metric = {
      {"type", "object"},
      {"required", {"name", "thresholdRange"}},
      {"properties",
       {{"name",
         {{"type", "string"},
          {"minLength", 1},
          {"description",
           "request-success-rate, request-duration, or any with a value or a query."}}},
        {"value",
         {{"type", "string"},
          {"maxLength", 4096},
          {"description", "A number of the window, as an expression: canary.p95 / stable.p95."}}},
        {"query",
         {{"type", "string"},
          {"maxLength", 16384},
          {"description",
           "PromQL that gives one number, asked of spec.metrics.prometheus at the end of each "
           "window; {{namespace}}, {{destination}}, {{stable}}, {{canary}}, {{interval}}, "
           "{{weight}}, {{release}} take their values."}}},
        {"thresholdRange", range}}}};
  return {{"type", "array"},
          {"maxItems", 32},
          {"description", "The numbers that must stay in their ranges."},
          {"items", metric}};
}

util::Result<Objective> read_objective(const Json& metric, const Place& place) {
  Objective objective;
  objective.name = data::string_at(metric, {"name"});
  const std::string what = cat("metric ", objective.name);
  KUBIST_TRY(objective.query, query_of(metric, what, place));
  if (!objective.query) {
    KUBIST_TRY(const std::string text, value_text(metric, objective.name, place));
    KUBIST_TRY(objective.value, read_value(text, WindowValues::names(), what, place / "value"));
  }
  objective.least = bound(metric, "min");
  objective.most = bound(metric, "max");
  if (!objective.least && !objective.most) {
    return (place / "thresholdRange").fail(cat(what, ": thresholdRange needs min, max or both"));
  }
  return objective;
}

util::Result<std::optional<engine::Query>> query_of(const Json& metric, const std::string& what,
                                                    const Place& place) {
  const Json* argos = data::find_path(metric, {"provider"});
  const Json* web = data::find_path(metric, {"provider", "web"});
  if (web != nullptr && argos->size() == 1 && !metric.contains("value") &&
      !metric.contains("query")) {
    return web_query(*web, what, place / "provider" / "web");
  }
  if (argos != nullptr &&
      (argos->size() != 1 || !argos->contains("prometheus") || (*argos)["prometheus"].size() != 1 ||
       data::string_at(*argos, {"prometheus", "query"}).empty())) {
    return (place / "provider")
        .fail(cat(what, ": of a provider only prometheus.query and web are known"),
              "Where Prometheus is stands in the release's spec.metrics.prometheus.");
  }
  std::string query(data::string_at(metric, {"query"},
                                    data::string_at(metric, {"provider", "prometheus", "query"})));
  if (query.empty()) {
    return std::nullopt;
  }
  if (metric.contains("value") || (argos && metric.contains("query"))) {
    return place.fail(cat(what, ": give either query or ",
                          metric.contains("value") ? "value" : "provider", ", not both"));
  }
  return engine::PromqlQuery{std::move(query)};
}

engine::Queries queries_of(const Objective& objective) {
  if (objective.query) {
    return {{to_string(*objective.query), *objective.query}};
  }
  if (!objective.compared) {
    return workload_queries(objective.value.names());
  }
  std::vector<std::string> names;
  for (const std::string& name : objective.value.names()) {
    names.push_back(cat(k_canary, meaning(name)));
    names.push_back(cat(k_stable, meaning(name)));
  }
  return workload_queries(names);
}

util::Result<Objective> compare_versions(std::string_view text, const Place& place) {
  Objective objective;
  objective.name = "metric";
  objective.compared = true;
  KUBIST_TRY(objective.value, read_value(text, vamps_names(), "parameter metric", place));
  return objective;
}

WindowCheck check_objectives(const std::vector<Objective>& objectives, const WindowValues& window) {
  std::vector<WindowCheck> checks;
  checks.reserve(objectives.size());
  for (const Objective& objective : objectives) {
    checks.push_back(check(objective, window));
  }
  return strictest(checks);
}

}  // namespace kubist::policies
