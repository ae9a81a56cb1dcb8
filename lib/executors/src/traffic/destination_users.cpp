#include "traffic/destination_users.hpp"

#include <algorithm>

#include <kubist/traffic/destination.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using util::cat;

namespace {

bool stays(const Json& object) {
  return resources::ObjectView(object).deletion_timestamp().empty();
}

std::string title(const char* kind, const Json& object) {
  return cat(kind, '/', resources::ObjectView(object).name());
}

}  // namespace

util::Result<> DestinationUsers::read() {
  KUBIST_TRY(const auto virtual_service, served(m_work, m_place, k_istio_group, "VirtualService"));
  KUBIST_TRY(m_virtual_services, list_here(m_work, m_place, virtual_service));
  KUBIST_TRY(const auto http_route, served(m_work, m_place, k_gateway_api_group, "HTTPRoute"));
  KUBIST_TRY(m_http_routes, list_here(m_work, m_place, http_route));
  return {};
}

util::Result<> DestinationUsers::trouble() { return m_read ? *m_read : util::Result<>{}; }

std::vector<std::string> DestinationUsers::of(const std::string& kind, const std::string& name) {
  if (!m_read) {
    m_read = read();
  }
  if (!*m_read) {
    return {"routes that could not be read"};
  }
  std::vector<std::string> users;
  const std::string host = traffic::full_host(name, m_place.names);
  for (const Json& object : m_virtual_services) {
    const auto usage = traffic::usage_by_virtual_service(object, host, m_place.names);
    if (stays(object) && (kind == "DestinationRule" ? !usage.subsets.empty() : usage.host)) {
      users.push_back(title("VirtualService", object));
    }
  }
  for (const Json& object : m_http_routes) {
    if (stays(object) && kind == "Service" && traffic::http_route_uses(object, name)) {
      users.push_back(title("HTTPRoute", object));
    }
  }
  return users;
}

std::vector<std::string> DestinationUsers::of_subset(const std::string& name,
                                                     const std::string& subset) {
  if (!m_read) {
    m_read = read();
  }
  std::vector<std::string> users;
  const std::string host = traffic::full_host(name, m_place.names);
  for (const Json& object : m_virtual_services) {
    const auto usage = traffic::usage_by_virtual_service(object, host, m_place.names);
    const auto& subsets = usage.subsets;
    if (stays(object) && std::find(subsets.begin(), subsets.end(), subset) != subsets.end()) {
      users.push_back(title("VirtualService", object));
    }
  }
  return users;
}

}  // namespace kubist::executors
