#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include <kubist/engine/lock.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/result.hpp>

namespace kubist::executors {

class Replica;

/// Reason of an error: a replica of a controller has that project.
inline constexpr std::string_view k_of_replica = "OfReplica";

/// The Leases that runs of one process hold side by side: each is taken by the first that needs it
/// and freed by the last. Any thread.
class HeldLeases {
 public:
  struct One;
  /// They are held in the name of that replica, which outlives them; null: each is renewed by
  /// itself.
  explicit HeldLeases(Replica* replica = nullptr) : m_replica(replica) {}
  Replica* replica() const { return m_replica; }
  /// That of a namespace. Who joins leaves.
  std::shared_ptr<One> join(const std::string& ns, const std::string& identity,
                            const engine::LockTimes& times);
  /// Was the caller the last one? Then it frees the Lease.
  bool leave(const std::string& ns);

  /// It was freed by this process, which made that version of it.
  void freed(const std::string& ns, const std::string& version);
  /// It is taken in that version (empty: there was none). A version that freed() named means that
  /// nobody else had it meanwhile.
  void taken(const std::string& ns, const std::string& version, util::BootClock::time_point now);
  /// Since when nobody but this process has had it.
  util::BootClock::time_point since(const std::string& ns) const;

 private:
  struct Shared {
    std::shared_ptr<One> one;
    int users = 0;
  };
  /// How long nobody else has had a Lease.
  struct Alone {
    std::string freed;  ///< version
    util::BootClock::time_point since;
  };
  Replica* m_replica;
  mutable std::mutex m_mutex;
  std::map<std::string, Shared> m_shared;
  std::map<std::string, Alone> m_alone;
};

/// The Lease of every project that this run writes to: coordination.k8s.io/v1 Lease `kubist` in the
/// project's namespace, taken before the first write there, renewed by a thread, freed at the end.
/// A run that writes nothing never touches one. Any thread.
class ProjectLocks {
 public:
  struct Options {
    std::string identity;  ///< shown to others: "user@host"
    std::string run_id;
    std::chrono::nanoseconds timeout{0};  ///< how long to wait for another holder; 0: not at all
    /// Called once for each lock before the run's first write under it: is what was planned still
    /// true? An error is what before_write() returns; it frees a lock that was taken for it.
    std::function<util::Result<>(const std::string& ns)> recheck;
    std::function<void(const std::string& message)> progress;  ///< says whom it waits for
    const util::Clock* clock = &util::system_clock();          ///< outlives the locks
    std::function<bool(std::chrono::nanoseconds, const std::stop_token&)> sleep = util::sleep_for;
    /// When its plan was begun. A plan that is younger than this process' hold on a Lease, with no
    /// other holder between, is not checked. Nothing: each is.
    std::optional<util::BootClock::time_point> planned_at = {};
    HeldLeases* held = nullptr;    ///< those of this process, outlives the locks; null: none
    engine::LockTimes times = {};  ///< `retry` is also how often the thread looks what to renew
    /// Told of a project that a replica has. Nobody waits for that one: before_write() is an error
    /// with reason k_of_replica. Empty: it is waited for.
    std::function<void(const std::string& ns)> on_replica = {};
    bool take_over = false;  ///< a replica that has a project is asked for it, and waited for
  };

  ProjectLocks(std::shared_ptr<kube::Client> home, Options options);
  ~ProjectLocks();
  ProjectLocks(const ProjectLocks&) = delete;
  ProjectLocks& operator=(const ProjectLocks&) = delete;

  /// Takes the lock of that namespace, or finds it held and fresh. Conflict, reason Locked: another
  /// kubist holds it (named with its run), or we could not renew for 10 s. In a namespace that does
  /// not exist or is terminating (also one that begins to while its lock is held) there is no lock
  /// and none is needed: nothing is created there. Cancelled: it is not held, and stop is
  /// requested.
  util::Result<> before_write(const std::string& ns, const std::stop_token& stop);
  /// Is the lock that before_write() took of that namespace still valid? Goes with each write that
  /// is sent under it, as does before_write()'s error: Conflict, reason Locked. May outlive this.
  http::Permit permit(const std::string& ns);
  /// The rules of a writer for what is that project's: before_write(), and permit() with each
  /// write. This outlives the writer.
  kube::Writer::Rules rules(const std::string& ns, const std::stop_token& stop);
  /// Frees what is held.
  void release();
  /// Frees that one, whoever of this process uses it.
  void release(const std::string& ns);
  /// From now on no run of this process writes under it, or takes it; false ends that. A request
  /// that was sent before may still arrive.
  void withhold(const std::string& ns, bool so = true);
  /// A watch shows the Lease in that version with that holder (empty: nobody, or it is gone). True:
  /// it was held by this process, or was not there to be held, and is another's now. REQUIRES:
  /// before_write() has asked for it.
  bool seen(const std::string& ns, std::string_view holder, std::string_view version);
  /// The same by reading it now. An error: it is not known.
  util::Result<bool> look(const std::string& ns, const std::stop_token& stop);

 private:
  using Held = HeldLeases::One;
  /// A Lease that this run uses, and when it was taken after which the run's plan was checked.
  struct Used {
    std::shared_ptr<Held> held;
    int checked = 0;  ///< Held::taken; guarded by the Lease's mutex
  };
  Used& use(const std::string& ns);
  util::Result<> check(Used& used, const std::string& ns);
  util::Result<> recheck(const std::string& ns);
  util::Result<> acquire(Used& used, const std::string& ns, const std::stop_token& stop);
  util::Result<bool> try_to_take(Used& used, const std::string& ns, const std::stop_token& stop);
  util::Result<> ask_for(const std::string& ns, const std::stop_token& stop);
  util::Result<> wait(const Held& held, const std::string& ns, util::BootClock::time_point give_up,
                      const std::stop_token& stop);
  util::Result<bool> write(Held& held, const std::string& ns, bool create,
                           const std::string& holder);
  util::Result<> observe(Held& held, const std::string& ns, const std::stop_token& stop);
  util::Result<bool> unseat(const Held& held);
  util::Result<bool> renew(Held& held, const std::string& ns);
  void renew_all();
  void free(Held& held, const std::string& ns);

  std::shared_ptr<kube::Client> m_home;
  Options m_options;
  HeldLeases m_own;
  HeldLeases& m_leases;
  std::mutex m_mutex;  ///< guards m_used; each Lease has its own lock
  std::map<std::string, Used> m_used;
  std::jthread m_renewer;
};

}  // namespace kubist::executors
