#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/traffic/external_service.hpp>
#include <kubist/traffic/ports.hpp>
#include <kubist/util/text.hpp>

namespace kubist::traffic {

using data::Json;
using util::cat;

namespace {

bool is_address(const Json& endpoint) {
  const std::string_view text = data::string_at(endpoint, {"address"});
  return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF.:") == text.npos &&
         text.find_first_of(".:") != text.npos;
}

// Endpoints that are addresses need no DNS; a wildcard has none.
std::string_view usual_resolution(bool wildcard, const Json& endpoints) {
  if (!endpoints.empty() && std::all_of(endpoints.begin(), endpoints.end(), is_address)) {
    return "STATIC";
  }
  return wildcard ? "NONE" : "DNS";
}

}  // namespace

util::Result<Json> service_entry_spec(const Json& external_service) {
  const resources::ObjectView view(external_service);
  const Json& wanted = view.spec();
  Json spec{{"hosts", wanted.value("hosts", Json::array())}, {"ports", Json::array()}};
  std::vector<std::string> names;
  std::vector<std::string> numbers;
  for (const Json& entry : wanted.value("ports", Json::array())) {
    Json port = mesh_port(entry, "HTTP");
    names.push_back(port["name"]);
    numbers.push_back(cat("port ", port["number"].get<std::int64_t>()));
    spec["ports"].push_back(std::move(port));
  }
  const auto& hosts = spec["hosts"];
  const bool wildcard = std::any_of(hosts.begin(), hosts.end(), [](const Json& host) {
    return host.is_string() && host.get_ref<const std::string&>().starts_with('*');
  });
  const Json endpoints = wanted.value("endpoints", Json::array());
  const std::string resolution(
      data::string_at(wanted, {"resolution"}, usual_resolution(wildcard, endpoints)));
  spec["resolution"] = resolution;
  spec["location"] = data::string_at(wanted, {"location"}, "MESH_EXTERNAL");
  if (!endpoints.empty()) {
    spec["endpoints"] = endpoints;
  }
  auto errors = duplicates(names, "spec.ports[].name");
  auto more = duplicates(numbers, "spec.ports");
  errors.insert(errors.end(), more.begin(), more.end());
  if (wildcard && resolution.starts_with("DNS") && endpoints.empty()) {
    errors.push_back(util::make_error(util::ErrorKind::invalid,
                                      "spec.resolution: DNS finds no address for a wildcard host",
                                      "Give endpoints, or resolution NONE or DYNAMIC_DNS."));
  }
  if (!errors.empty()) {
    return util::fail(joined(cat("ExternalService/", view.name()), std::move(errors)));
  }
  return spec;
}

}  // namespace kubist::traffic
