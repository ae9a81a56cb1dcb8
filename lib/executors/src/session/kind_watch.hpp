#pragma once
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <kubist/executors/tree.hpp>
#include <kubist/kube/room.hpp>

#include "session/shelf.hpp"
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
  /// What it holds is in `room`, which watches of other kinds may share. REQUIRES: that, `inbox`
  /// and `absences` outlive it.
  KindWatch(std::shared_ptr<kube::Client> home, const resources::Kind& kind,
            const WatchedNamespaces& where, Inbox& inbox, Absences& absences, kube::Room& room);
  /// The same of a kind that an ExecutorDefinition serves, which a run came to know: what is found
  /// first is looked at too, for it may be newer than that run.
  KindWatch(std::shared_ptr<kube::Client> home, const kube::ApiResource& served,
            const WatchedNamespaces& where, Inbox& inbox, Absences& absences, kube::Room& room);

  /// Its objects in that namespace (empty: in all), with those writes in them. Waits for the first
  /// listing, and a moment for events of those writes. What it had no room for it reads again, as
  /// far as there is room now. Nothing: it is away, or too late. Any thread.
  std::optional<Objects> objects(const std::string& ns, const WrittenVersions& written,
                                 const std::stop_token& stop);
  /// The namespaces that it had to fall back to; empty: it did not. Waits for the first listing.
  std::set<std::string> limits(const std::stop_token& stop);
  /// Nobody will ask for a while: holds them in less memory. Any thread.
  void rest();

 private:
  using Known = Shelf::Known;
  enum class State { listing, current, away, divided };
  KindWatch(std::shared_ptr<kube::Client> home, kube::ApiResource resource, std::string selector,
            const WatchedNamespaces& where, const std::string& title, bool late, Inbox& inbox,
            Absences& absences, kube::Room& room);
  void divide(const std::set<std::string>& namespaces, Absences& absences);
  bool await_listing(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  util::Result<> take(const kube::WatchEvent& event);
  Known read(const std::string& ns, std::string_view text);
  void read_again(const std::string& ns);
  std::map<std::string, Shelf*> shelves_of(const std::string& ns);
  const Known* find(const std::string& ns, const std::string& name);
  engine::Key key_of(const std::string& ns, const std::string& name) const;
  void learn(const kube::WatchEvent& event);
  void end_listing();
  void turn(util::Error* trouble);
  bool has(const WrittenVersions& written);

  std::shared_ptr<kube::Client> m_home;
  Inbox& m_inbox;
  kube::Room& m_room;
  kube::WatchOptions m_options;
  std::mutex m_mutex;  ///< guards what follows, but the watch
  std::condition_variable_any m_changed;
  State m_state = State::listing;
  std::map<std::string, Shelf> m_shelves;  ///< by namespace
  std::set<std::pair<std::string, std::string>> m_listed;
  /// By namespace: those that stand for it where it is divided, and do not change then.
  std::map<std::string, std::unique_ptr<KindWatch>> m_parts;
  bool m_primed;                ///< else the first listing is what the first run saw
  kube::StandingWatch m_watch;  ///< last: it uses all of the above
};

}  // namespace kubist::executors
