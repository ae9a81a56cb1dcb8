#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <kubist/notify/message.hpp>
#include <kubist/util/result.hpp>

namespace kubist::notify {

/// Where messages of a project go.
enum class SinkType { slack, webhook, events, log };
/// "slack", "webhook", "events", "log", as filters name them.
std::string_view to_string(SinkType type);

/// One key of a Secret in the project's namespace; no name: none.
struct SecretKey {
  std::string name, key;
};

/// One entry of a Project's spec.notifications.
struct Sink {
  std::string name;
  SinkType type = SinkType::log;
  std::string url;  ///< as the Project has it; empty: in url_from
  SecretKey url_from;
  SecretKey signing_key;        ///< of webhooks
  std::optional<Level> least;   ///< minLevel
  std::set<std::string> kinds;  ///< empty: all
  bool by_default = false;      ///< nobody asked for it: failures and their end only
};

/// Events of failures and their end, for those who asked for no Events.
Sink default_sink();

/// The sinks of a Project's spec. Invalid: an entry that the schema lets through and that means
/// nothing (a webhook without an address, a log with one).
util::Result<std::vector<Sink>> read_sinks(const engine::Json& project_spec);

/// The four parameters with which Vamp filters notifications, from a node's settings:
///   disable_notifications: true
///   min_notify_level: WARNING           INFO where none is given
///   allow_notify_error: slack,log       or all; whatever the two above say
///   allow_notify_all: log               the same for every level
/// "user" there means log: the person at the terminal.
/// Source: Vamp's documentation, NOTIFICATIONS.md.
class Filter {
 public:
  /// Invalid: a value that is none of these.
  static util::Result<Filter> read(const engine::Json& settings);
  /// Does the sink get the message? The sink's own minLevel stands for a min_notify_level that the
  /// settings do not have. Of the default sink only disable_notifications counts.
  bool passes(const Message& message, const Sink& sink) const;

 private:
  bool m_disabled = false;
  std::optional<Level> m_least;
  std::map<Level, std::set<std::string>> m_allowed;  ///< names of sink types, or "all"
};

}  // namespace kubist::notify
