#include <map>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/traffic/destination.hpp>
#include <kubist/traffic/ports.hpp>
#include <kubist/util/text.hpp>

namespace kubist::traffic {

using data::Json;
using util::cat;

namespace {

constexpr std::size_t k_max_port_name = 15;  // IANA service names, which Services demand

Json member(const Json& object, std::string_view key) {
  const Json* found = data::find_path(object, {key});
  return found != nullptr ? *found : Json();
}

// TCP, UDP and SCTP are transports; everything else is spoken over TCP and told to Istio by the
// name and appProtocol
// (https://istio.io/latest/docs/ops/configuration/traffic-management/protocol-selection).
ServicePort read_port(const Json& port) {
  const std::string said = util::lower(data::string_at(port, {"protocol"}));
  const bool udp = said == "udp" || said == "sctp";
  ServicePort result;
  result.port = static_cast<int>(data::int_at(port, {"port"}));
  result.target = member(port, "targetPort");
  result.protocol = said == "udp" ? "UDP" : said == "sctp" ? "SCTP" : "TCP";
  if (!said.empty() && said != "tcp" && !udp) {
    result.app_protocol = said;
  }
  std::string usual = cat(said.empty() ? "http" : said, '-', result.port);
  if (usual.size() > k_max_port_name) {
    usual = cat("port-", result.port);
  }
  result.name = data::string_at(port, {"name"}, usual);
  return result;
}

std::string port_key(const ServicePort& port) {
  return cat("port ", port.port, '/', port.protocol);
}

Json ports_of(const Destination& destination) {
  Json ports = Json::array();
  for (const ServicePort& port : destination.ports) {
    Json entry{{"name", port.name},
               {"port", port.port},
               {"protocol", port.protocol},
               {"targetPort", port.target.is_null() ? Json(port.port) : port.target}};
    if (!port.app_protocol.empty()) {
      entry["appProtocol"] = port.app_protocol;
    }
    ports.push_back(std::move(entry));
  }
  return ports;
}

}  // namespace

util::Result<Destination> read_destination(const Json& object) {
  const resources::ObjectView view(object);
  const Json& spec = view.spec();
  Destination result;
  result.name = data::string_at(spec, {"object", "name"}, view.name());
  result.borrowed = data::bool_at(spec, {"object", "borrow"});
  result.selector = member(spec, "selector");
  if (!result.selector.is_object()) {
    result.selector = {{"app", data::string_at(spec, {"application"}, view.name())}};
  }
  std::vector<std::string> names;
  std::vector<std::string> numbers;
  for (const Json& port : member(spec, "ports")) {
    result.ports.push_back(read_port(port));
    names.push_back(result.ports.back().name);
    numbers.push_back(port_key(result.ports.back()));
  }
  const Json subsets = member(spec, "subsets");
  for (const auto& [name, subset] : subsets.items()) {
    result.subsets[name] = {member(subset, "labels"), member(subset, "trafficPolicy")};
  }
  result.traffic_policy = member(spec, "trafficPolicy");
  auto errors = duplicates(names, "spec.ports[].name");
  auto more = duplicates(numbers, "spec.ports");
  errors.insert(errors.end(), more.begin(), more.end());
  if (!errors.empty()) {
    return util::fail(joined(cat("Destination/", view.name()), std::move(errors)));
  }
  return result;
}

Json service_spec(const Destination& destination) {
  return {{"selector", destination.selector}, {"ports", ports_of(destination)}};
}

Json destination_rule_spec(const Destination& destination, const Place& place) {
  Json spec{{"host", full_host(destination.name, place)}};
  if (!destination.traffic_policy.is_null()) {
    spec["trafficPolicy"] = destination.traffic_policy;
  }
  for (const auto& [name, subset] : destination.subsets) {
    Json entry{{"name", name}, {"labels", subset.labels}};
    if (!subset.traffic_policy.is_null()) {
      entry["trafficPolicy"] = subset.traffic_policy;
    }
    spec["subsets"].push_back(std::move(entry));
  }
  return spec;
}

Json subset_service_spec(const Destination& destination, const Subset& subset) {
  Json spec = service_spec(destination);
  spec["selector"].update(subset.labels);
  return spec;
}

std::vector<std::string> needs_destination_rule(const Destination& destination) {
  std::vector<std::string> fields;
  if (!destination.traffic_policy.is_null()) {
    fields.emplace_back("spec.trafficPolicy");
  }
  for (const auto& [name, subset] : destination.subsets) {
    if (!subset.traffic_policy.is_null()) {
      fields.push_back(cat("spec.subsets.", name, ".trafficPolicy"));
    }
  }
  return fields;
}

const Json* find_subset(const Json& destination_rule, std::string_view name) {
  for (const Json& subset : data::array_at(destination_rule, {"spec", "subsets"})) {
    if (data::string_at(subset, {"name"}) == name) {
      return &subset;
    }
  }
  return nullptr;
}

std::vector<std::string> keep_used_subsets(Json& spec, const Json* live,
                                           const std::vector<std::string>& used) {
  std::set<std::string, std::less<>> wanted;
  for (const Json& subset : data::array_at(spec, {"subsets"})) {
    wanted.emplace(data::string_at(subset, {"name"}));
  }
  std::map<std::string_view, const Json*> there;
  static const Json none;
  for (const Json& subset : data::array_at(live != nullptr ? *live : none, {"spec", "subsets"})) {
    there.emplace(data::string_at(subset, {"name"}), &subset);
  }
  std::vector<std::string> kept;
  for (const std::string& name : used) {
    const auto found = there.find(name);
    if (found != there.end() && wanted.insert(name).second) {
      spec["subsets"].push_back(*found->second);
      kept.push_back(name);
    }
  }
  return kept;
}

}  // namespace kubist::traffic
