#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/resources/readiness.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

#include "readiness_rules.hpp"

namespace kubist::resources {

using data::Json;
using util::cat;

namespace {

/// Deletion, generations and the standard conditions: they decide before any rule of a kind.
std::optional<Readiness> generic(const ObjectView& object, const Json& json) {
  if (!object.deletion_timestamp().empty()) {
    return Readiness{Status::terminating, "", "Resource scheduled for deletion"};
  }
  const Json* generation = data::find_path(json, {"metadata", "generation"});
  const Json* observed = data::find_path(json, {"status", "observedGeneration"});
  if (generation != nullptr && observed != nullptr && generation->is_number_integer() &&
      observed->is_number_integer() && *generation != *observed) {
    return in_progress("LatestGenerationNotObserved",
                       cat(object.kind(), " generation is ", generation->get<std::int64_t>(),
                           ", but latest observed generation is ", observed->get<std::int64_t>()));
  }
  for (const ConditionView& condition : object.conditions()) {
    if (condition.type == "Reconciling" && condition.status == "True") {
      return in_progress(condition.reason, condition.message);
    }
    if (condition.type == "Stalled" && condition.status == "True") {
      return Readiness{Status::failed, std::string(condition.reason),
                       std::string(condition.message)};
    }
  }
  return std::nullopt;
}

/// Kinds without a rule: their condition Ready where they have one.
Readiness by_ready_condition(const ObjectView& object) {
  if (auto ready = object.condition("Ready")) {
    if (ready->status == "True") {
      return {Status::current, "", "Resource is Ready"};
    }
    return in_progress(ready->reason, ready->message);
  }
  return {Status::current, "", "Resource is current"};
}

bool has_address(const Json& json) {
  // Gateway API: status.addresses[].value; all others: status.loadBalancer.ingress[].{ip,hostname}.
  for (const Json* list : {data::find_path(json, {"status", "addresses"}),
                           data::find_path(json, {"status", "loadBalancer", "ingress"})}) {
    if (list == nullptr || !list->is_array()) {
      continue;
    }
    for (const Json& entry : *list) {
      if (!data::string_at(entry, {"ip"}).empty() ||
          !data::string_at(entry, {"hostname"}).empty() ||
          !data::string_at(entry, {"value"}).empty()) {
        return true;
      }
    }
  }
  return false;
}

/// What job_finished asks beyond kstatus.
Readiness finished(const ObjectView& object, const Json& json, Readiness found) {
  if (found.status != Status::current) {
    return found;
  }
  bool job = object.group() == "batch" && object.kind() == "Job";
  bool pod = object.group().empty() && object.kind() == "Pod";
  if (job) {
    auto complete = object.condition("Complete");
    return complete && complete->status == "True" ? found
                                                  : in_progress("JobNotFinished", found.message);
  }
  if (pod) {
    std::string_view phase = data::string_at(json, {"status", "phase"});
    if (phase == "Failed") {
      return {Status::failed, "PodFailed",
              std::string(data::string_at(json, {"status", "message"}, found.message))};
    }
    return phase == "Succeeded" ? found : in_progress("PodNotFinished", found.message);
  }
  return found;
}

/// What lb_address asks beyond kstatus.
Readiness addressed(const ObjectView& object, const Json& json, Readiness found) {
  bool service = object.group().empty() && object.kind() == "Service" &&
                 data::string_at(json, {"spec", "type"}) == "LoadBalancer";
  bool ingress = object.kind() == "Ingress" && object.group() == "networking.k8s.io";
  bool gateway = object.kind() == "Gateway" && object.group() == "gateway.networking.k8s.io";
  if (found.status != Status::current || !(service || ingress || gateway) || has_address(json)) {
    return found;
  }
  return in_progress("NoAddress", cat(object.kind(), " has no address yet"));
}

/// A Pod that nobody expects to end is not held to finishing: only a failed one is a failure.
bool must_finish(const ObjectView& object, const Json& json, ReadyMode mode) {
  if (mode == ReadyMode::job_finished || object.kind() != "Pod") {
    return true;
  }
  return data::string_at(json, {"status", "phase"}) == "Failed" ||
         data::string_at(json, {"spec", "restartPolicy"}, "Always") != "Always";
}

Readiness kstatus(const ObjectView& object, const Json& json,
                  std::chrono::system_clock::time_point now) {
  if (auto decided = generic(object, json)) {
    return *decided;
  }
  if (auto rule = find_readiness_rule(object.group(), object.kind())) {
    return rule(object, json, now);
  }
  return by_ready_condition(object);
}

}  // namespace

std::string_view to_string(Status status) {
  static constexpr util::Word<Status> k_words[] = {
      {Status::in_progress, "InProgress"}, {Status::failed, "Failed"},
      {Status::current, "Current"},        {Status::terminating, "Terminating"},
      {Status::not_found, "NotFound"},     {Status::unknown, "Unknown"}};
  return util::word_of(k_words, status);
}

Readiness readiness(const Json& json, std::chrono::system_clock::time_point now, ReadyMode mode) {
  if (!json.is_object()) {
    return {Status::unknown, "NotAnObject", "there is no object to judge"};
  }
  ObjectView object(json);
  Readiness found = kstatus(object, json, now);
  bool strict = mode == ReadyMode::strict;
  if ((strict || mode == ReadyMode::job_finished) && must_finish(object, json, mode)) {
    found = finished(object, json, std::move(found));
  }
  if (strict || mode == ReadyMode::lb_address) {
    found = addressed(object, json, std::move(found));
  }
  return found;
}

Readiness not_found() { return {Status::not_found, "NotFound", "Resource not found"}; }

}  // namespace kubist::resources
