#include "release.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

namespace kubist::convert {

using util::cat;

namespace {

Json metadata_of(std::string_view name, std::string_view ns) {
  return {{"name", name}, {"namespace", ns}};
}

/// Without those that tools write for themselves.
Json own_annotations(const Json& annotations) {
  Json own = Json::object();
  for (const auto& [name, value] : annotations.items()) {
    if (name != "kubectl.kubernetes.io/last-applied-configuration" &&
        !name.starts_with("deployment.kubernetes.io/") &&
        !name.starts_with("rollout.argoproj.io/")) {
      own[name] = value;
    }
  }
  return own;
}

void set_words(const Json& labels, const Json& annotations, Json& metadata) {
  if (!labels.empty()) {
    metadata["labels"] = labels;
  }
  if (Json own = own_annotations(annotations); !own.empty()) {
    metadata["annotations"] = std::move(own);
  }
}

Json object_of(const Release& release, std::string_view kind, std::string_view name, Json spec) {
  spec["virtualClusterRef"] = {{"name", release.virtual_cluster}};
  return {{"apiVersion", resources::k_kubist_api_version},
          {"kind", kind},
          {"metadata", metadata_of(name, release.ns)},
          {"spec", std::move(spec)}};
}

Json subset_of(std::string_view version) { return {{"labels", {{"version", version}}}}; }

Json destination_of(const Release& release) {
  Json spec{{"subsets", {{k_stable, subset_of(k_stable)}, {k_canary, subset_of(k_canary)}}}};
  if (release.selector.is_object() && release.selector != Json{{"app", release.destination}}) {
    spec["selector"] = release.selector;
  } else {
    spec["application"] = release.destination;
  }
  if (!release.ports.empty()) {
    spec["ports"] = release.ports;
  }
  if (!release.traffic_policy.is_null()) {
    spec["trafficPolicy"] = release.traffic_policy;
  }
  return object_of(release, "Destination", release.destination, std::move(spec));
}

Json route_of(const Release& release, const Route& route) {
  Json spec{{"hosts", route.hosts}, {"routes", route.rules}};
  if (!route.gateways.empty()) {
    spec["gateways"] = route.gateways;
  }
  if (!release.mode.empty()) {
    spec["mode"] = release.mode;
  }
  return object_of(release, "TrafficRoute", route.name, std::move(spec));
}

Json canary_of(const Release& release) {
  Json spec = release.spec;
  spec["destination"] = release.destination;
  spec["stable"] = k_stable;
  spec["canary"] = k_canary;
  for (const Route& route : release.routes) {
    spec["routes"].push_back(route.name);
  }
  spec["policies"] = release.policies;
  Json canary = object_of(release, "CanaryRelease", release.name, std::move(spec));
  set_words(release.labels, release.annotations, canary["metadata"]);
  return canary;
}

/// The workload under a name and labels of its version, since a selector cannot be changed.
Json deployment_of(const Release& release) {
  Json deployment = *release.workload;
  Json& metadata = deployment["metadata"];
  Json kept =
      metadata_of(cat(data::string_at(metadata, {"name"}), '-', k_stable), release.foreign_ns);
  set_words(data::object_at(metadata, {"labels"}), data::object_at(metadata, {"annotations"}),
            kept);
  metadata = std::move(kept);
  data::set_path(deployment, {"spec", "selector", "matchLabels", "version"}, k_stable);
  data::set_path(deployment, {"spec", "template", "metadata", "labels", "version"}, k_stable);
  deployment.erase("status");
  return deployment;
}

/// A Service, which the API server asks, or an address outside.
Json prometheus_of(std::string_view address, std::string_view ns) {
  const bool https = address.starts_with("https://");
  if (!https && !address.starts_with("http://")) {
    return {};
  }
  const std::string_view rest = address.substr(https ? 8 : 7);
  const std::size_t path = std::min(rest.find('/'), rest.size());
  const std::vector<std::string> host = util::split(rest.substr(0, path), ':');
  const std::vector<std::string> labels = util::split(host[0], '.');
  const bool service = labels.size() == 1 || (labels.size() == 2 && !https) ||
                       (labels.size() > 2 && labels[2] == "svc");
  if (!service) {
    return {{"url", address}};
  }
  const std::string port = host.size() > 1 ? host[1] : https ? "443" : "80";
  const std::string_view behind = rest.substr(path) == "/" ? "" : rest.substr(path);
  return {{"namespace", labels.size() > 1 ? labels[1] : std::string(ns)},
          {"service", cat(https ? "https:" : "", labels[0], ':', port, behind)}};
}

}  // namespace

void Release::drop_no_replicas(Source& deployment) {
  if (workload && data::int_at(*workload, {"spec", "replicas"}, 1) == 0) {
    data::erase_path(*workload, {"spec", "replicas"});
    deployment.spec().note("replicas",
                           "it is 0 since the pods are those of a copy; here it has no number, so "
                           "that it gets 1: set what it needs");
  }
}

void add_policy(Release& release, std::string_view name, Json parameters) {
  Json policy{{"name", name}};
  if (!parameters.empty()) {
    policy["parameters"] = std::move(parameters);
  }
  release.policies.push_back(std::move(policy));
}

bool is_mesh_only(const Release& release) {
  return std::all_of(release.routes.begin(), release.routes.end(), [](const Route& route) {
    return std::all_of(route.gateways.begin(), route.gateways.end(),
                       [](const std::string& gateway) { return gateway == k_mesh; });
  });
}

Json stable_share(const Release& release) {
  return {{"destination", release.destination}, {"version", k_stable}};
}

void set_prometheus(Release& release, const Fields& fields, std::string_view field) {
  const std::string address = fields.text(field);
  if (address.empty()) {
    return;
  }
  Json read = prometheus_of(address, release.foreign_ns);
  Json& metrics = release.spec["metrics"];
  if (read.is_null()) {
    fields.lost(field, "it is no http or https address: write spec.metrics.prometheus yourself");
  } else if (metrics.contains("prometheus") && metrics["prometheus"] != read) {
    fields.lost(field, "a release asks one Prometheus, and another one is named before");
  } else {
    metrics["prometheus"] = std::move(read);
  }
  if (metrics.is_null()) {
    release.spec.erase("metrics");
  }
}

void set_hold_limit(Release& release, std::optional<std::int64_t> deadline, std::int64_t needed) {
  constexpr std::int64_t k_deadline = 600, k_hold_limit = 1800;
  const std::int64_t limit = deadline.value_or(k_deadline) + needed;
  if (deadline || limit > k_hold_limit) {
    release.spec["holdLimit"] = duration_text(cat(limit, 's'));
  }
}

std::vector<Json> objects_of(const Release& release) {
  std::vector<Json> objects;
  if (release.workload) {
    objects.push_back(deployment_of(release));
  }
  objects.push_back(destination_of(release));
  for (const Route& route : release.routes) {
    objects.push_back(route_of(release, route));
  }
  objects.push_back(canary_of(release));
  return objects;
}

}  // namespace kubist::convert
