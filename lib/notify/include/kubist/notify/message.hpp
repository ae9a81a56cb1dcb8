#pragma once
#include <optional>
#include <string>
#include <string_view>

#include <kubist/engine/node.hpp>

namespace kubist::notify {

/// How much a message matters, in the words of Vamp's filters.
enum class Level { trace, debug, info, warning, error };
/// "TRACE", "DEBUG", "INFO", "WARNING", "ERROR".
std::string_view to_string(Level level);
/// The level of that name, in any case; nothing: there is none.
std::optional<Level> read_level(std::string_view name);

/// One change of one node, for people. Holds no secret: it says what the status says.
struct Message {
  Level level = Level::info;
  engine::Key node;
  std::string uid;         ///< its object's
  std::string ready;       ///< Ready now: "True", "False" or "Unknown"
  std::string reason;      ///< of Ready
  std::string text;        ///< its message
  bool failed = false;     ///< it is Stalled, is tried again, or went back
  bool recovered = false;  ///< it was failed, and is Ready
};

/// What a node's new status is to its people; nothing: Ready kept its status and reason, and a
/// release its weight.
///   ERROR    Stalled: nothing goes on without a person
///   WARNING  a release went back; it failed and is tried again; it was Ready and is not
///   INFO     Ready; a step of a release
///   DEBUG    on its way; the parent is not Ready
std::optional<Message> message_of(const engine::Node& node, const engine::Json& before,
                                  const engine::Json& after);

/// "WARNING CanaryRelease shop/web: RolledBack: 7 of 120 requests failed". One line, whatever the
/// text has: breaks are spaces, other control characters and marks of direction are \xNN.
std::string to_line(const Message& message);
/// {level, kind, namespace, name, ready, reason, message}.
engine::Json to_json(const Message& message);

}  // namespace kubist::notify
