#pragma once
#include <chrono>
#include <memory>
#include <string>

#include <kubist/cli/context.hpp>
#include <kubist/simulation/simulated_traffic.hpp>

namespace kubist::cli {

struct RecordedRelease {
  std::shared_ptr<const simulation::Traffic> traffic;
  std::chrono::sys_seconds begins;
};

/// What --recorded holds of the versions of this CanaryRelease. Invalid: the file does not read, or
/// a version has no requests in it.
util::Result<RecordedRelease> read_recorded_traffic(const Arguments& arguments,
                                                    const data::Json& release);

/// The query of the release's counters, as spec.metrics names them.
std::string query_to_record(const Arguments& arguments, const data::Json& release);

}  // namespace kubist::cli
