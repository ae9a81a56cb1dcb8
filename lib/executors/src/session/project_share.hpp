#pragma once
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <kubist/executors/replica.hpp>
#include <kubist/executors/session.hpp>

#include "session/busy_nodes.hpp"
#include "session/watches.hpp"

namespace kubist::executors {

/// Which replica a project falls to: each takes the one of the highest hash, so that all come to
/// the same without a word, and one that joins or leaves moves only its own share (rendezvous
/// hashing, Thaler and Ravishankar 1998). Empty: there are none.
std::string replica_of(const std::set<std::string>& replicas, std::string_view project_namespace);

/// Takes the projects that fall to this replica as soon as they are free, and gives up the others
/// when no run is at work on them. What it has is allowed in `busy`, and asked for when it is
/// taken.
class ProjectShare {
 public:
  using Tell = std::function<void(const std::string& line)>;
  /// All outlive it; the session has a replica, which has been started.
  ProjectShare(Session& session, BusyNodes& busy, Inbox& inbox, Absences& absences, Tell tell);
  /// Ends the replica. No run may be under way any more.
  ~ProjectShare();
  ProjectShare(const ProjectShare&) = delete;
  ProjectShare& operator=(const ProjectShare&) = delete;

  /// The projects that there are; a namespace of none with DeployItems is shared as one. Any
  /// thread.
  void see(const engine::Graph& tree);
  std::size_t projects() const;  ///< that it has; any thread
  std::size_t replicas() const;  ///< that are alive; any thread

 private:
  using Projects = std::map<std::string, std::vector<engine::Key>>;
  using Time = std::chrono::steady_clock::time_point;
  void run(const std::stop_token& stop);
  void turn(const std::stop_token& stop);
  void alone(const std::string& ns, const std::function<void()>& work);
  void look_around(const std::stop_token& stop);
  void decide(const std::string& ns, const std::vector<engine::Key>& keys,
              const std::stop_token& stop);
  void take(const std::string& ns, const std::vector<engine::Key>& keys,
            const std::stop_token& stop);
  bool has(const std::string& ns) const;
  bool is_due(const std::string& ns) const;
  bool is_known(const std::string& ns, const std::stop_token& stop);
  void put_off(const std::string& ns);
  void drop(const std::string& ns);
  void lose(const std::string& ns);
  bool let_go(const std::string& ns, const std::vector<engine::Key>& keys);
  void lend(const std::string& ns, const std::vector<engine::Key>& keys);
  std::string wanted_by(const std::string& ns) const;
  void say(const std::string& ns, const std::string& what);
  void wake();
  util::Result<> learn(const kube::WatchEvent& event);
  void turn_watch(bool away);
  void seen(const std::string& ns, std::string_view holder, std::string_view version,
            std::string_view wanted_by = {});

  BusyNodes& m_busy;
  Inbox& m_inbox;
  Tell m_tell;
  Replica& m_replica;
  std::unique_ptr<ProjectLocks> m_locks;
  std::set<std::string> m_alive;              ///< by the thread that decides
  Time m_look_at = Time::min();               ///< the same
  std::map<std::string, std::string> m_said;  ///< the same; by namespace
  std::map<std::string, Time> m_lending;      ///< the same; when the last request has ended
  std::map<std::string, Time> m_known_at;     ///< the same; that a Lease was its own, as it read

  mutable std::mutex m_mutex;  ///< guards what follows
  std::condition_variable_any m_wake;
  bool m_woken = false;
  Projects m_projects;  ///< by namespace
  std::set<std::string> m_mine;
  /// When one that others have is asked for again, and after which pause.
  std::map<std::string, std::pair<Time, std::chrono::seconds>> m_put_off;
  std::map<std::string, std::string> m_wanted;  ///< of its own, by whom
  /// Until when those that were given to whom asked are waited for, to be taken by that one.
  std::map<std::string, Time> m_lent;
  std::optional<Time> m_away;  ///< since when no watch tells of Leases
  std::size_t m_replicas = 0;

  std::set<std::string> m_listed;  ///< by the watch: in the listing that is under way
  kube::WatchOptions m_options;
  kube::StandingWatch m_watch;
  std::jthread m_thread;  ///< last: it uses all of the above
};

}  // namespace kubist::executors
