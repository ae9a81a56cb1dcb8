#include "traffic/destination_users.hpp"

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

const DestinationUsers::Usages& DestinationUsers::usages(const std::string& name) {
  const auto [at, is_new] = m_usages.try_emplace(name);
  Usages& found = at->second;
  if (!is_new) {
    return found;
  }
  const std::string host = traffic::full_host(name, m_place.names);
  for (const Json& object : m_virtual_services) {
    if (m_work.stop().stop_requested()) {
      m_read = util::fail(util::ErrorKind::cancelled, "reading routes: stopped");
      break;
    }
    if (!stays(object)) {
      continue;
    }
    const auto usage = traffic::usage_by_virtual_service(object, host, m_place.names);
    const std::string user = title("VirtualService", object);
    if (usage.host) {
      found.of_host.push_back(user);
    }
    if (!usage.subsets.empty()) {
      found.of_subsets.push_back(user);
    }
    for (const std::string& subset : usage.subsets) {
      found.of_subset[subset].push_back(user);
    }
  }
  return found;
}

std::vector<std::string> DestinationUsers::of(const std::string& kind, const std::string& name) {
  if (!m_read) {
    m_read = read();
  }
  const Usages& found = usages(name);
  if (!*m_read) {
    return {"routes that could not be read"};
  }
  std::vector<std::string> users = kind == "DestinationRule" ? found.of_subsets : found.of_host;
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
  const auto& found = usages(name).of_subset;
  const auto users = found.find(subset);
  return users == found.end() ? std::vector<std::string>{} : users->second;
}

}  // namespace kubist::executors
