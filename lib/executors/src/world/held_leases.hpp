#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <kubist/executors/lease.hpp>
#include <kubist/executors/replica.hpp>

#include "world/lease_record.hpp"

namespace kubist::executors {

/// One Lease of this process, for all of its runs.
struct HeldLeases::One {
  One(const std::string& identity, const engine::LockTimes& times) : state(identity, times) {}
  std::mutex mutex;  ///< also held while the lock is waited for
  engine::LockState state;
  std::shared_ptr<const Term> term;    ///< in which a replica holds it; null: a run does
  std::optional<ReplicaLease> keeper;  ///< of the replica that had it as seen last
  int taken = 0;                       ///< how often, by any run
  bool needless = false;               ///< no namespace to lock in
  bool withheld = false;               ///< from the runs of this process

  bool held() const { return !needless && state.held(); }
  bool may_write(engine::LockState::Time now) const {
    return state.held() && !withheld && (term ? term->valid(now) : state.may_write(now));
  }
  void lose() {
    state.lost();
    term = nullptr;
    publish();
  }
  /// Tells permits how it is now.
  void publish() {
    const std::lock_guard lock(m_permits);
    m_until = withheld                             ? engine::LockState::Time::min()
              : needless || (state.held() && term) ? engine::LockState::Time::max()
              : state.held()                       ? state.valid_until()
                                                   : engine::LockState::Time::min();
    m_term = needless ? nullptr : term;
  }
  /// For permits, which must not wait for the mutex: whoever has it may be waiting for a request.
  bool permits(engine::LockState::Time now) const {
    const std::lock_guard lock(m_permits);
    return now < m_until && (!m_term || m_term->valid(now));
  }

 private:
  mutable std::mutex m_permits;  ///< guards what follows
  engine::LockState::Time m_until = engine::LockState::Time::min();
  std::shared_ptr<const Term> m_term;
};

/// Conflict, reason Locked: it is, or was, this process', and no other may have it yet.
util::Error not_renewed(const std::string& ns);

}  // namespace kubist::executors
