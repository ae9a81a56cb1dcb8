#include "wait_condition.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/resources/readiness.hpp>
#include <kubist/util/text.hpp>

#include "output/custom_columns.hpp"

namespace kubist::cli {
namespace {

using util::ErrorKind;
using Kind = WaitCondition::Kind;

std::string_view unquoted(std::string_view text) {
  while (!text.empty() && (text.front() == '\'' || text.front() == '"')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == '\'' || text.back() == '"')) {
    text.remove_suffix(1);
  }
  return text;
}

/// "{.a[?(@.b=='c')]}=v" -> template and value; the '=' that counts follows the closing brace, or,
/// without braces, is the first one.
util::Result<WaitCondition> parse_jsonpath(std::string_view text, std::string_view rest) {
  WaitCondition condition{.kind = Kind::jsonpath, .text = std::string(text)};
  std::string_view path = rest;
  const std::size_t brace = rest.rfind('}');
  const std::size_t equals = rest.find('=', brace == std::string_view::npos ? 0 : brace);
  condition.any_value = equals == std::string_view::npos;
  if (!condition.any_value) {
    condition.value = unquoted(rest.substr(equals + 1));
    path = rest.substr(0, equals);
    if (condition.value.empty()) {
      return util::fail(ErrorKind::usage, util::cat("--for=", text, ": the value is missing"));
    }
  }
  KUBIST_TRY(condition.path, data::JsonPath::compile_relaxed(unquoted(path)));
  return condition;
}

util::Result<WaitCondition> parse_condition(std::string_view text, std::string_view rest) {
  const std::size_t equals = rest.find('=');
  WaitCondition condition{.kind = Kind::condition, .text = std::string(text)};
  condition.type = rest.substr(0, equals);
  condition.value = equals == std::string_view::npos ? "true" : rest.substr(equals + 1);
  if (condition.type.empty() || condition.value.empty()) {
    return util::fail(ErrorKind::usage,
                      util::cat("--for=", text, ": say condition=TYPE or condition=TYPE=VALUE"));
  }
  return condition;
}

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
    return util::fail(ErrorKind::invalid,
                      util::cat("--for=", wanted.text, " matches more than one value"));
  }
  return !values.empty() && (wanted.any_value || go_text(*values[0]) == wanted.value);
}

/// A Job that failed will not complete any more.
util::Result<> check_job(const WaitCondition& wanted, const data::Json& object) {
  const resources::ObjectView view(object);
  if (view.kind() != "Job" || util::iequals(wanted.type, "Failed") || view.group() != "batch") {
    return {};
  }
  const auto failed = view.condition("Failed");
  if (failed && failed->status == "True") {
    return util::fail(ErrorKind::not_ready,
                      util::cat("job ", view.name(), " failed: ", failed->reason, ": ",
                                failed->message));
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
                      util::cat(resources::ObjectView(object).name(), " failed: ",
                                readiness.reason, readiness.reason.empty() ? "" : ": ",
                                readiness.message));
  }
  return readiness.status == resources::Status::current;
}

}  // namespace

util::Result<WaitCondition> parse_wait_condition(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string word = util::lower(text.substr(0, equals));
  const std::string_view rest =
      equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  const auto simple = [&](Kind kind) {
    return WaitCondition{.kind = kind, .text = std::string(text)};
  };
  if (word == "condition") {
    return parse_condition(text, rest);
  }
  if (word == "jsonpath") {
    return parse_jsonpath(text, rest);
  }
  if (word == "job" && rest == "finished") {
    return simple(Kind::job_finished);
  }
  for (const auto& [name, kind] : {std::pair{"delete", Kind::deleted},
                                   std::pair{"create", Kind::created},
                                   std::pair{"ready", Kind::ready}}) {
    if (util::iequals(text, name)) {
      return simple(kind);
    }
  }
  return util::fail(ErrorKind::usage, util::cat("--for=", text, " is no condition"),
                    "--for takes condition=TYPE[=VALUE], jsonpath='{PATH}'[=VALUE], delete, "
                    "create, ready or job=finished.");
}

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

}  // namespace kubist::cli
