#include "store.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>

namespace kubist::testing {

using data::Json;

std::string ns_of(const Json& object) {
  return std::string(data::string_at(object, {"metadata", "namespace"}));
}
std::string name_of(const Json& object) {
  return std::string(data::string_at(object, {"metadata", "name"}));
}

const Json* FakeStore::find(const KindKey& kind, const std::string& ns,
                            const std::string& name) const {
  const auto objects = m_objects.find(kind);
  if (objects == m_objects.end()) {
    return nullptr;
  }
  const auto found = objects->second.find({ns, name});
  return found == objects->second.end() ? nullptr : &found->second;
}

std::vector<Json> FakeStore::list(const KindKey& kind, const std::string& ns) const {
  std::vector<Json> found;
  const auto objects = m_objects.find(kind);
  if (objects != m_objects.end()) {
    for (const auto& [place, object] : objects->second) {
      if (ns.empty() || place.first == ns) {
        found.push_back(object);
      }
    }
  }
  return found;
}

std::vector<std::pair<KindKey, Json>> FakeStore::select(
    const std::function<bool(const Json&)>& wanted) const {
  std::vector<std::pair<KindKey, Json>> found;
  for (const auto& [kind, objects] : m_objects) {
    for (const auto& [place, object] : objects) {
      if (wanted(object)) {
        found.emplace_back(kind, object);
      }
    }
  }
  return found;
}

bool FakeStore::namespace_has_objects(const std::string& ns) const {
  return !select([&](const Json& object) { return ns_of(object) == ns; }).empty();
}

void FakeStore::tell(std::string type, const KindKey& kind, Json before, const Json& object) {
  m_events.push_back({m_version, std::move(type), kind, std::move(before), object});
  m_listener(m_events.back());
}

Json FakeStore::put(const KindKey& kind, Json object) {
  object["metadata"]["resourceVersion"] = std::to_string(++m_version);
  Json& place = m_objects[kind][{ns_of(object), name_of(object)}];
  Json before = std::exchange(place, object);
  tell(before.is_null() ? "ADDED" : "MODIFIED", kind, std::move(before), object);
  return object;
}

Json FakeStore::erase(const KindKey& kind, const Json& object) {
  Json last = object;
  last["metadata"]["resourceVersion"] = std::to_string(++m_version);
  m_objects[kind].erase({ns_of(object), name_of(object)});
  tell("DELETED", kind, object, last);
  return last;
}

std::optional<std::vector<FakeEvent>> FakeStore::since(std::int64_t version) const {
  if (version < m_oldest) {
    return std::nullopt;
  }
  std::vector<FakeEvent> events;
  std::copy_if(m_events.begin(), m_events.end(), std::back_inserter(events),
               [&](const FakeEvent& event) { return event.version > version; });
  return events;
}

void FakeStore::compact() {
  m_events.clear();
  m_oldest = m_version;
}

}  // namespace kubist::testing
