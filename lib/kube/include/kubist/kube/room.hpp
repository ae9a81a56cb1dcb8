#pragma once
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/util/error.hpp>
#include <kubist/util/result.hpp>

namespace kubist::kube {

/// An object as a value, or what is known of one that cannot be had as one.
struct Kept {
  /// With apiVersion and kind, without managedFields, which may be half of it; of one that is
  /// unreadable the outline.
  data::Json object;
  /// Kind invalid, reason Unreadable; names the object, and says what to do.
  std::optional<util::Error> unreadable;
  std::size_t bytes = 0;   ///< the room that it takes
  std::size_t wanted = 0;  ///< not 0: it is unreadable for want of so much room
};

/// The item of a list as a value, with apiVersion and kind. Invalid: it has more than an object may
/// have (docs/reference/limits.md), or is nested deeper than 500 levels.
util::Result<data::Json> read_item(const ApiResource& resource, std::string_view text);

/// The memory that objects may take, for each namespace the same, so that who fills one takes
/// nothing from others. What is cluster-scoped is an administrator's, and has no limit. Any thread.
class Room {
 public:
  explicit Room(std::size_t of_namespace = std::size_t{256} << 20U) : m_most(of_namespace) {}

  /// Reads the JSON text of an object, as a list or a watch brings it. Unreadable is one that is
  /// nested too deep, has more than 200,000 values, or for which its namespace has no room left; of
  /// the last there are only its names.
  Kept read(const ApiResource& resource, std::string_view ns, std::string_view text);
  /// What took that room is kept no longer.
  void leave(std::string_view ns, std::size_t bytes);
  bool has(std::string_view ns, std::size_t bytes) const;
  /// False: the namespace has no room left for so much, and nothing is taken.
  bool take(std::string_view ns, std::size_t bytes);
  /// What each namespace may take, in bytes.
  std::size_t most() const { return m_most; }

 private:
  const std::size_t m_most;
  mutable std::mutex m_mutex;                              ///< guards what follows
  std::map<std::string, std::size_t, std::less<>> m_used;  ///< by namespace
};

/// The room for what runs keep of servers' answers, by the namespace of the project that they work
/// for: 512 MiB each. One for all sessions, as the process has one memory.
Room& room_of_answers();

/// What one piece of work keeps there of answers, until it ends. Any thread.
class Reservation {
 public:
  explicit Reservation(std::string project_ns) : m_ns(std::move(project_ns)) {}
  ~Reservation() { room_of_answers().leave(m_ns, m_bytes); }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

  /// Reason http::k_failure_too_large: no room left, by itself (invalid) or now (unavailable).
  util::Result<> take(const data::Json& value);
  util::Result<> take(std::size_t bytes);

 private:
  const std::string m_ns;
  std::atomic<std::size_t> m_bytes{0};
};

}  // namespace kubist::kube
