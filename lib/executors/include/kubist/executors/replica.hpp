#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include <kubist/engine/lock.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/result.hpp>

namespace kubist::executors {

/// A time in which a replica was never without its Lease. Any thread.
class Term {
 public:
  using Time = util::BootClock::time_point;
  explicit Term(std::string lease = {}) : m_lease(std::move(lease)) {}
  /// "NAMESPACE/NAME" of that Lease.
  const std::string& lease() const { return m_lease; }
  /// May what is held in its name be written to?
  bool valid(Time now) const { return now < m_until.load(); }

 private:
  friend class Replica;
  std::string m_lease;
  std::atomic<Time> m_until{Time::min()};
};

/// This process as one of several that share the projects. It renews one Lease; the Leases of the
/// projects that it has name that one (annotation kubist.io/replica), are not renewed by themselves
/// and hold while that one does. Who takes a project from a replica that does not renew deletes the
/// replica's Lease first: so one that was held up finds out by its own Lease, before it writes.
class Replica {
 public:
  struct Options {
    std::string ns;        ///< of the Leases of all replicas
    std::string identity;  ///< of this one, as Session::Options::identity
    std::function<void(const std::string& line)> tell;  ///< for people; from any thread
    const util::Clock* clock = &util::system_clock();   ///< outlives it
    engine::LockTimes times = {};                       ///< `retry`: how often it renews
  };
  Replica(std::shared_ptr<kube::Client> home, Options options);
  ~Replica();  ///< as end()
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  /// Makes its Lease and renews it from now on, on a thread. Fails where it cannot be made, and in
  /// a project's namespace: who may make Leases there could pose as a replica.
  util::Result<> start(const std::stop_token& stop);
  /// Deletes its Lease: all projects that it had are free. Nothing may be at work on them any more.
  void end();

  const std::string& ns() const { return m_options.ns; }
  const std::string& identity() const { return m_options.identity; }
  /// The present one; never null. Where the Lease is found deleted another begins. Any thread.
  std::shared_ptr<const Term> term() const;
  /// Is that valid now? Any thread.
  bool joined() const { return term()->valid(m_options.clock->boot()); }
  const engine::LockTimes& times() const { return m_options.times; }
  /// When it tried to renew last. Any thread.
  Term::Time tried_at() const { return m_tried_at; }

  /// Renews its Lease once, or makes it. By one thread at a time.
  util::Result<> renew(const std::stop_token& stop = {});
  /// The identities of the replicas that renew their Leases, this one's included where its term is
  /// valid. Deletes the Leases of those that do not, and what is left of earlier terms of its own;
  /// where that fails it tells so. By one thread at a time.
  util::Result<std::set<std::string>> look_around(const std::stop_token& stop = {});

 private:
  util::Result<> check_namespace(const std::stop_token& stop);
  util::Result<> begin_term(const std::stop_token& stop);
  util::Result<bool> update(const std::stop_token& stop);
  kube::ApiCall bounded(kube::ApiCall call, std::chrono::milliseconds time) const;
  void note(const data::Json& lease, Term::Time sent);
  data::Json body() const;
  void say(const std::string& line) const;
  void renew_and_tell(const std::stop_token& stop);

  std::shared_ptr<kube::Client> m_home;
  Options m_options;
  mutable std::mutex m_mutex;  ///< guards m_term
  std::shared_ptr<Term> m_term = std::make_shared<Term>();
  std::string m_name, m_uid, m_version;  ///< of its Lease; by the thread that renews
  bool m_failing = false;
  std::atomic<Term::Time> m_tried_at{Term::Time::min()};
  std::map<std::string, engine::LockState> m_seen;  ///< others' Leases by uid
  std::string m_told;                               ///< what kept one from being deleted last
  std::jthread m_thread;                            ///< last: it uses all of the above
};

}  // namespace kubist::executors
