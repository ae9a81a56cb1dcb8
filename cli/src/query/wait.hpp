#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/kube/client.hpp>
#include <kubist/util/result.hpp>

#include "targets.hpp"
#include "wait_condition.hpp"

namespace kubist::cli {

struct WaitOptions {
  std::vector<WaitCondition> conditions;  ///< all of them have to hold
  std::string label_selector;
  std::string field_selector;
  /// Nothing: no limit. Zero: look once.
  std::optional<std::chrono::nanoseconds> timeout;
  /// Told of each object that got there, one call at a time, from any thread.
  std::function<void(const kube::ApiResource& resource, const std::string& name)> on_met;
};

/// Waits by watches, one for each collection or named object, until all objects meet all conditions.
/// Errors: timeout (what is missing is named); not_found (an object does not exist, or vanished, or
/// a selector matches nothing); not_ready (an object will never get there).
util::Result<> wait_for(kube::Client& client, const Targets& targets, const WaitOptions& options,
                        const std::stop_token& stop);

}  // namespace kubist::cli
