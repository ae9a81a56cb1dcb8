#include <kubist/deployers/handshake.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"

namespace kubist::deployers {
namespace {

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
  const auto worsen = [&result](State state, const std::string& reason, std::string message) {
    if (state > result.state) {
      result.state = state;
      result.reason = reason;
      result.message = std::move(message);
    }
  };
  for (const ItemRun& run : runs) {
    items.push_back(item_status(run));
    if (!run.outcome) {
      worsen(State::failed,
             run.outcome.error().reason.empty() ? "ItemFailed" : run.outcome.error().reason,
             cat("item ", run.name, ": ", run.outcome.error().message));
    } else if (run.outcome->state == Progress::State::running) {
      worsen(State::progressing, "Running", cat("item ", run.name, ": ", run.outcome->message));
    } else if (run.outcome->state == Progress::State::failed) {
      worsen(needs_somebody(run.outcome->item.value("status", Json::object())) ? State::stalled
                                                                               : State::failed,
             run.outcome->reason, cat("item ", run.name, ": ", run.outcome->message));
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
  if (result.state == State::ready) {
    result.reason = "Succeeded";
    result.message = cat(succeeded, " of ", runs.size(), " items succeeded", drift);
  }
  return result;
}

}  // namespace kubist::deployers
