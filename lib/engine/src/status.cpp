#include <algorithm>

#include <kubist/data/json_patch.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/engine/status.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

namespace kubist::engine {

using util::cat;
using Phase = StatusInput::Phase;

std::string_view to_string(Truth truth) {
  static constexpr util::Word<Truth> k_words[] = {
      {Truth::yes, "True"}, {Truth::no, "False"}, {Truth::unknown, "Unknown"}};
  return util::word_of(k_words, truth);
}

namespace {

struct Standard {
  Phase phase;
  Truth ready;
  Truth reconciling;
  Truth stalled;
  std::string_view outcome;
};

const Standard& standard_of(Phase phase) {
  static constexpr Standard k_standards[] = {
      {Phase::ready, Truth::yes, Truth::no, Truth::no, "Ready"},
      {Phase::progressing, Truth::no, Truth::yes, Truth::no, "Progressing"},
      {Phase::retrying, Truth::no, Truth::yes, Truth::no, "Failed"},
      {Phase::stalled, Truth::no, Truth::no, Truth::yes, "Stalled"},
      {Phase::waiting, Truth::unknown, Truth::yes, Truth::no, "Waiting"},
      {Phase::removing, Truth::no, Truth::yes, Truth::no, "Removing"}};
  return *std::ranges::find(k_standards, phase, &Standard::phase);
}

void set(Json& status, const std::string& type, Truth truth, const std::string& reason,
         const std::string& message, std::int64_t generation, std::string_view now) {
  resources::set_condition(status["conditions"],
                           {type, std::string(to_string(truth)), reason, message, generation}, now);
}

void set_standard_conditions(Json& status, const StatusInput& input, std::string_view now) {
  const Standard& standard = standard_of(input.phase);
  const std::string reason = input.reason.empty() ? std::string(standard.outcome) : input.reason;
  auto put = [&](const char* type, Truth truth, const std::string& message) {
    set(status, type, truth, reason, message, input.generation, now);
  };
  put("Ready", standard.ready, input.message);
  put("Reconciling", standard.reconciling,
      standard.reconciling == Truth::yes ? input.message : std::string());
  put("Stalled", standard.stalled, standard.stalled == Truth::yes ? input.message : std::string());
}

std::string tree_reason(Truth truth) {
  static constexpr util::Word<Truth> k_words[] = {
      {Truth::yes, "TreeReady"}, {Truth::no, "NotReady"}, {Truth::unknown, "Progressing"}};
  return std::string(util::word_of(k_words, truth));
}

// Before the subtree has ended, a node that is Ready keeps what was last known of it.
void set_tree_condition(Json& status, const StatusInput& input, std::string_view now) {
  std::optional<Truth> truth = input.tree_ready;
  std::string message;
  if (!truth && input.phase != Phase::ready) {
    truth = standard_of(input.phase).ready;
    message = input.message;
  }
  if (!truth && !find_condition(status, "TreeReady")) {
    truth = Truth::unknown;
  }
  if (truth) {
    set(status, "TreeReady", *truth, tree_reason(*truth), message, input.generation, now);
  }
}

void set_failures(Json& status, const StatusInput& input) {
  if (input.phase != Phase::retrying) {
    status.erase("failures");
    status.erase("nextRunAt");
    return;
  }
  const int failures = data::count_at(status, {"failures"}) + 1;
  status["failures"] = failures;
  status["nextRunAt"] = util::format_time(input.now + retry_delay(failures, input.random_unit));
}

void set_fields(Json& status, const StatusInput& input) {
  for (const auto& [name, value] : input.fields.items()) {
    if (value.is_null()) {
      status.erase(name);
    } else {
      status[name] = value;
    }
  }
  if (input.policies) {
    if (input.policies->empty()) {
      status.erase("policies");
    } else {
      status["policies"] = *input.policies;
    }
  }
  if (input.effective) {
    // No server stores the null of a field that a policy removed: it would be written in each run.
    Json kept = data::apply_merge_patch(Json::object(), *input.effective);
    if (kept.empty()) {
      status.erase("effective");
    } else {
      status["effective"] = std::move(kept);
    }
  }
}

Json last_run(const StatusInput& input, std::string_view now) {
  Json run = {{"id", input.run_id},
              {"startedAt", util::format_time(input.started_at)},
              {"finishedAt", now},
              {"outcome", standard_of(input.phase).outcome},
              {"message", input.message}};
  if (!input.cause.empty()) {
    run["cause"] = input.cause;
  }
  if (!input.error.empty()) {
    run["error"] = input.error;
  }
  constexpr std::size_t k_named = 20;
  for (std::size_t at = 0; at < std::min(k_named, input.writes.size()); ++at) {
    run["writes"].push_back(to_string(input.writes[at]));
  }
  return run;
}

/// Somebody else may have written anything there.
Json with_conditions(const Json& present) {
  Json status = present.is_object() ? present : Json::object();
  if (!status.contains("conditions") || !status["conditions"].is_array()) {
    status["conditions"] = Json::array();
  }
  return status;
}

}  // namespace

std::chrono::milliseconds retry_delay(int failures, double unit) {
  constexpr double k_initial_ms = 1000;
  constexpr double k_maximum_ms = 300'000;
  double step = k_initial_ms;
  for (int i = 1; i < failures && step < k_maximum_ms; ++i) {
    step *= 2;
  }
  step = std::min(step, k_maximum_ms);
  return std::chrono::milliseconds(static_cast<long long>(step / 2 + step / 2 * unit));
}

Json compute_status(const Json& present, const StatusInput& input) {
  Json status = with_conditions(present);
  std::string now = util::format_time(input.now);
  if (input.generation > 0) {
    status["observedGeneration"] = input.generation;
  }
  set_fields(status, input);
  set_standard_conditions(status, input, now);
  set_tree_condition(status, input, now);
  for (const std::string& type : input.gone_conditions) {
    auto& conditions = status["conditions"];
    conditions.erase(
        std::remove_if(conditions.begin(), conditions.end(),
                       [&](const Json& each) { return data::string_at(each, {"type"}) == type; }),
        conditions.end());
  }
  for (const auto& condition : input.conditions) {
    auto own = condition;
    own.observed_generation = input.generation;
    resources::set_condition(status["conditions"], own, now);
  }
  set_failures(status, input);
  status = with_answer(std::move(status), input.handled_request, input.now);
  if (!input.writes.empty() || status != present) {
    status["lastRun"] = last_run(input, now);
  }
  return status;
}

Json with_progress(const Json& present, const std::string& message, std::int64_t generation,
                   std::chrono::system_clock::time_point now) {
  Json status = with_conditions(present);
  StatusInput input;
  input.phase = Phase::progressing;
  input.message = message;
  input.generation = generation;
  if (generation > 0) {
    status["observedGeneration"] = generation;
  }
  set_standard_conditions(status, input, util::format_time(now));
  set_tree_condition(status, input, util::format_time(now));
  return status;
}

Json without_progress(Json status, const Json& former) {
  for (const char* field : {"conditions", "observedGeneration"}) {
    if (const Json* before = data::find_path(former, {field}); before != nullptr) {
      status[field] = *before;
    } else {
      status.erase(field);
    }
  }
  return status;
}

Json with_tree_ready(const Json& present, Truth tree_ready, const std::string& message,
                     std::int64_t generation, std::chrono::system_clock::time_point now) {
  Json status = with_conditions(present);
  set(status, "TreeReady", tree_ready, tree_reason(tree_ready), message, generation,
      util::format_time(now));
  return status;
}

Json with_answer(Json status, const std::optional<HandledRequest>& answer,
                 std::chrono::system_clock::time_point now) {
  if (answer && data::string_at(status, {"handledRequest", "request"}) != answer->request) {
    status["handledRequest"] = {{"request", answer->request},
                                {"outcome", answer->outcome},
                                {"message", answer->message},
                                {"at", util::format_time(now)}};
  }
  return status;
}

TreeSummary summarize_tree(Truth own, const std::vector<ChildReady>& children) {
  if (own != Truth::yes) {
    return {own, "it is not Ready itself"};
  }
  constexpr std::size_t k_named = 3;
  std::size_t open = 0;
  TreeSummary summary;
  std::vector<std::string> names;
  for (const ChildReady& child : children) {
    if (child.tree_ready == Truth::yes) {
      continue;
    }
    ++open;
    if (names.size() < k_named) {
      names.push_back(child.name);
    }
    if (child.tree_ready == Truth::no) {
      summary.truth = Truth::no;
    } else if (summary.truth == Truth::yes) {
      summary.truth = Truth::unknown;
    }
  }
  if (open > 0) {
    summary.message =
        cat(open, " of ", children.size(), " below not ready: ", util::join(names, ", "),
            open > k_named ? ", ..." : "");
  }
  return summary;
}

Truth condition_truth(const Json& status, std::string_view type) {
  const Json* condition = find_condition(status, type);
  auto word = condition ? data::string_at(*condition, {"status"}) : std::string_view();
  return word == "True" ? Truth::yes : word == "False" ? Truth::no : Truth::unknown;
}

}  // namespace kubist::engine
