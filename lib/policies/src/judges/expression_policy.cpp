#include <kubist/data/pointer.hpp>
#include <kubist/policies/expression_policy.hpp>
#include <kubist/util/text.hpp>

#include "judges/window_judge.hpp"

namespace kubist::policies {

using util::cat;
using Outcome = WindowCheck::Outcome;

namespace {

constexpr const char* k_expression_doc =
    "A condition over the numbers of each window: + - * /, comparisons, && || !, and parentheses. "
    "There are no calls and no assignments. `count` windows in a row for which it holds let the "
    "release go on. More than `failureLimit` for which it does not hold roll it back. What cannot "
    "be told holds with that reason.\n\n`weight` is the present weight. `canary.` and `stable.` "
    "stand before requests, errors, rps, errorRate and successRate (shares from 0 to 1). They also "
    "stand before p50, p75, p90, p95, p99 and p999, in milliseconds: the histogram's next bound. "
    "Of its Deployments and pods there are cpu, memory, replicas, updatedReplicas, "
    "availableReplicas, unavailableReplicas and availability.";

Json expression_schema() {
  Json schema = judge_schema({{"expression",
                               {{"type", "string"},
                                {"maxLength", 4096},
                                {"description", "The condition, for each window."}}}});
  schema["required"] = {"expression"};
  return schema;
}

/// "canary.errorRate = 0.02, canary.p99 = 250".
std::string numbers(const Expression& expression, const WindowValues& window) {
  std::vector<std::string> parts;
  for (const std::string& name : expression.names()) {
    const Value value = window.get(name);
    parts.push_back(value.unknown.empty() ? cat(name, " = ", value.number) : cat(name, " unknown"));
  }
  return util::join(parts, ", ");
}

util::Result<Expression> parse(const Json& parameters, const Place& place = {}) {
  const std::string_view text = data::string_at(parameters, {"expression"});
  auto parsed = place.mark(Expression::parse(text, WindowValues::names()));
  if (!parsed) {
    return util::fail(util::with_context(parsed.error(), "parameter expression"));
  }
  if (!parsed->is_condition()) {
    return place.fail(cat("parameter expression: \"", util::printable(text),
                          "\" is a number, not a condition: compare it, as in ... < 0.01"));
  }
  return parsed;
}

util::Result<> apply_expression(Json& list) {
  const std::string text(data::string_at(parameters_of(list), {"expression"}));
  KUBIST_TRY(const Expression parsed, parse(parameters_of(list)));
  return judge_windows(list, [&](const WindowValues& window) -> WindowCheck {
    const Value holds = parsed.evaluate([&](const std::string& name) { return window.get(name); });
    if (!holds.unknown.empty()) {
      return {Outcome::inconclusive, holds.unknown, holds.message};
    }
    return {holds.number != 0 ? Outcome::pass : Outcome::fail, "",
            cat(util::printable(text), holds.number != 0 ? " holds (" : " does not hold (",
                numbers(parsed, window), ')')};
  });
}

}  // namespace

Builtin expression() {
  BuiltinText text{"Expression",
                   "Moves a canary while a condition over its windows holds.",
                   k_expression_doc,
                   expression_schema(),
                   true,
                   {"CanaryRelease"},
                   {{"window", engine::WindowQuery{}}}};
  text.queries = [](const Json& parameters) {
    const auto parsed = parse(parameters);
    return parsed ? workload_queries(parsed->names()) : engine::Queries();
  };
  text.check = [](const Json& parameters, const data::PositionLookup& lookup) -> util::Result<> {
    KUBIST_CHECK(parse(parameters, Place(lookup) / "expression"));
    return check_limits(parameters, Place(lookup));
  };
  return make_builtin(std::move(text), {"ExpressionPolicy", "CustomCanaryReleasePolicy"},
                      apply_expression);
}

}  // namespace kubist::policies
