#pragma once
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include <kubist/deployers/item_run.hpp>
#include <kubist/engine/executor.hpp>
#include <kubist/executors/world.hpp>

namespace kubist::executors {

class ProjectAccounts;

/// Reason of an error that means: what was planned no longer holds, plan again.
inline constexpr std::string_view k_plan_changed = deployers::k_item_changed;
/// Such an error (a conflict).
util::Error plan_changed(std::string message);

/// A node's status before a run wrote it first, and after it wrote it last.
struct StatusChange {
  data::Json before, after;
};

/// What runs of this process have written of statuses. Outlives them; any thread. It keeps the
/// newest 50,000 in 256 MiB, should a run never end: of what goes earlier a run that began before
/// may compute a merge patch from an older status, which the next run corrects.
class StatusBook {
 public:
  /// The status of a whole object.
  struct Entry {
    std::shared_ptr<const data::Json> status;
    std::string resource_version;
  };
  /// The newest: as the node's object was read, or as it was written since.
  Entry newest(const engine::Node& node) const;
  /// What was written since the node's object was read; null: nothing.
  std::shared_ptr<const data::Json> written(const engine::Node& node) const;
  /// One that is older than what is known changes nothing.
  void note(const std::string& uid, Entry entry);
  /// Held by who changes the status of that object.
  std::shared_ptr<std::mutex> turn_of(const std::string& uid);
  /// Forgets what was written: who reads objects from now on sees it.
  void clear();

 private:
  struct Kept {
    Entry entry;
    std::size_t bytes = 0;
    std::list<std::string>::iterator age;  ///< in m_by_age
  };
  void forget_oldest();

  mutable std::mutex m_mutex;
  std::map<std::string, Kept> m_entries;  ///< by uid
  std::list<std::string> m_by_age;        ///< uids, oldest first
  std::size_t m_bytes = 0;
  std::map<std::string, std::shared_ptr<std::mutex>> m_turns;  ///< by uid
};

/// Writes statuses as merge patches of the status subresource (field manager kubist-status), one at
/// a time for each object, under the project's lock. In a dry run nothing is written, and
/// never in a `hidden` project: it is not the caller's.
///
/// The Root has no project, so no lock, nor has a new Project a namespace for one: such a status is
/// written only over the resourceVersion that it was computed from. Another kubist's write in
/// between is a conflict with reason k_plan_changed, after which the run is planned again from what
/// stands there then. So it never goes over one that its writer has not seen, no namespace has to
/// be chosen for the Root's Lease (nor rights in it given), and a run without news writes nothing.
class KubeStatusStore final : public engine::StatusStore {
 public:
  /// REQUIRES: `book` and `accounts`, who know the caller, outlive it.
  KubeStatusStore(World& world, StatusBook& book, ProjectAccounts& accounts,
                  std::set<std::string> hidden, std::stop_token stop)
      : m_world(world),
        m_book(book),
        m_accounts(accounts),
        m_hidden(std::move(hidden)),
        m_stop(std::move(stop)) {}
  util::Result<engine::StatusWritten> change(const engine::Node& node,
                                             const Change& change) override;
  std::shared_ptr<const data::Json> written(const engine::Node& node) const override;
  std::string shown(const std::string& text) const override;
  /// The node's object as a write of this run left it.
  void saw(const engine::Node& node, const data::Json& object);
  /// What was written. After the run.
  const std::map<engine::NodeId, StatusChange>& changes() const { return m_changes; }

  /// Writes fields of the node's status that name objects, ahead of these; false: it was so.
  /// Not_found: the node's object is gone.
  util::Result<bool> record(const engine::Node& node, const data::Json& fields);
  /// Its virtual cluster has nothing of it any more: takes its entry away. Was it the last one? A
  /// write has all entries that are left, so those that go meanwhile share the next one: with one
  /// for each, 500 would take minutes. Of these only one is the last.
  util::Result<bool> drop_target(const engine::Node& node);

 private:
  /// What goes from the status of an object with the next write; busy: one is under way.
  struct Leaving {
    std::set<std::string> names;
    bool busy = false;
  };
  /// Writes what `change` makes of the status of the whole object.
  util::Result<engine::StatusWritten> change_whole(const engine::Node& node, const Change& change);
  World& m_world;
  StatusBook& m_book;
  ProjectAccounts& m_accounts;
  std::set<std::string> m_hidden;  ///< project namespaces
  std::stop_token m_stop;
  /// False: there was nothing to send, or nowhere to.
  util::Result<bool> send(const engine::Node& node, const StatusBook::Entry& present,
                          const data::Json& status);
  std::mutex m_mutex;  ///< guards what follows
  std::map<engine::NodeId, StatusChange> m_changes;
  std::map<std::string, Leaving> m_leaving;  ///< by uid
  std::condition_variable m_dropped;
};

}  // namespace kubist::executors
