#include <kubist/data/pointer.hpp>
#include <kubist/deployers/handshake.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"

namespace kubist::deployers {
namespace {

constexpr std::size_t k_told = 10;          ///< failed items
constexpr std::size_t k_short_bytes = 200;  ///< of each, but of a single one

using util::cat;
using State = ExecutionOutcome::State;

Json item_status(const ItemRun& run) {
  Json entry{{"name", run.name}};
  if (!run.deploy_item.empty()) {
    entry["deployItem"] = run.deploy_item;
  }
  if (run.had_succeeded || succeeded(run)) {
    entry["hasSucceeded"] = true;
  }
  if (!run.outcome) {
    entry["message"] = run.outcome.error().to_string();
    return entry;
  }
  if (!run.outcome->phase.empty()) {
    entry["phase"] = run.outcome->phase;
  }
  if (run.outcome->state != Progress::State::done) {
    entry["message"] = run.outcome->message;
  }
  return entry;
}

/// Of an error: one that nothing but a change of the Execution, or of who refuses it, mends.
State state_of(const ItemRun& run) {
  const util::ErrorKind kind = run.outcome.error().kind;
  const bool lasting = kind == util::ErrorKind::denied || kind == util::ErrorKind::invalid;
  return run.refused && lasting ? State::stalled : State::failed;
}

/// All that failed, with why. A single one is told whole.
std::string failure_text(const std::vector<std::pair<std::string, std::string>>& failed) {
  if (failed.size() == 1) {
    return cat("item ", failed[0].first, ": ", failed[0].second);
  }
  std::vector<std::string> told;
  for (const auto& [name, why] : failed) {
    if (told.size() == k_told) {
      told.push_back(cat("and ", failed.size() - k_told, " more"));
      break;
    }
    told.push_back(cat("item ", name, ": ", util::shortened(why, k_short_bytes, "...")));
  }
  return cat(failed.size(), " items failed: ", util::join(told, "; "));
}

}  // namespace

std::optional<util::Error> common_error(const std::vector<ItemRun>& runs) {
  std::optional<util::Error> common;
  for (const ItemRun& run : runs) {
    const bool failed = !run.outcome || run.outcome->state == Progress::State::failed;
    if (!failed) {
      continue;
    }
    if (run.outcome || (common && common->kind != run.outcome.error().kind)) {
      return std::nullopt;
    }
    common = common ? common : run.outcome.error();
  }
  return common;
}

ExecutionOutcome summarize(const std::vector<ItemRun>& items_run) {
  std::vector<ItemRun> runs;  // parts stand for the Templates item that they are of
  for (const ItemRun& run : items_run) {
    if (run.parts.empty()) {
      runs.push_back(run);
    } else {
      runs.insert(runs.end(), run.parts.begin(), run.parts.end());
    }
  }
  ExecutionOutcome result;
  std::size_t succeeded = 0;
  std::string drift;
  Json items = Json::array();
  std::vector<std::pair<std::string, std::string>> failed;  // items, and why
  const auto worsen = [&result](State state, const std::string& reason, std::string message) {
    if (state > result.state) {
      result.state = state;
      result.reason = reason;
      result.message = std::move(message);
    }
  };
  const auto fail = [&](const std::string& item, State state, const std::string& reason,
                        const std::string& message) {
    failed.emplace_back(item, message);
    worsen(state, reason, "");
  };
  for (const ItemRun& run : runs) {
    items.push_back(item_status(run));
    if (!run.outcome) {
      const util::Error& error = run.outcome.error();
      fail(run.name, state_of(run), error.reason.empty() ? "ItemFailed" : error.reason,
           error.message);
    } else if (run.outcome->state == Progress::State::running) {
      worsen(State::progressing, run.outcome->reason == k_held ? std::string(k_held) : "Running",
             cat("item ", run.name, ": ", run.outcome->message));
    } else if (run.outcome->state == Progress::State::failed) {
      fail(run.name,
           needs_somebody(run.outcome->item.value("status", Json::object())) ? State::stalled
                                                                             : State::failed,
           run.outcome->reason, run.outcome->message);
    } else {
      ++succeeded;
      drift += run.outcome->drift.empty()
                   ? ""
                   : cat("; drift of item ", run.name, ": ", run.outcome->drift);
    }
  }
  result.error = common_error(runs);
  result.status["items"] = std::move(items);
  result.status["progress"] = cat(succeeded, "/", runs.size());
  if (!failed.empty()) {
    result.message = failure_text(failed);
  }
  if (result.state == State::ready) {
    result.reason = drift.empty() ? "Succeeded" : resources::k_drifted;
    result.message = cat(succeeded, " of ", runs.size(), " items succeeded", drift);
  }
  return result;
}

ExecutionOutcome outcome_of(const util::Error& error) {
  ExecutionOutcome outcome;
  outcome.state = error.reason == "ImportNotFound" ? State::failed : State::stalled;
  outcome.reason = error.reason;
  outcome.message = error.to_string();
  outcome.error = error;
  return outcome;
}

std::set<std::string> known_good(const Json& execution) {
  std::set<std::string> names;
  const Json* items = data::find_path(execution, {"status", "items"});
  for (const Json& item : items == nullptr ? Json::array() : *items) {
    if (data::bool_at(item, {"hasSucceeded"})) {
      names.emplace(data::string_at(item, {"name"}));
    }
  }
  return names;
}

}  // namespace kubist::deployers
