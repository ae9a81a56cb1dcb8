#include <algorithm>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/traffic/entry_gateway.hpp>
#include <kubist/traffic/ports.hpp>
#include <kubist/util/text.hpp>

namespace kubist::traffic {

using data::Json;
using util::cat;

namespace {

Json server_of(const Json& entry) {
  const Json* tls = data::find_path(entry, {"tls"});
  tls = tls != nullptr && tls->is_object() ? tls : nullptr;
  const Json* hosts = data::find_path(entry, {"hosts"});
  const bool all = hosts == nullptr || hosts->empty();
  Json server{{"port", mesh_port(entry, tls != nullptr ? "HTTPS" : "HTTP")},
              {"hosts", all ? Json::array({"*"}) : *hosts}};
  if (tls != nullptr) {
    server["tls"] = *tls;
    // A redirect by itself is for plain HTTP; a mode would ask for a certificate.
    if (!tls->contains("mode") && !data::bool_at(*tls, {"httpsRedirect"})) {
      server["tls"]["mode"] = "SIMPLE";
    }
  }
  return server;
}

bool selects(const Json& service, const Json& pod) {
  const Json* selector = data::find_path(service, {"spec", "selector"});
  if (selector == nullptr || selector->empty() ||
      resources::ObjectView(service).ns() != resources::ObjectView(pod).ns()) {
    return false;
  }
  const Json* labels = data::find_path(pod, {"metadata", "labels"});
  const auto items = selector->items();
  return labels != nullptr && std::all_of(items.begin(), items.end(), [&](const auto& item) {
           return labels->contains(item.key()) && (*labels)[item.key()] == item.value();
         });
}

void add_list(const Json* list, std::set<std::string>& found) {
  for (const Json& each : list != nullptr ? *list : Json::array()) {
    if (each.is_string() && each != "None") {
      found.insert(each.get<std::string>());
    }
  }
}

std::set<std::string> addresses_of(const Json& service) {
  std::set<std::string> found;
  if (const Json* ingress = data::find_path(service, {"status", "loadBalancer", "ingress"})) {
    for (const Json& each : *ingress) {
      const std::string_view host = data::string_at(each, {"hostname"});
      found.emplace(host.empty() ? data::string_at(each, {"ip"}) : host);
    }
  }
  if (found.empty()) {
    add_list(data::find_path(service, {"spec", "externalIPs"}), found);
  }
  if (found.empty()) {
    add_list(data::find_path(service, {"spec", "clusterIPs"}), found);
  }
  return found;
}

}  // namespace

util::Result<Json> gateway_spec(const Json& entry_gateway) {
  Json spec{{"selector", gateway_selector(entry_gateway)}, {"servers", Json::array()}};
  std::vector<std::string> names;
  const Json* servers = data::find_path(entry_gateway, {"spec", "servers"});
  for (const Json& entry : servers != nullptr ? *servers : Json::array()) {
    spec["servers"].push_back(server_of(entry));
    names.push_back(spec["servers"].back()["port"]["name"]);
  }
  if (auto errors = duplicates(names, "spec.servers[].name"); !errors.empty()) {
    return util::fail(joined(cat("EntryGateway/", resources::ObjectView(entry_gateway).name()),
                             std::move(errors)));
  }
  return spec;
}

Json gateway_selector(const Json& entry_gateway) {
  const Json* given = data::find_path(entry_gateway, {"spec", "selector"});
  return given != nullptr && given->is_object() ? *given : Json{{"istio", "ingressgateway"}};
}

std::vector<std::string> gateway_addresses(const std::vector<Json>& services,
                                           const std::vector<Json>& pods) {
  std::set<std::string> found;
  for (const Json& service : services) {
    if (std::any_of(pods.begin(), pods.end(), [&](const Json& p) { return selects(service, p); })) {
      found.merge(addresses_of(service));
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace kubist::traffic
