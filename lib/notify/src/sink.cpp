#include <array>

#include <kubist/data/pointer.hpp>
#include <kubist/notify/sink.hpp>
#include <kubist/util/text.hpp>

namespace kubist::notify {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

constexpr std::array<std::string_view, 4> k_types{"slack", "webhook", "events", "log"};
constexpr std::array<Level, 5> k_levels{Level::trace, Level::debug, Level::info, Level::warning,
                                        Level::error};

SecretKey secret_key(const Json& entry, std::string_view field) {
  return {std::string(data::string_at(entry, {field, "name"})),
          std::string(data::string_at(entry, {field, "key"}))};
}

util::Result<> check(const Sink& sink) {
  const bool has_url = !sink.url.empty();
  const bool has_secret = !sink.url_from.name.empty();
  const bool posts = sink.type == SinkType::slack || sink.type == SinkType::webhook;
  const char* wrong = posts && has_url == has_secret      ? "needs one of url and urlSecretRef"
                      : !posts && (has_url || has_secret) ? "has no address to send to"
                      : sink.type != SinkType::webhook && !sink.signing_key.name.empty()
                          ? "is not signed: only a Webhook is"
                          : nullptr;
  if (wrong == nullptr) {
    return {};
  }
  return util::fail(ErrorKind::invalid,
                    cat("notification ", sink.name, " (", to_string(sink.type), ") ", wrong),
                    "Correct spec.notifications of the Project.", "InvalidNotification");
}

/// What a setting is shown as: its text may be a megabyte, and is in a line of the log each time.
std::string brief(const std::string& text) {
  constexpr std::size_t k_shown = 64;
  return text.size() <= k_shown ? text : text.substr(0, k_shown) + "...";
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

util::Result<std::set<std::string>> read_types(const std::string& name, const Json& value) {
  std::set<std::string> types;
  for (const std::string& part : util::split(text_of(value), ',')) {
    const std::string type = util::lower(util::trim(part));
    if (type != "all" && type != "user" && std::ranges::find(k_types, type) == k_types.end()) {
      return util::fail(
          ErrorKind::invalid,
          cat("setting ", brief(name), ": ", brief(type), " is nowhere to send notifications"),
          "Use all, or some of slack, webhook, events, log, with commas between.");
    }
    types.insert(type == "user" ? "log" : type);
  }
  return types;
}

}  // namespace

std::string_view to_string(SinkType type) { return k_types.at(static_cast<std::size_t>(type)); }

util::Result<std::vector<Sink>> read_sinks(const Json& project_spec) {
  std::vector<Sink> sinks;
  for (const Json& entry : data::array_at(project_spec, {"notifications"})) {
    Sink sink;
    sink.name = data::string_at(entry, {"name"});
    const auto type =
        std::ranges::find(k_types, util::lower(data::string_at(entry, {"type"}, "Log")));
    sink.type =
        type != k_types.end() ? static_cast<SinkType>(type - k_types.begin()) : SinkType::log;
    sink.url = data::string_at(entry, {"url"});
    sink.url_from = secret_key(entry, "urlSecretRef");
    sink.signing_key = secret_key(entry, "signingSecretRef");
    sink.least = read_level(data::string_at(entry, {"minLevel"}));
    for (std::string& kind : data::strings_at(entry, {"kinds"})) {
      sink.kinds.insert(std::move(kind));
    }
    KUBIST_CHECK(check(sink));
    sinks.push_back(std::move(sink));
  }
  return sinks;
}

util::Result<Filter> Filter::read(const Json& settings) {
  constexpr std::string_view k_allow = "allow_notify_";
  Filter filter;
  for (const auto& [name, value] : settings.items()) {
    if (name == "disable_notifications") {
      filter.m_disabled = text_of(value) == "true";
    } else if (name == "min_notify_level") {
      filter.m_least = read_level(text_of(value));
      if (!filter.m_least) {
        return util::fail(ErrorKind::invalid,
                          cat("setting ", name, ": no level ", brief(text_of(value))),
                          "Use TRACE, DEBUG, INFO, WARNING or ERROR.");
      }
    } else if (name.starts_with(k_allow)) {
      const std::string of = name.substr(k_allow.size());
      const auto level = read_level(of);
      if (!level && of != "all") {
        return util::fail(ErrorKind::invalid,
                          cat("setting ", brief(name), ": no level ", brief(of)),
                          "Use allow_notify_ with trace, debug, info, warning, error or all.");
      }
      KUBIST_TRY(const auto types, read_types(name, value));
      for (const Level each : k_levels) {
        if (!level || each == *level) {
          filter.m_allowed[each].insert(types.begin(), types.end());
        }
      }
    }
  }
  return filter;
}

Sink default_sink() {
  Sink sink;
  sink.name = "events";
  sink.type = SinkType::events;
  sink.by_default = true;
  return sink;
}

bool Filter::passes(const Message& message, const Sink& sink) const {
  if (sink.by_default) {
    return !m_disabled && (message.failed || message.recovered);
  }
  if (!sink.kinds.empty() && !sink.kinds.contains(message.node.kind)) {
    return false;
  }
  const auto allowed = m_allowed.find(message.level);
  if (allowed != m_allowed.end() && (allowed->second.contains("all") ||
                                     allowed->second.contains(std::string(to_string(sink.type))))) {
    return true;
  }
  return !m_disabled && message.level >= m_least.value_or(sink.least.value_or(Level::info));
}

}  // namespace kubist::notify
