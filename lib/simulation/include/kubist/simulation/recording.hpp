#pragma once
#include <chrono>
#include <memory>
#include <string>

#include <kubist/data/json.hpp>
#include <kubist/simulation/simulated_traffic.hpp>
#include <kubist/util/result.hpp>

namespace kubist::simulation {

struct RecordedRelease {
  std::shared_ptr<const Traffic> traffic;
  std::chrono::sys_seconds begins;
};

/// What a saved answer of Prometheus to query_to_record() holds of the versions of this
/// CanaryRelease. Invalid: the file does not read, or a version has no requests in it.
/// `ns` is that of the versions; empty: the release's.
util::Result<RecordedRelease> read_recorded_traffic(const std::string& file, const std::string& ns,
                                                    const data::Json& release);

/// The PromQL of the release's counters, as spec.metrics names them; `ns` as above.
std::string query_to_record(const std::string& ns, const data::Json& release);

}  // namespace kubist::simulation
