#include "session/shelf.hpp"

#include <algorithm>
#include <utility>

namespace kubist::executors {

const Shelf::All& Shelf::all() {
  unpack();
  return m_all;
}

const Shelf::Known* Shelf::find(const std::string& name) {
  unpack();
  const auto found = m_all.find(name);
  return found == m_all.end() ? nullptr : &found->second;
}

void Shelf::put(const std::string& name, Known known) {
  unpack();
  m_packed = nullptr;
  m_all[name] = std::move(known);
}

void Shelf::erase(const std::string& name) {
  unpack();
  m_packed = nullptr;
  m_all.erase(name);
}

// One that is unreadable is there for a short time, or its project has other troubles.
void Shelf::rest() {
  const bool may = std::none_of(m_all.begin(), m_all.end(),
                                [](const auto& each) { return each.second.unreadable != nullptr; });
  if (m_rests || m_all.empty() || !may) {
    return;
  }
  if (!m_packed) {
    pack();
  }
  m_all.clear();
  m_rests = true;
}

void Shelf::pack() {
  data::PackedObjects::Objects objects;
  std::vector<std::size_t> bytes;
  for (const auto& [name, known] : m_all) {
    objects.push_back(known.object);
    bytes.push_back(known.bytes);
  }
  m_packed = std::make_unique<const Packed>(Packed{data::PackedObjects(objects), std::move(bytes)});
}

void Shelf::unpack() {
  if (!std::exchange(m_rests, false)) {
    return;
  }
  auto objects = m_packed->objects.unpack();
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::string name(resources::ObjectView(*objects[i]).name());
    m_all[name] = {std::move(objects[i]), nullptr, m_packed->bytes[i], 0};
  }
}

}  // namespace kubist::executors
