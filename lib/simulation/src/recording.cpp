#include <kubist/data/pointer.hpp>
#include <kubist/metrics/promql.hpp>
#include <kubist/metrics/recording.hpp>
#include <kubist/simulation/recording.hpp>
#include <kubist/traffic/route.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

namespace kubist::simulation {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;
using util::Result;

metrics::Subject subject_of(const std::string& ns, const Json& release) {
  const std::string own(data::string_at(release, {"metadata", "namespace"}));
  metrics::Subject subject;
  subject.ns = ns.empty() ? own : ns;
  subject.host =
      traffic::full_host(data::string_at(release, {"spec", "destination"}), {subject.ns});
  subject.versions = {std::string(data::string_at(release, {"spec", "stable"})),
                      std::string(data::string_at(release, {"spec", "canary"}))};
  return subject;
}

bool is_count(double value) {
  constexpr double k_most = 1e15;
  return value >= 0 && value <= k_most;
}

/// Latencies that are no histogram are left out.
std::vector<LatencyCount> latency_of(const metrics::Counts& counts) {
  std::vector<LatencyCount> latency;
  double before = 0;
  for (const metrics::Bucket& bucket : counts.latency_ms) {
    if (!is_count(bucket.count) || bucket.count < before) {
      return {};
    }
    before = bucket.count;
    latency.push_back({bucket.le, bucket.count});
  }
  return latency;
}

Result<SimulatedCounts> counts_of(const std::map<std::string, metrics::Counts>& all,
                                  const std::string& version) {
  const auto found = all.find(version);
  if (found == all.end()) {
    return SimulatedCounts{};
  }
  const metrics::Counts& counts = found->second;
  if (!is_count(counts.requests) || !is_count(counts.errors) || counts.errors > counts.requests) {
    return util::fail(ErrorKind::invalid, cat("version ", version, " has ", counts.errors,
                                              " errors in ", counts.requests, " requests"));
  }
  return SimulatedCounts{counts.requests, counts.errors, latency_of(counts)};
}

Result<std::vector<RecordedWindow>> windows_of(const std::vector<metrics::Sample>& samples,
                                               const metrics::Subject& subject) {
  const auto seconds = [&](const metrics::Sample& sample) {
    return std::chrono::duration<double>(sample.at - samples.front().at).count();
  };
  std::vector<RecordedWindow> windows;
  metrics::Sample before = samples.front();
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const auto all = metrics::difference(before, samples[i]);
    auto stable = counts_of(all, subject.versions[0]);
    auto canary = counts_of(all, subject.versions[1]);
    if (!stable || !canary) {
      return util::fail(util::with_context(stable ? canary.error() : stable.error(),
                                           cat("until ", util::format_time(samples[i].at))));
    }
    windows.push_back({seconds(samples[i - 1]), seconds(samples[i]), *stable, *canary});
    before = metrics::carry_over(before, samples[i]);
  }
  return windows;
}

Result<> check_version(const std::vector<RecordedWindow>& windows,
                       SimulatedCounts RecordedWindow::*of, const std::string& version,
                       const std::string& file) {
  double requests = 0;
  for (const RecordedWindow& window : windows) {
    requests += (window.*of).requests;
  }
  if (requests < 1) {
    return util::fail(ErrorKind::invalid,
                      cat(file, ": version ", version, " has no requests in it"),
                      "Record while both versions have traffic.");
  }
  return {};
}

}  // namespace

Result<RecordedRelease> read_recorded_traffic(const std::string& file, const std::string& ns,
                                              const Json& release) {
  const metrics::Subject subject = subject_of(ns, release);
  KUBIST_TRY(const std::string text, util::read_file(file));
  KUBIST_TRY(const auto samples, metrics::read_recording(text, file, subject));
  auto read = windows_of(samples, subject);
  if (!read) {
    return util::fail(util::with_context(read.error(), file));
  }
  std::vector<RecordedWindow> windows = *std::move(read);
  KUBIST_CHECK(check_version(windows, &RecordedWindow::stable, subject.versions[0], file));
  KUBIST_CHECK(check_version(windows, &RecordedWindow::canary, subject.versions[1], file));
  return RecordedRelease{make_recorded_traffic(std::move(windows)),
                         std::chrono::floor<std::chrono::seconds>(samples.front().at)};
}

std::string query_to_record(const std::string& ns, const Json& release) {
  const auto names = data::string_at(release, {"spec", "metrics", "names"}) == "Envoy"
                         ? metrics::Names::envoy
                         : metrics::Names::istio;
  return metrics::counters_query({subject_of(ns, release)}, names, "destination");
}

}  // namespace kubist::simulation
