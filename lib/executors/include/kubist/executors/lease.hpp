#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include <kubist/engine/lock.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/result.hpp>

namespace kubist::executors {

/// The Lease of every project that this run writes to: coordination.k8s.io/v1 Lease `kubist` in the
/// project's namespace, taken before the first write there, renewed by a thread, freed at the end.
/// A run that writes nothing never touches one. Any thread.
class ProjectLocks {
 public:
  struct Options {
    std::string identity;  ///< shown to others: "user@host"
    std::string run_id;
    std::chrono::nanoseconds timeout{0};  ///< how long to wait for another holder; 0: not at all
    /// Called once for each lock right after it was taken: is what was planned still true? An error
    /// frees the lock and is what before_write() returns.
    std::function<util::Result<>(const std::string& ns)> recheck;
    std::function<void(const std::string& message)> progress;  ///< says whom it waits for
    const util::Clock* clock = &util::system_clock();          ///< outlives the locks
    std::function<bool(std::chrono::nanoseconds, const std::stop_token&)> sleep = util::sleep_for;
    engine::LockTimes times = {};  ///< `retry` is also how often the thread looks what to renew
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

 private:
  struct Held;
  std::shared_ptr<Held> held_of(const std::string& ns);
  util::Result<> acquire(Held& held, const std::string& ns, const std::stop_token& stop);
  util::Result<bool> write(Held& held, const std::string& ns, bool create,
                           const std::string& holder);
  util::Result<> observe(Held& held, const std::string& ns);
  util::Result<bool> renew(Held& held, const std::string& ns);
  void renew_all();

  std::shared_ptr<kube::Client> m_home;
  Options m_options;
  std::mutex m_mutex;  ///< guards m_held; each entry has its own lock
  std::map<std::string, std::shared_ptr<Held>> m_held;
  std::jthread m_renewer;
};

}  // namespace kubist::executors
