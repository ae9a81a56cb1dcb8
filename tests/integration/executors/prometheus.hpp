#pragma once
#include <string>
#include <vector>

#include <sys/types.h>

#include "support.hpp"

/// A real Prometheus beside the real gateway.
namespace it {

/// Debian's Prometheus, scraping the gateway's pods every second as job "gateway". One at a time:
/// it has a port of its own in the cluster's network namespace.
class RealPrometheus {
 public:
  RealPrometheus();
  ~RealPrometheus();
  RealPrometheus(const RealPrometheus&) = delete;
  RealPrometheus& operator=(const RealPrometheus&) = delete;

  /// "10.77.0.2:PORT"
  const std::string& address() const { return m_address; }
  void signal(int number) const;
  void kill();

 private:
  kubist::util::TempDir m_folder{"prometheus-test"};
  std::string m_address;
  pid_t m_pid = -1;
};

/// Service prometheus:9090, which leads to it, and what that takes.
std::vector<Json> prometheus_service(const std::string& ns);

}  // namespace it
