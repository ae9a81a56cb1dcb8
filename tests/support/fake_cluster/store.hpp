#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kubist/data/json.hpp>

#include "kinds.hpp"

namespace kubist::testing {

/// "plural.group", whatever the version: one object is the same in all of them.
using KindKey = std::string;

/// Something that happened to an object.
struct FakeEvent {
  std::int64_t version = 0;
  std::string type;  ///< "ADDED", "MODIFIED", "DELETED"
  KindKey kind;
  data::Json before;  ///< null: it was not there
  data::Json object;  ///< its state then; of a deletion its last one
};

/// The objects of one fake server, in the order of etcd's keys, and what happened to them. Not
/// thread-safe.
class FakeStore {
 public:
  using Listener = std::function<void(const FakeEvent&)>;
  /// Called for every event, when it has happened.
  explicit FakeStore(Listener listener) : m_listener(std::move(listener)) {}

  std::int64_t version() const { return m_version; }
  /// Null: there is none.
  const data::Json* find(const KindKey& kind, const std::string& ns, const std::string& name) const;
  /// Of one namespace, or of all.
  std::vector<data::Json> list(const KindKey& kind, const std::string& ns) const;
  bool namespace_has_objects(const std::string& ns) const;
  /// The kinds and names of all that a predicate takes.
  std::vector<std::pair<KindKey, data::Json>> select(
      const std::function<bool(const data::Json&)>& wanted) const;

  /// Keeps the object with a new resourceVersion, which it returns with.
  data::Json put(const KindKey& kind, data::Json object);
  /// Takes it away; returns its last state.
  data::Json erase(const KindKey& kind, const data::Json& object);

  /// What happened after that version; nothing: it is not known any more.
  std::optional<std::vector<FakeEvent>> since(std::int64_t version) const;
  /// Forgets what has happened so far.
  void compact();

 private:
  using Place = std::pair<std::string, std::string>;
  void tell(std::string type, const KindKey& kind, data::Json before, const data::Json& object);
  Listener m_listener;
  std::map<KindKey, std::map<Place, data::Json>> m_objects;
  std::int64_t m_version = 1000;
  std::int64_t m_oldest = 1000;
  std::deque<FakeEvent> m_events;
};

/// Namespace and name of an object.
std::string ns_of(const data::Json& object);
std::string name_of(const data::Json& object);

}  // namespace kubist::testing
