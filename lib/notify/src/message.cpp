#include <algorithm>
#include <array>

#include <kubist/data/pointer.hpp>
#include <kubist/notify/message.hpp>
#include <kubist/util/text.hpp>

namespace kubist::notify {

using data::Json;
using util::cat;

namespace {

constexpr std::size_t k_longest_text = 1024;  // a condition's message is a member's word

constexpr std::array<std::string_view, 5> k_level_names{"TRACE", "DEBUG", "INFO", "WARNING",
                                                        "ERROR"};

std::string_view of_condition(const Json& status, std::string_view type, std::string_view field) {
  const Json* found = engine::find_condition(status, type);
  return found != nullptr ? data::string_at(*found, {field}) : std::string_view();
}

Level level_of(const Json& before, const Json& after, std::string_view reason) {
  const std::string_view state = data::string_at(after, {"state"});
  if (state == "RolledBack" || state == "Aborted") {
    return Level::warning;
  }
  if (of_condition(after, "Stalled", "status") == "True") {
    return Level::error;
  }
  if (of_condition(after, "Ready", "status") == "True") {
    return Level::info;
  }
  if (reason == "ParentNotReady") {
    return Level::debug;
  }
  if (data::int_at(after, {"failures"}) > 0 || of_condition(before, "Ready", "status") == "True") {
    return Level::warning;
  }
  return state.empty() ? Level::debug : Level::info;
}

bool is_failed(const Json& status) {
  const std::string_view state = data::string_at(status, {"state"});
  return state == "RolledBack" || state == "Aborted" || data::int_at(status, {"failures"}) > 0 ||
         of_condition(status, "Stalled", "status") == "True";
}

}  // namespace

std::string_view to_string(Level level) {
  return k_level_names.at(static_cast<std::size_t>(level));
}

std::optional<Level> read_level(std::string_view name) {
  const auto found = std::ranges::find_if(
      k_level_names, [&](std::string_view level) { return util::iequals(level, name); });
  if (found == k_level_names.end()) {
    return {};
  }
  return static_cast<Level>(found - k_level_names.begin());
}

std::optional<Message> message_of(const engine::Node& node, const Json& before, const Json& after) {
  const auto same = [&](std::string_view field) {
    return of_condition(before, "Ready", field) == of_condition(after, "Ready", field);
  };
  const bool moved = data::int_at(before, {"weight"}) != data::int_at(after, {"weight"});
  const std::string_view ready = of_condition(after, "Ready", "status");
  if (ready.empty() || (same("status") && same("reason") && !moved)) {
    return {};
  }
  Message message;
  message.node = node.key;
  message.ready = ready;
  message.reason = of_condition(after, "Ready", "reason");
  message.text = util::shortened(of_condition(after, "Ready", "message"), k_longest_text);
  message.level = level_of(before, after, message.reason);
  message.uid = node.uid;
  message.failed = is_failed(after);
  message.recovered = ready == "True" && is_failed(before);
  return message;
}

// Members write texts, and administrators read the lines of all: none may look like another's.
std::string to_line(const Message& message) {
  const engine::Key& node = message.node;
  std::string line = util::printable(
      cat(to_string(message.level), ' ', node.kind, ' ', node.ns, node.ns.empty() ? "" : "/",
          node.name, ": ", message.reason, message.text.empty() ? "" : ": ", message.text));
  for (const char* separator : {"\n", "\u2028", "\u2029"}) {
    line = util::replace_all(line, separator, " ");
  }
  return line;
}

Json to_json(const Message& message) {
  return {{"level", to_string(message.level)},
          {"kind", message.node.kind},
          {"namespace", message.node.ns},
          {"name", message.node.name},
          {"ready", message.ready},
          {"reason", message.reason},
          {"message", message.text}};
}

}  // namespace kubist::notify
