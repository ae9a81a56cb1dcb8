#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <kubist/data/json.hpp>
#include <kubist/engine/node.hpp>
#include <kubist/executors/lease.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/result.hpp>

namespace kubist::executors {

/// An object of a project that a replica has.
struct ReplicaObject {
  engine::Key key;
  std::string api_version;
  std::string project;  ///< its namespace
};

/// What a run by hand says to the replicas that have projects, by their objects' annotation
/// kubist.io/request, and what they say by the objects' statuses. Writes nothing else. Any thread.
class ReplicaRequests {
 public:
  struct Options {
    std::string run_id;  ///< the id of what is asked for
    std::function<bool(std::chrono::nanoseconds, const std::stop_token&)> sleep;
  };
  /// REQUIRES: `home` and `locks`, which has Options::on_replica, outlive it.
  ReplicaRequests(kube::Client& home, ProjectLocks& locks, Options options)
      : m_home(home), m_locks(locks), m_options(std::move(options)) {}

  /// The object now; nothing: it is gone.
  using Seen = util::Result<std::optional<data::Json>>;
  Seen read(const ReplicaObject& what, const std::stop_token& stop);
  /// Asks for a reconcile of the object. What somebody else asked for is not written over, for it
  /// is a run, too: the text of the request that is to be answered. A conflict with reason
  /// k_plan_changed: the object is gone. Unavailable: it changed before each of many tries.
  util::Result<std::string> ask(const ReplicaObject& what, const std::stop_token& stop);
  /// Waits until it holds for the object, or that is gone (nothing). A conflict with reason
  /// k_plan_changed: the project is no replica's any more.
  using Holds = std::function<bool(const data::Json& object)>;
  Seen wait(const ReplicaObject& what, const Holds& holds, const std::stop_token& stop);
  /// Before another try than the `tries` so far; unavailable, with `why`: they are many.
  util::Result<> pause(int tries, const std::string& why, const std::stop_token& stop);
  /// The same conflict as of wait().
  util::Result<> check_replica(const std::string& ns, const std::stop_token& stop);

 private:
  kube::Client& m_home;
  ProjectLocks& m_locks;
  Options m_options;
};

/// Has the object's request been answered?
bool is_answered(const data::Json& object, std::string_view request);

}  // namespace kubist::executors
