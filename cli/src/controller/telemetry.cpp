#include "controller/telemetry.hpp"

#include <filesystem>
#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

#include <kubist/http/url.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

namespace {

using Type = Instruments::Type;
using Labels = Instruments::Labels;

// controller-runtime's and client-go's.
const std::vector<double> k_reconcile_bounds{
    0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
    0.7,   0.8,  0.9,   1.0,  1.25, 1.5,  1.75, 2.0,  2.5, 3.0,  3.5, 4.0,  4.5, 5,
    6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60};
const std::vector<double> k_queue_bounds{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3,
                                         1e-2, 0.1,  1,    10,   100,  1000};

std::vector<Instruments::Family> families() {
  return {
      {"controller_runtime_reconcile_total", Type::counter,
       "Objects that were reconciled, by kind and result."},
      {"controller_runtime_reconcile_errors_total", Type::counter,
       "Objects whose reconciliation failed, by kind."},
      {"controller_runtime_reconcile_time_seconds", Type::histogram,
       "How long one object took: its policies, its executor and its status.", k_reconcile_bounds},
      {"workqueue_depth", Type::gauge, "Subtrees that are to run now or at some time."},
      {"workqueue_adds_total", Type::counter, "Subtrees that were asked for."},
      {"workqueue_retries_total", Type::counter, "Subtrees that run again since they failed."},
      {"workqueue_work_duration_seconds", Type::histogram, "How long a run took.", k_queue_bounds},
      {"rest_client_requests_total", Type::counter,
       "Requests to API servers, by status, method and host."},
      {"kubist_runs", Type::gauge, "Runs that are under way."},
      {"kubist_runs_total", Type::counter, "Runs that have ended, by result."},
      {"kubist_writes_total", Type::counter, "Changes that runs made, statuses included."},
      {"kubist_projects", Type::gauge, "Projects that this replica has."},
      {"kubist_replicas", Type::gauge, "Replicas that renew their Leases, this one included."},
      {"kubist_build_info", Type::gauge, "1, with the version."},
      {"process_cpu_seconds_total", Type::counter, "Processor time, user and system."},
      {"process_resident_memory_bytes", Type::gauge, "Memory in RAM."},
      {"process_open_fds", Type::gauge, "Open file descriptors."},
  };
}

const Labels& queue() {
  static const Labels labels{{"name", "kubist"}, {"controller", "kubist"}};
  return labels;
}

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  double resident = 0;
  file >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double open_files() {
  std::error_code failed;
  const std::filesystem::directory_iterator all("/proc/self/fd", failed);
  return failed ? 0 : static_cast<double>(std::distance(begin(all), end(all)));
}

std::string place_of(std::string_view url) {
  const auto parsed = http::parse_url(url);
  return parsed ? util::cat(parsed->host, ':', parsed->port) : "";
}

}  // namespace

Telemetry::Telemetry() : m_instruments(families()) {
  m_instruments.set("kubist_build_info", {{"version", KUBIST_VERSION}}, 1);
}

void Telemetry::home(std::string_view server) { m_home = place_of(server); }

// Members name the other clusters, and a series never goes.
void Telemetry::requested(std::string_view method, std::string_view url, int status) {
  const std::string place = place_of(url);
  m_instruments.add("rest_client_requests_total",
                    {{"code", status == 0 ? "<error>" : std::to_string(status)},
                     {"method", std::string(method)},
                     {"host", place == m_home ? place : "other"}},
                    1);
}

void Telemetry::starting(const std::vector<engine::Schedule::Due>& due) {
  for (const engine::Schedule::Due& each : due) {
    if (each.cause == engine::Cause::retry) {
      m_instruments.add("workqueue_retries_total", queue(), 1);
    }
  }
}

void Telemetry::finished(const executors::Run& run) {
  const engine::Report& report = run.report;
  for (const engine::NodeReport& node : report.nodes) {
    const bool failed = node.state == engine::NodeState::failed;
    if (!failed && node.state != engine::NodeState::done) {
      continue;  // it did not run
    }
    const std::string kind = util::lower(node.key.kind);
    const std::string result = failed ? "error" : node.requeue_after ? "requeue_after" : "success";
    m_instruments.add("controller_runtime_reconcile_total",
                      {{"controller", kind}, {"result", result}}, 1);
    m_instruments.observe("controller_runtime_reconcile_time_seconds", {{"controller", kind}},
                          seconds(node.took));
    m_instruments.add("controller_runtime_reconcile_errors_total", {{"controller", kind}},
                      failed ? 1 : 0);
  }
  const bool failed = report.summary.failed > 0 || !report.status_errors().empty();
  m_instruments.add("kubist_runs_total",
                    {{"result", report.stopped ? "stopped"
                                : failed       ? "error"
                                               : "success"}},
                    1);
  m_instruments.add("kubist_writes_total", {}, static_cast<double>(report.summary.writes));
  m_instruments.observe("workqueue_work_duration_seconds", queue(), seconds(report.took));
}

void Telemetry::turned(const executors::LoopState& state) {
  m_instruments.set("workqueue_depth", queue(), static_cast<double>(state.waiting));
  m_instruments.set("workqueue_adds_total", queue(), static_cast<double>(state.added));
  m_instruments.set("kubist_runs", {}, static_cast<double>(state.running));
  m_instruments.set("kubist_projects", {}, static_cast<double>(state.projects.value_or(0)));
  m_instruments.set("kubist_replicas", {}, static_cast<double>(state.replicas));
}

std::string Telemetry::text() {
  m_instruments.set("process_cpu_seconds_total", {}, cpu_seconds());
  m_instruments.set("process_resident_memory_bytes", {}, resident_bytes());
  m_instruments.set("process_open_fds", {}, open_files());
  return m_instruments.text();
}

}  // namespace kubist::cli
