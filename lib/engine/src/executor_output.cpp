#include <algorithm>
#include <array>
#include <cctype>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "answer.hpp"

namespace kubist::engine {

using util::cat;
using util::ErrorKind;

namespace {

constexpr std::size_t k_max_conditions = 16;

// The API server holds conditions to these rules, and refuses the whole status otherwise:
// https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#Condition
bool is_reason(const std::string& word) {
  constexpr std::size_t k_max = 256;
  return !word.empty() && word.size() <= k_max &&
         std::isalpha(static_cast<unsigned char>(word.front())) != 0 &&
         std::all_of(word.begin(), word.end(),
                     [](unsigned char each) { return std::isalnum(each) != 0 || each == '_'; });
}

util::Result<resources::Condition> read_condition(const Json& entry) {
  resources::Condition condition{std::string(data::string_at(entry, {"type"})),
                                 std::string(data::string_at(entry, {"status"})),
                                 std::string(data::string_at(entry, {"reason"})),
                                 std::string(data::string_at(entry, {"message"}))};
  if (!is_reason(condition.type) || !is_reason(condition.reason)) {
    return broken_list("status.conditions: type and reason must be CamelCase words");
  }
  if (is_engine_condition(condition.type)) {
    return broken_list(cat("status.conditions: ", condition.type, " is kubist's"));
  }
  if (condition.status != "True" && condition.status != "False" && condition.status != "Unknown") {
    return broken_list(cat("status.conditions: the status of ", condition.type,
                           " must be True, False or Unknown"));
  }
  return condition;
}

util::Result<> read_readiness(const Json& status, ExecutorOutput& out) {
  out.ready = data::bool_at(status, {"ready"}, true);
  out.reason = data::string_at(status, {"reason"});
  out.message = data::string_at(status, {"message"});
  if (!out.reason.empty() && !is_reason(out.reason)) {
    return broken_list("status.reason must be a CamelCase word");
  }
  if (const Json* children = data::find_path(status, {"children"}); children != nullptr) {
    if (!children->is_boolean()) {
      return broken_list("status.children must be true or false");
    }
    out.children = children->get<bool>();
  }
  for (const Json& entry : data::array_at(status, {"conditions"})) {
    KUBIST_TRY(resources::Condition condition, read_condition(entry));
    for (const resources::Condition& other : out.conditions) {
      if (other.type == condition.type) {
        return broken_list(cat("status.conditions: ", condition.type, " is given twice"));
      }
    }
    out.conditions.push_back(std::move(condition));
  }
  std::size_t size = out.message.size();
  for (const resources::Condition& each : out.conditions) {
    size += each.message.size();
  }
  return out.conditions.size() > k_max_conditions || size > k_max_policy_state
             ? broken_list(cat("its status is more than ", k_max_conditions, " conditions or ",
                               k_max_policy_state, " bytes of messages"))
             : util::Result<>{};
}

}  // namespace

util::Result<ExecutorOutput> read_executor_output(const Json& input, const Json& output) {
  const auto named = [](util::Error error) {
    const bool denied = error.kind == ErrorKind::denied;
    return util::fail(
        util::with_reason(std::move(error), denied ? "ExecutorDenied" : "ExecutorFailed"));
  };
  auto answer = read_answer(output);
  if (!answer) {
    return named(answer.error());
  }
  PolicyOutput said;
  if (auto read = read_status(answer->status, said); !read) {
    return named(read.error());
  }
  ExecutorOutput out{.results = std::move(answer->results),
                     .state = std::move(said.state),
                     .requeue_after = said.requeue_after};
  if (auto read = read_readiness(answer->status, out); !read) {
    return named(read.error());
  }
  const resources::ObjectRef own = resources::ObjectView(input["items"][0]).ref();
  for (Json& item : answer->items) {
    if (!item.is_object()) {
      return named(util::make_error(ErrorKind::invalid, "it returned an item that is no object"));
    }
    if (resources::ObjectView(item).ref() != own) {
      out.objects.push_back(std::move(item));
    }
  }
  return out;
}

}  // namespace kubist::engine
