#pragma once
#include <functional>
#include <string>

#include <kubist/deployers/deployer.hpp>
#include <kubist/deployers/handshake.hpp>
#include <kubist/deployers/item_run.hpp>

namespace kubist::deployers {

/// One DeployItem in work: the object as last read or written, and the writes of its handshake.
class Session {
 public:
  /// Not_found: no such DeployItem (any more).
  static util::Result<Session> open(World& world, const std::string& ns, const std::string& name);
  /// One that was read not long ago.
  static util::Result<Session> of(World& world, Json item) {
    return Session(world, std::move(item));
  }

  const Json& object() const { return m_object; }
  Json status() const;
  /// The fields as deployers see them. Invalid: see parse_item(). Conflict, reason k_item_changed:
  /// it is of another generation than the one that may run.
  util::Result<Item> item() const;
  /// From here on no other generation may run; 0: any may.
  void expect(std::int64_t generation) { m_generation = generation; }

  /// Writes a new status, if it is new. After a conflict the item is read and the status computed
  /// again, a few times. Conflict: it was none of these times written, or somebody asked for
  /// another job meanwhile. Cancelled: a stop was requested, and the status is a failure, which may
  /// be the stop's own; the next run finds out.
  util::Result<> write_status(const std::function<Json(Json status)>& change);
  /// Not_found: the item is gone. Conflict: it is being deleted, and takes no new ones.
  util::Result<> add_finalizer() { return set_finalizer(true); }
  util::Result<> drop_finalizer() { return set_finalizer(false); }
  util::Result<> drop_annotation(std::string_view name);
  util::Result<> reload();
  /// Is what is known of the item from under the project's lock? Then nobody else ends its job.
  bool is_locked() const { return m_locked; }
  /// Reads the item again, under the project's lock where the job is not over: who else drives the
  /// job writes its end before it lets go of the lock, and before it removes what the job ran in.
  /// Errors: those of Writer::Rules::before and of the request.
  util::Result<bool> see_whether_over(const std::string& job);

 private:
  Session(World& world, Json object) : m_world(&world), m_object(std::move(object)) {}
  util::Result<> set_finalizer(bool present);
  void take(Json written);
  World* m_world;
  Json m_object;
  bool m_locked = false;
  std::int64_t m_generation = 0;
};

/// Stops what a job has running and waits until it has ended, for as long as a pod may take to;
/// what the deployer says of it then. Timeout: it did not end.
util::Result<Progress> stop_and_wait(World& world, const Item& item, const Deployer& deployer,
                                     const Job& job);
/// Ends a job that somebody interrupted: writes so, stops it and waits; how it ended.
util::Result<Progress> end_interrupted(World& world, Session& session, const Item& item,
                                       const Deployer& deployer, const Job& job);
/// Has somebody interrupted the job that the status asks for?
bool is_interrupted(const Json& status);

/// Drives a job until the deployer is done or failed, its timeout has passed (then it is stopped
/// and counts as failed), somebody interrupts it (the same), or stop is requested (then `running`,
/// and World::progress is told what runs on). Where another kubist has ended the job meanwhile (the
/// session's status is_over()), that is its outcome, and not what is returned.
util::Result<Progress> drive(World& world, Session& session, const Deployer& deployer, Job& job,
                             bool wait);

}  // namespace kubist::deployers
