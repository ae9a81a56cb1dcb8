#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/apply/report.hpp>
#include <kubist/apply/set.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/result.hpp>

namespace kubist::apply {

/// One object to delete.
struct Target {
  kube::ApiResource resource;
  std::string ns;
  std::string name;
  std::string uid;      ///< precondition; empty: whatever stands there (its uid is read first)
  util::SourcePos pos;  ///< where the input names it
};

struct RemoveOptions {
  kube::Propagation propagation = kube::Propagation::background;
  std::optional<std::int64_t> grace_seconds;
  bool ignore_not_found = false;
  kube::DryRun dry_run = kube::DryRun::none;
  bool wait = true;                     ///< until the objects are gone
  std::chrono::nanoseconds timeout{0};  ///< of waiting; 0: none
  http::Permit permit;                  ///< goes with each deletion (http::Request)
  bool keep_calls = false;              ///< fill ObjectResult::calls
  /// Called as soon as the server has taken each deletion, in the order of the work.
  std::function<void(const ObjectResult&)> on_result;
  std::function<void(std::string_view)> on_progress;
};

/// Deletes objects in the reverse order of an apply (what depends on others goes first), those of a
/// wave in parallel, each with its uid as precondition; with `wait`, a wave is gone before the next
/// starts, seen by watches. What is not gone in time is in Report::not_ready, with its finalizers.
/// Blocks; stop as in apply_set.
Report remove_set(kube::Client& client, const std::vector<Target>& targets,
                  const RemoveOptions& options, std::stop_token stop = {});

}  // namespace kubist::apply
