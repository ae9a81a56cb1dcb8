#pragma once
#include <atomic>
#include <stop_token>

#include <kubist/executors/replica.hpp>
#include <kubist/util/clock.hpp>

#include "controller/endpoint.hpp"

namespace kubist::cli {

/// What the controller's probes see. Any thread.
class Health {
 public:
  /// All outlive it. `stop`: asked for the controller's end. `clock`: the replica's.
  Health(const executors::Replica& replica, std::stop_token stop,
         const util::Clock& clock = util::system_clock());

  /// Its loop has turned. Has it seen the tree?
  void turned(bool planned);

  /// /healthz: 500 when the process hangs, or its loop.
  Page live() const;
  /// /readyz: 503 before it has seen the tree, without a valid Lease, and once it is to end.
  Page ready() const;

 private:
  const executors::Replica& m_replica;
  std::stop_token m_stop;
  const util::Clock& m_clock;
  std::atomic<bool> m_planned = false;
  std::atomic<util::BootClock::time_point> m_turned_at;
};

}  // namespace kubist::cli
