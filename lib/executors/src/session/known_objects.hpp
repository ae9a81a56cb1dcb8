#pragma once
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "session/watch_room.hpp"

namespace kubist::executors {

/// What a watch knows of objects, by their names: of each a Value with its bytes(). A server may
/// tell of any number. Where the watch's project has no room for one more, nothing is known any
/// more, for good. One thread.
template <class Name, class Value>
class KnownObjects {
 public:
  /// Null: a watch of what kubist keeps or reads at home, which needs no room.
  explicit KnownObjects(WatchRoom::Seat seat) : m_seat(std::move(seat)) {}

  /// There was no room: the watch has nothing to tell.
  bool is_full() const { return m_full; }
  /// False: there is no room.
  bool put(const Name& name, Value value) {
    erase(name);
    const std::size_t bytes = bytes_of(name, value);
    if (m_full || (m_seat && !m_seat->grow(bytes))) {
      m_full = true;
      forget_all();
      return false;
    }
    m_bytes += bytes;
    m_objects.emplace(name, std::move(value));
    return true;
  }
  /// Null: it is not there.
  const Value* find(const Name& name) const {
    const auto found = m_objects.find(name);
    return found == m_objects.end() ? nullptr : &found->second;
  }
  void erase(const Name& name) {
    if (const auto found = m_objects.find(name); found != m_objects.end()) {
      give_back(bytes_of(name, found->second));
      m_objects.erase(found);
    }
  }
  /// The listing that is under way has it. Before put(), whose bytes count it.
  void list(const Name& name) {
    if (!m_full) {
      m_listed.insert(name);
    }
  }
  bool is_nothing_listed() const { return m_listed.empty(); }
  /// Takes out what the listing that has ended lacks, which went away while nobody watched, and
  /// begins the next listing.
  std::vector<std::pair<Name, Value>> take_missing() {
    std::vector<std::pair<Name, Value>> missing;
    for (auto& [name, value] : m_objects) {
      if (!m_listed.contains(name)) {
        missing.emplace_back(name, value);
      }
    }
    for (const auto& [name, value] : missing) {
      erase(name);
    }
    m_listed.clear();
    return missing;
  }
  /// Nobody will ask for a while: holds it close together.
  void rest() { m_objects = std::map(m_objects); }
  ~KnownObjects() { forget_all(); }
  KnownObjects(const KnownObjects&) = delete;
  KnownObjects& operator=(const KnownObjects&) = delete;

 private:
  static constexpr std::size_t k_node = 160;  ///< of the map, and of the set of what is listed

  static std::size_t length(const std::string& name) { return name.size(); }
  static std::size_t length(const std::pair<std::string, std::string>& name) {
    return name.first.size() + name.second.size();
  }
  static std::size_t bytes_of(const Name& name, const Value& value) {
    return k_node + sizeof(Value) + 2 * length(name) + value.bytes();
  }
  void give_back(std::size_t bytes) {
    m_bytes -= bytes;
    if (m_seat) {
      m_seat->shrink(bytes);
    }
  }
  void forget_all() {
    give_back(m_bytes);
    m_objects.clear();
    m_listed.clear();
  }

  WatchRoom::Seat m_seat;
  std::map<Name, Value> m_objects;
  std::set<Name> m_listed;
  std::size_t m_bytes = 0;  ///< that the seat has
  bool m_full = false;
};

}  // namespace kubist::executors
