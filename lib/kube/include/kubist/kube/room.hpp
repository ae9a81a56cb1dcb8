#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/util/error.hpp>

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

 private:
  bool take(std::string_view ns, std::size_t bytes);

  const std::size_t m_most;
  mutable std::mutex m_mutex;                              ///< guards what follows
  std::map<std::string, std::size_t, std::less<>> m_used;  ///< by namespace
};

}  // namespace kubist::kube
