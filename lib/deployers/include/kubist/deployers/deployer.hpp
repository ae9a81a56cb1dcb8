#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/deployers/item.hpp>
#include <kubist/deployers/world.hpp>
#include <kubist/kube/watch_hub.hpp>
#include <kubist/util/result.hpp>

namespace kubist::deployers {

/// Something whose change means that a deployer should be asked again.
struct WatchRequest {
  std::shared_ptr<kube::Client> client;
  kube::Interest interest;
};

/// An object of an item that somebody else changed or deleted since the item's last run.
struct Drifted {
  resources::ObjectRef ref;
  std::string what;    ///< "ConfigMap shop/a was deleted"
  bool repair = true;  ///< false: it stays so, and is told of
};

/// What one run of one item is about.
struct Job {
  std::string id;
  bool remove = false;  ///< the item is being deleted: see Deployer::uninstall()
  Json imports;  ///< all import values: an object, or whatever config.importValues is; null: none
  Place place;
  std::string hash;  ///< of config, imports, target and image: the same work has the same hash
  std::chrono::system_clock::time_point started;  ///< when the item was taken up
  std::optional<std::chrono::seconds> remaining;  ///< of its timeout, now; rounded up
  /// Of a job that mends drift: nothing but these objects is made, each for that reason.
  std::map<resources::ObjectRef, std::string> repairs;
};

/// Where an item stands: the three values of every deployer.
struct Progress {
  enum class State { running, done, failed };
  State state = State::running;
  std::string operation;  ///< the step: "StartPod", "RunWorkload", "CollectExports", ...
  std::string reason;     ///< CamelCase
  std::string message;    ///< names the object waited for, or why it failed; no secret values
  std::vector<std::string> codes;  ///< landscaper's error codes, e.g. ERR_CONFIGURATION_PROBLEM
  Json provider_status = Json::object();
  std::vector<WatchRequest> watch;  ///< running: ask again when one of them changes
  std::optional<std::chrono::milliseconds>
      ask_again;                       ///< running: and after this long at the latest
  std::optional<std::string> exports;  ///< done: the exports, one line of JSON
  std::optional<std::string> log;      ///< ended: the tail of the log, redacted
};

/// What the deletion of an item does before what the item kept is cleaned up.
struct Uninstall {
  bool needed = false;  ///< a job with Job::remove
  std::string what;     ///< after the item's name: "runs its deleteScript", "runs nothing: WHY"
};

/// One way of deploying. All that it needs is in the cluster, so any kubist can go on where another
/// one stopped; it may keep what can be made again, such as rendered charts. Any thread, but never
/// twice at once for one item. An error of a call counts as failed; errors of kind unavailable are
/// tried again until the item's timeout.
class Deployer {
 public:
  virtual ~Deployer() = default;
  /// Checks configuration without any request; what `validate` and a dry run show. Invalid.
  virtual util::Result<> check(const Item& item, const Settings& settings) const = 0;
  /// What decides whether work is new, besides imports and target (config, image).
  virtual Json identity(const Item& item, const Settings& /*settings*/) const {
    return {{"config", item.config}, {"exportSchema", item.export_schema}};
  }
  /// What is no longer as the last run left it, of an item whose work is not new. Errors: nobody
  /// knows.
  virtual util::Result<std::vector<Drifted>> drift(World& /*world*/, const Item& /*item*/,
                                                   const Place& /*place*/) const {
    return std::vector<Drifted>();
  }
  /// What the provider status says from the write on that takes a job up, of what the job is going
  /// to make: else that takes a write of its own. The job has no id yet.
  virtual Json announced(World& /*world*/, const Item& /*item*/, const Job& /*job*/) const {
    return Json::object();
  }
  /// Starts the job, or looks how far it is.
  virtual util::Result<Progress> advance(World& world, const Item& item, const Job& job) const = 0;
  /// What the job would make and delete, sent and told by the world's writer, whose dry run is the
  /// server's; done, failed, or running where it cannot be known at present. By default nothing.
  virtual util::Result<Progress> preview(World& /*world*/, const Item& /*item*/,
                                         const Job& /*job*/) const {
    return Progress{.state = Progress::State::done};
  }
  /// Ends what the job still has running (interrupted, timed out); done once nothing runs any more.
  /// The log may be of before that, so the exports of the end are given even though the job fails.
  virtual util::Result<Progress> stop(World& /*world*/, const Item& /*item*/,
                                      const Job& /*job*/) const {
    return Progress{.state = Progress::State::done};
  }
  /// After the job's end was written: lets go what it leaves running. Not waited for.
  virtual util::Result<> dismiss(World& /*world*/, const Item& /*item*/, const Job& /*job*/) const {
    return {};
  }
  /// What removing the item begins with, as its config and status tell.
  virtual Uninstall uninstall(const Item& item) const = 0;
  /// Asked once when a removal begins beside a job that was cut off: what the item's provider
  /// status does not say of that job yet. It is merged into the status before uninstall() is asked.
  virtual util::Result<Json> catch_up(World& /*world*/, const Item& /*item*/,
                                      const Place& /*place*/) const {
    return Json::object();
  }
  /// After a successful run with job.remove (or without, where none is needed): removes all that
  /// the item keeps at its place. Done: nothing is left.
  virtual util::Result<Progress> clean_up(World& /*world*/, const Item& /*item*/,
                                          const Job& /*job*/) const {
    return Progress{.state = Progress::State::done};
  }
  /// Does a job with `remove` start a pod? One that does not works in a namespace that is being
  /// deleted, too, and without imports.
  virtual bool runs_pods() const { return true; }
  /// Does its work read import values? A part of a Templates item that does not gets no import
  /// Secret: the template has put the values into its config.
  virtual bool takes_imports() const { return true; }
};

/// The deployer of a type, or null where the type is not ours. The names of others (of landscaper,
/// and the short ones) are claimed only where the DeployItem CRD is kubist's (Settings).
const Deployer* find_deployer(std::string_view type, const Settings& settings);

}  // namespace kubist::deployers
