#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/traffic/destination.hpp>

namespace kubist::traffic {

using data::Json;

namespace {

/// What one VirtualService may send to has no limit: each subset is looked up in a set.
class Notes {
 public:
  Notes(std::string_view host, const Place& place) : m_host(host), m_place(place) {}

  void note(const Json& to) {
    if (full_host(data::string_at(to, {"host"}), m_place) != m_host) {
      return;
    }
    usage.host = true;
    const std::string_view subset = data::string_at(to, {"subset"});
    if (!subset.empty() && m_noted.insert(subset).second) {
      usage.subsets.emplace_back(subset);
    }
  }

  void note_each(const Json& entries) {
    for (const Json& entry : entries) {
      if (const Json* to = data::find_path(entry, {"destination"})) {
        note(*to);
      }
    }
  }

  Usage usage;

 private:
  std::string_view m_host;
  const Place& m_place;
  std::set<std::string_view> m_noted;
};

bool names_service(const Json& backend, std::string_view service) {
  return data::string_at(backend, {"kind"}, "Service") == "Service" &&
         data::string_at(backend, {"name"}) == service;
}

}  // namespace

Usage usage_by_virtual_service(const Json& virtual_service, std::string_view host,
                               const Place& place) {
  Notes notes(host, place);
  const Json* spec = data::find_path(virtual_service, {"spec"});
  if (spec == nullptr) {
    return {};
  }
  for (const char* protocol : {"http", "tls", "tcp"}) {
    for (const Json& rule : data::array_at(*spec, {protocol})) {
      notes.note_each(data::array_at(rule, {"route"}));
      notes.note_each(data::array_at(rule, {"mirrors"}));
      if (const Json* mirror = data::find_path(rule, {"mirror"})) {
        notes.note(*mirror);
      }
    }
  }
  return std::move(notes.usage);
}

bool http_route_uses(const Json& http_route, std::string_view service) {
  const Json* spec = data::find_path(http_route, {"spec"});
  if (spec == nullptr) {
    return false;
  }
  for (const Json& rule : data::array_at(*spec, {"rules"})) {
    for (const Json& backend : data::array_at(rule, {"backendRefs"})) {
      if (names_service(backend, service)) {
        return true;
      }
    }
    for (const Json& filter : data::array_at(rule, {"filters"})) {
      const Json* mirror = data::find_path(filter, {"requestMirror", "backendRef"});
      if (mirror != nullptr && names_service(*mirror, service)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace kubist::traffic
