#include "keep/alignments.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/resources/readiness.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using engine::Alignment;
using engine::Outcome;
using resources::ObjectView;
using util::cat;

namespace {

constexpr std::chrono::milliseconds k_poll{500};

/// By its objects; one that failed is the whole message.
void judge(const std::vector<Json>& live, std::chrono::system_clock::time_point now,
           Alignment& alignment) {
  std::vector<std::string> waits;
  for (const Json& object : live) {
    if (object.is_null()) {
      continue;
    }
    const auto readiness = resources::readiness(object, now);
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
    alignment.outcome = Outcome::progressing;
    alignment.reason = "ObjectsNotReady";
    alignment.message = util::join(waits, "; ");
    alignment.requeue_after = std::min(alignment.requeue_after.value_or(k_poll), k_poll);
  }
}

bool children_of(const Alignment& alignment) {
  return alignment.children.value_or(alignment.outcome == Outcome::ready);
}

bool has_type(const std::vector<resources::Condition>& conditions, const std::string& type) {
  return std::any_of(conditions.begin(), conditions.end(),
                     [&](const resources::Condition& each) { return each.type == type; });
}

resources::Condition with_both(resources::Condition one, const resources::Condition& other) {
  one.message += cat("; ", other.message);
  return one;
}

}  // namespace

Alignment alignment_of(const engine::ExecutorOutput& said, const std::vector<Json>& live,
                       std::chrono::system_clock::time_point now) {
  Alignment alignment;
  alignment.requeue_after = said.requeue_after;
  alignment.conditions = said.conditions;
  alignment.message = said.message;
  if (!said.ready) {
    alignment.outcome = Outcome::progressing;
    alignment.reason = said.reason.empty() ? "NotReady" : said.reason;
  }
  judge(live, now, alignment);
  if (said.children) {
    alignment.children = *said.children && alignment.outcome != Outcome::failed;
  }
  return alignment;
}

Alignment joined(Alignment built_in, Alignment function) {
  const bool children = function.children
                            ? *function.children && children_of(built_in)
                            : children_of(built_in) && function.outcome == Outcome::ready;
  const bool function_counts = function.outcome > built_in.outcome;
  Alignment both = std::move(built_in);
  if (function_counts) {
    both.outcome = function.outcome;
    both.reason = std::move(function.reason);
    both.message = std::move(function.message);
    both.error = std::move(function.error);
  } else if (!function.message.empty()) {
    both.message += cat(both.message.empty() ? "" : "; ", function.message);
  }
  for (resources::Condition& each : function.conditions) {
    const auto other =
        std::find_if(both.conditions.begin(), both.conditions.end(),
                     [&](const resources::Condition& own) { return own.type == each.type; });
    if (other == both.conditions.end()) {
      both.conditions.push_back(std::move(each));
    } else if (each.type == resources::k_drifted && each.status == "True") {
      *other = other->status == "True" ? with_both(*other, each) : std::move(each);
    }
  }
  for (std::string& type : function.gone_conditions) {
    if (!has_type(both.conditions, type)) {
      both.gone_conditions.push_back(std::move(type));
    }
  }
  both.status.update(function.status);
  if (function.requeue_after) {
    both.requeue_after =
        std::min(both.requeue_after.value_or(*function.requeue_after), *function.requeue_after);
  }
  both.children = children;
  return both;
}

void drop_conditions(const Json& told, Alignment& alignment) {
  std::vector<std::string> types = data::strings_at(told, {"conditions"});
  if (!told.empty()) {
    types.emplace_back(resources::k_drifted);
  }
  for (std::string& type : types) {
    // A status may name any: the engine's stay.
    if (!has_type(alignment.conditions, type) &&
        (type == resources::k_drifted || !engine::is_engine_condition(type))) {
      alignment.gone_conditions.push_back(std::move(type));
    }
  }
}

void forget_function(const Json& told, Alignment& alignment) {
  if (!alignment.status.contains("executor")) {
    alignment.status["executor"] = nullptr;
  }
  drop_conditions(told, alignment);
}

Alignment left_to_others(const engine::Node& node, const util::Error& why) {
  const bool ready =
      data::int_at(node.status(), {"executor", "observedGeneration"}) >= node.generation;
  Alignment alignment;
  alignment.children = true;
  alignment.outcome = ready ? Outcome::ready : Outcome::progressing;
  alignment.reason = "Held";
  alignment.message = why.message;
  return alignment;
}

}  // namespace kubist::executors
