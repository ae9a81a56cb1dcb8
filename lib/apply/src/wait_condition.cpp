#include <kubist/apply/wait_for.hpp>
#include <kubist/data/go_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/resources/readiness.hpp>
#include <kubist/util/text.hpp>

namespace kubist::apply {
namespace {

using util::ErrorKind;
using Kind = WaitCondition::Kind;

bool condition_met(const WaitCondition& wanted, const data::Json& object) {
  const resources::ObjectView view(object);
  for (const resources::ConditionView& condition : view.conditions()) {
    if (util::iequals(condition.type, wanted.type)) {
      const std::int64_t observed = condition.observed_generation != 0
                                        ? condition.observed_generation
                                        : view.observed_generation();
      const bool stale = observed != 0 && observed < view.generation();
      return !stale && util::iequals(condition.status, wanted.value);
    }
  }
  return false;
}

util::Result<bool> path_met(const WaitCondition& wanted, const data::Json& object) {
  KUBIST_TRY(const auto found, wanted.path->find(object, data::MissingKeys::allow));
  const auto values = found.values();
  if (values.size() > 1) {
    return util::fail(ErrorKind::invalid, util::cat(wanted.text, " matches more than one value"));
  }
  if (!wanted.any_value && !values.empty() && values[0]->is_structured()) {
    return util::fail(ErrorKind::invalid,
                      util::cat(wanted.text, " leads to a map or a list, which has no one value"));
  }
  return !values.empty() && (wanted.any_value || data::go_text(*values[0]) == wanted.value);
}

/// A Job that failed will not complete any more.
util::Result<> check_job(const WaitCondition& wanted, const data::Json& object) {
  const resources::ObjectView view(object);
  if (view.kind() != "Job" || util::iequals(wanted.type, "Failed") || view.group() != "batch") {
    return {};
  }
  const auto failed = view.condition("Failed");
  if (failed && failed->status == "True") {
    return util::fail(
        ErrorKind::not_ready,
        util::cat("job ", view.name(), " failed: ", failed->reason, ": ", failed->message));
  }
  return {};
}

util::Result<bool> readiness_met(const WaitCondition& wanted, const data::Json& object,
                                 std::chrono::system_clock::time_point now) {
  const auto readiness =
      resources::readiness(object, now,
                           wanted.kind == Kind::job_finished ? resources::ReadyMode::job_finished
                                                             : resources::ReadyMode::kstatus);
  if (readiness.status == resources::Status::failed) {
    return util::fail(ErrorKind::not_ready,
                      util::cat(resources::ObjectView(object).name(), " failed: ", readiness.reason,
                                readiness.reason.empty() ? "" : ": ", readiness.message));
  }
  return readiness.status == resources::Status::current;
}

}  // namespace

util::Result<bool> is_met(const WaitCondition& condition, const data::Json& object,
                          std::chrono::system_clock::time_point now) {
  switch (condition.kind) {
    case Kind::created:
      return true;
    case Kind::deleted:
      return false;
    case Kind::jsonpath:
      return path_met(condition, object);
    case Kind::ready:
    case Kind::job_finished:
      return readiness_met(condition, object, now);
    default:
      KUBIST_CHECK(check_job(condition, object));
      return condition_met(condition, object);
  }
}

}  // namespace kubist::apply
