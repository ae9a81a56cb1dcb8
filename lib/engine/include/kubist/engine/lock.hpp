#pragma once
#include <chrono>
#include <optional>
#include <string>

#include <kubist/util/clock.hpp>

namespace kubist::engine {

/// The holder part of a coordination.k8s.io/v1 Lease, as one project's lock uses it.
struct LeaseRecord {
  std::string holder;  ///< spec.holderIdentity; empty: free
  std::string run_id;  ///< annotation kubist.io/run
  /// Annotation kubist.io/replica, "NAMESPACE/NAME": the Lease that its holder renews instead of
  /// this one; empty: it renews this one.
  std::string replica = {};
  std::string renew_time;  ///< spec.renewTime as text: compared for change only, never as a time
  int transitions = 0;     ///< spec.leaseTransitions
  std::chrono::seconds duration{15};  ///< spec.leaseDurationSeconds
  std::string resource_version;
  std::string uid = {};  ///< of the Lease; empty: it is not known, or is new
  /// Annotation kubist.io/process: that of its holder, as util::process_mark() names it.
  std::string process = {};
  /// Has that one ended without letting go? Then it is taken LockTimes::retry after that was seen:
  /// what it sent last may still be on its way.
  bool is_orphan = false;
  /// Annotation kubist.io/take-over: who asks its holder for it. Gone with the next write.
  std::string wanted_by = {};
  bool operator==(const LeaseRecord&) const = default;
};

struct LockTimes {
  std::chrono::milliseconds lease{15000};     ///< others may take a lease not renewed for this long
  std::chrono::milliseconds deadline{10000};  ///< a holder that could not renew stops writing
  std::chrono::milliseconds retry{2000};      ///< between tries to take, and between renewals
};

/// The rules of client-go's leader election (tools/leaderelection) as a pure state machine: what to
/// do next with one Lease, by this observer's own clock since boot: clocks of machines never need
/// to agree, and a machine that was suspended knows. Not thread-safe; the caller does the requests
/// and reports back.
class LockState {
 public:
  using Time = util::BootClock::time_point;
  explicit LockState(std::string identity, LockTimes times = {});

  /// A Lease was read (nothing: it does not exist), or came back from a write of ours.
  void observe(const std::optional<LeaseRecord>& record, Time now);
  /// Our write was accepted: we hold it, renewed at `sent` (when the request was sent).
  void acquired(const LeaseRecord& record, Time sent);
  /// We gave it up, or saw that it is no longer ours.
  void lost();

  enum class Step {
    create,  ///< no Lease: create it
    take,    ///< free, ours, stale, or an orphan: update it with the seen resourceVersion
    wait,    ///< somebody else holds it: look again after `wait_time`
    renew,   ///< ours and due: update it
    none,    ///< ours and fresh
  };
  /// What to do at `now`. REQUIRES: observe() was called.
  Step next(Time now) const;
  /// How long until next() can say something else.
  std::chrono::milliseconds wait_time(Time now) const;
  /// The resourceVersion of the Lease as seen last; empty: there is none.
  const std::string& version() const;
  /// May a write be sent now? False once the last renewal is older than the deadline.
  bool may_write(Time now) const;
  /// Until when, if it is not renewed. REQUIRES: held().
  Time valid_until() const { return m_renewed_at + m_times.deadline; }
  bool held() const { return m_held; }
  /// Who holds it as last seen; empty when free.
  const std::string& holder() const;
  const std::string& holder_run() const;

  /// The record to write for create, take or renew.
  LeaseRecord desired(const std::string& run_id, const std::string& renew_time) const;

 private:
  bool stale(Time now) const;
  std::string m_identity;
  LockTimes m_times;
  std::optional<LeaseRecord> m_record;
  Time m_observed_at{};  ///< when the record was last seen to change
  Time m_orphan_at{};    ///< when it was first seen to be an orphan
  Time m_renewed_at{};
  bool m_held = false;
};

}  // namespace kubist::engine
