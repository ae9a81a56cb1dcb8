#pragma once
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include <kubist/executors/tree.hpp>

#include "session/watches.hpp"

namespace kubist::executors {

/// Which version of an object a write of this process made.
struct WrittenVersion {
  std::string uid;
  std::string resource_version;
};
using WrittenVersions = std::map<engine::Key, WrittenVersion>;

/// Watches one kind at home, holds its objects, and turns its events into causes (an Approval's
/// into its release's). Lasts: while a kind may not be watched, `absences` tells so, and it is
/// listed again and again.
class KindWatch {
 public:
  /// REQUIRES: `inbox` and `absences` outlive it.
  KindWatch(std::shared_ptr<kube::Client> home, const resources::Kind& kind, const std::string& ns,
            Inbox& inbox, Absences& absences);
  /// The same of a kind that an ExecutorDefinition serves, which a run came to know: what is found
  /// first is looked at too, for it may be newer than that run.
  KindWatch(std::shared_ptr<kube::Client> home, const kube::ApiResource& served,
            const std::string& ns, Inbox& inbox, Absences& absences);

  /// Its objects in that namespace (empty: in all), with those writes in them. Waits for the first
  /// listing, and a moment for events of those writes. Nothing: it is away, or too late. Any
  /// thread.
  std::optional<Objects> objects(const std::string& ns, const WrittenVersions& written,
                                 const std::stop_token& stop);

 private:
  struct Known {
    ObjectPtr object;
    std::optional<util::Error> unreadable;
  };
  enum class State { listing, current, away };
  KindWatch(std::shared_ptr<kube::Client> home, kube::ApiResource resource, std::string selector,
            const std::string& ns, bool late, Inbox& inbox, Absences& absences);
  util::Result<> take(const kube::WatchEvent& event);
  Known read(const kube::WatchEvent& event) const;
  void learn(const kube::WatchEvent& event);
  void end_listing();
  void turn(bool away);
  bool has(const WrittenVersions& written) const;

  Inbox& m_inbox;
  kube::WatchOptions m_options;
  std::mutex m_mutex;  ///< guards what follows, but the thread
  std::condition_variable_any m_changed;
  State m_state = State::listing;
  std::map<engine::Key, Known> m_known;
  std::set<engine::Key> m_listed;
  bool m_primed;          ///< else the first listing is what the first run saw
  std::jthread m_thread;  ///< last: it uses all of the above
};

}  // namespace kubist::executors
