#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/traffic/destination.hpp>

namespace kubist::traffic {

using data::Json;

namespace {

void note(const Json& to, std::string_view host, const Place& place, Usage& usage) {
  if (full_host(data::string_at(to, {"host"}), place) != host) {
    return;
  }
  usage.host = true;
  const std::string subset(data::string_at(to, {"subset"}));
  if (!subset.empty() &&
      std::find(usage.subsets.begin(), usage.subsets.end(), subset) == usage.subsets.end()) {
    usage.subsets.push_back(subset);
  }
}

void note_each(const Json& entries, std::string_view host, const Place& place, Usage& usage) {
  for (const Json& entry : entries) {
    if (const Json* to = data::find_path(entry, {"destination"})) {
      note(*to, host, place, usage);
    }
  }
}

bool names_service(const Json& backend, std::string_view service) {
  return data::string_at(backend, {"kind"}, "Service") == "Service" &&
         data::string_at(backend, {"name"}) == service;
}

}  // namespace

Usage usage_by_virtual_service(const Json& virtual_service, std::string_view host,
                               const Place& place) {
  Usage usage;
  const Json* spec = data::find_path(virtual_service, {"spec"});
  if (spec == nullptr) {
    return usage;
  }
  for (const char* protocol : {"http", "tls", "tcp"}) {
    for (const Json& rule : data::array_at(*spec, {protocol})) {
      note_each(data::array_at(rule, {"route"}), host, place, usage);
      note_each(data::array_at(rule, {"mirrors"}), host, place, usage);
      if (const Json* mirror = data::find_path(rule, {"mirror"})) {
        note(*mirror, host, place, usage);
      }
    }
  }
  return usage;
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
