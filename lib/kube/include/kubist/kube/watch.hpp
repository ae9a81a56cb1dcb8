#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/kube/client.hpp>

namespace kubist::kube {

/// Of an object, in bytes: API servers let in no longer one, but for kinds of RBAC.
inline constexpr std::size_t k_longest_name = 253;
/// Of a resourceVersion: a number of etcd's. A longer one counts as none.
inline constexpr std::size_t k_longest_version = 128;

enum class WatchEventType {
  listed,    ///< an object found by a listing
  relisted,  ///< the listing is complete: what was known and not listed since is gone
  added,
  modified,
  deleted,   ///< `object` is its last state (or it stopped matching the selector)
  bookmark,  ///< nothing but a newer resource_version
};

/// One event. The views end with the handler's return.
struct WatchEvent {
  WatchEventType type = WatchEventType::bookmark;
  std::string_view object;  ///< JSON text; empty for relisted. Of a Table watch: the Table
  std::string_view ns;
  std::string_view name;
  std::string_view uid;
  std::string_view resource_version;  ///< of the object; of the list for relisted
  /// The object as a value. In a listing of built-in kinds it lacks apiVersion and kind.
  util::Result<data::Json> json() const;
};

/// An error ends the watch and is returned by watch() as it is.
using WatchHandler = std::function<util::Result<>(const WatchEvent& event)>;

struct WatchOptions {
  ApiResource resource;
  std::string ns;    ///< empty: all namespaces (or a cluster-scoped kind)
  std::string name;  ///< one object only
  std::string label_selector;
  std::string field_selector;
  /// Metadata or a Table for big kinds. A Table watch lists page by page: one `listed` event a
  /// page, its object the whole Table.
  Form form = Form::object;
  /// Begin here instead of with a listing (the caller has listed already). A 410 leads to a
  /// listing.
  std::string resource_version;
  /// It outlives what else would end it (401, 403, 404, ...): tries again with the same back-off,
  /// and begins with a listing then, which tells what changed meanwhile.
  bool lasting = false;
  /// Of a standing one that lasts: the server forbids it (403) before any listing was complete. It
  /// does nothing more then. Null: it tries again, as after other trouble.
  std::function<void(const util::Error&)> on_refused;
  /// It is taken up again when nothing came for so long: something between swallows what the server
  /// says, which sends a bookmark each minute.
  std::chrono::seconds silence{150};
  /// Called when the connection broke or the server refused, before it tries again: each time.
  std::function<void(const util::Error&)> on_trouble;
  /// Called when the server watches again after trouble, on the transport's thread: be quick.
  std::function<void()> on_back;
};

/// Lists and then watches until stop (returns success), an error of the handler (also what it
/// throws), or, unless it is lasting, an error that time will not mend (403, 404 of the kind, 400):
/// what the server closes is resumed from the last resourceVersion seen, what it calls expired is
/// listed again, everything with jittered back-off. Blocks; the handler runs on this thread, one
/// event at a time.
util::Result<> watch(Client& client, const WatchOptions& options, const WatchHandler& handler,
                     std::stop_token stop);

/// The same without a thread of its own: it takes one of the client's while it lists and while its
/// handler runs, one event at a time. Ends with its life: no callback runs after that.
class StandingWatch {
 public:
  StandingWatch();  ///< none
  /// Unavailable: the process may have no more threads. `ended` is told how it ended by itself, as
  /// watch() returns it, on one of these threads; then it does nothing more.
  static util::Result<StandingWatch> begin(std::shared_ptr<Client> client, WatchOptions options,
                                           WatchHandler handler,
                                           std::function<void(const util::Error&)> ended);
  /// A lasting one that no error ends: what its handler returns or throws is trouble, and it lists
  /// again after 10 s.
  static util::Result<StandingWatch> begin_lasting(std::shared_ptr<Client> client,
                                                   WatchOptions options, WatchHandler handler);
  /// Not from a callback of its own.
  ~StandingWatch();
  StandingWatch(StandingWatch&&) noexcept;
  StandingWatch& operator=(StandingWatch&&) noexcept;
  explicit operator bool() const { return m_state != nullptr; }

 private:
  class State;
  explicit StandingWatch(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace kubist::kube
