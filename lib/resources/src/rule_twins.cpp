#include "rule_twins.hpp"

#include <algorithm>
#include <array>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

using data::Json;

namespace {

/// CEL's has(): the server drops null values before it evaluates rules.
bool has(const Json& self, std::string_view field) {
  const Json* value = data::find_path(self, {field});
  return value != nullptr && !value->is_null();
}

int count(const Json& self, std::initializer_list<std::string_view> fields) {
  return static_cast<int>(std::count_if(fields.begin(), fields.end(),
                                        [&](std::string_view field) { return has(self, field); }));
}

/// spec.namespace, by default the name.
std::string_view effective_namespace(const Json& object) {
  return data::string_at(object, {"spec", "namespace"},
                         data::string_at(object, {"metadata", "name"}));
}

bool same_namespace(const Json& self, const Json* old) {
  return old == nullptr || effective_namespace(self) == effective_namespace(*old);
}

bool name_is_namespace(const Json& self, const Json*) {
  return !data::string_at(self, {"spec", "namespace"}).empty() ||
         is_dns_label(data::string_at(self, {"metadata", "name"}));
}

bool is_type(const Json& self, std::string_view type) {
  return data::string_at(self, {"type"}) == type;
}

// What is no list or no number is the schema's to complain about.
bool has_weight(const Json& self, const Json*) {
  const Json& weights = data::array_at(self, {"weights"});
  return weights.empty() || std::any_of(weights.begin(), weights.end(), [](const Json& share) {
           const Json* weight = data::find_path(share, {"weight"});
           return weight == nullptr || !weight->is_number() || weight->get<double>() > 0;
         });
}

struct Entry {
  std::string_view message;
  RuleTwin twin;
};

constexpr Entry k_twins[] = {
    {"executor and policyExecutor are two names for one field, give only one",
     [](const Json& self, const Json*) {
       return count(self, {"executor", "policyExecutor"}) < 2;
     }},
    {"exactly one of jsonnet, exec and container must be given",
     [](const Json& self, const Json*) {
       return count(self, {"jsonnet", "exec", "container"}) == 1;
     }},
    {"it has the name of a built-in executor that cannot be replaced",
     [](const Json& self, const Json*) {
       static constexpr std::array<std::string_view, 8> k_kept{
           "root",      "project",    "cluster",       "virtualcluster",
           "execution", "deployitem", "canaryrelease", "experiment"};
       return std::find(k_kept.begin(), k_kept.end(),
                        data::string_at(self, {"metadata", "name"})) == k_kept.end();
     }},
    {"what serves a custom kind is for no others, leave kinds out",
     [](const Json& self, const Json*) {
       return data::find_path(self, {"spec", "serves"}) == nullptr ||
              data::find_path(self, {"spec", "kinds"}) == nullptr;
     }},
    {"what wraps a built-in executor is for its kind, leave kinds and serves out",
     [](const Json& self, const Json*) {
       return data::find_path(self, {"spec", "wraps"}) == nullptr ||
              (data::find_path(self, {"spec", "kinds"}) == nullptr &&
               data::find_path(self, {"spec", "serves"}) == nullptr);
     }},
    {"runs says when beside the built-in executor that it wraps, give wraps",
     [](const Json& self, const Json*) {
       return data::find_path(self, {"spec", "runs"}) == nullptr ||
              data::find_path(self, {"spec", "wraps"}) != nullptr;
     }},
    {"the only Root is named root",
     [](const Json& self, const Json*) {
       return data::string_at(self, {"metadata", "name"}) == "root";
     }},
    {"spec.namespace cannot be changed, make another Project instead", same_namespace},
    {"a project cannot own the namespaces default, istio-system and kube-*",
     [](const Json& self, const Json*) {
       std::string_view ns = effective_namespace(self);
       return ns != "default" && ns != "istio-system" && !ns.starts_with("kube-");
     }},
    {"the project's name is no namespace name, give spec.namespace", name_is_namespace},
    {"exactly one of kubeconfigSecretRef and home: true must be given",
     [](const Json& self, const Json*) {
       return has(self, "kubeconfigSecretRef") != data::bool_at(self, {"home"});
     }},
    {"exactly one of configMapRef, url and render must be given",
     [](const Json& self, const Json*) {
       return count(self, {"configMapRef", "url", "render"}) == 1;
     }},
    {"a url needs sha256",
     [](const Json& self, const Json*) { return !has(self, "url") || has(self, "sha256"); }},
    {"clusterRef cannot be changed, make another VirtualCluster instead",
     [](const Json& self, const Json* old) {
       return old == nullptr || data::string_at(self, {"clusterRef", "name"}) ==
                                    data::string_at(*old, {"clusterRef", "name"});
     }},
    {"spec.namespace cannot be changed, make another VirtualCluster instead", same_namespace},
    {"the virtual cluster's name is no namespace name, give spec.namespace", name_is_namespace},
    {"exactly one of emptyDir, secret, configMap and persistentVolumeClaim must be given",
     [](const Json& self, const Json*) {
       return count(self, {"emptyDir", "secret", "configMap", "persistentVolumeClaim"}) == 1;
     }},
    {"a Container item needs image",
     [](const Json& self, const Json*) {
       return !is_type(self, "Container") || has(self, "image");
     }},
    {"a Script item needs script",
     [](const Json& self, const Json*) { return !is_type(self, "Script") || has(self, "script"); }},
    {"a Templates item needs template",
     [](const Json& self, const Json*) {
       return !is_type(self, "Templates") || has(self, "template");
     }},
    {"script and interpreter belong to Script items only",
     [](const Json& self, const Json*) {
       return is_type(self, "Script") || count(self, {"script", "interpreter"}) == 0;
     }},
    {"deleteScript belongs to Script items only",
     [](const Json& self, const Json*) {
       return is_type(self, "Script") || !has(self, "deleteScript");
     }},
    {"onDelete belongs to Container items only",
     [](const Json& self, const Json*) {
       return is_type(self, "Container") || !has(self, "onDelete");
     }},
    {"template and engine belong to Templates items only",
     [](const Json& self, const Json*) {
       return is_type(self, "Templates") || count(self, {"template", "engine"}) == 0;
     }},
    {"exactly one of virtualClusterRef and virtualClusterSelector says where it is kept",
     [](const Json& self, const Json*) {
       return count(self, {"virtualClusterRef", "virtualClusterSelector"}) == 1;
     }},
    {"virtualClusterRef cannot be changed, make another object instead",
     [](const Json& self, const Json* old) {
       return old == nullptr || data::string_at(self, {"virtualClusterRef", "name"}) ==
                                    data::string_at(*old, {"virtualClusterRef", "name"});
     }},
    {"application and selector both say which pods are meant, give only one",
     [](const Json& self, const Json*) {
       return count(self, {"application", "selector"}) < 2;
     }},
    {"a server of protocol HTTPS or TLS needs tls",
     [](const Json& self, const Json*) {
       const std::string protocol = util::lower(data::string_at(self, {"protocol"}));
       return (protocol != "https" && protocol != "tls") || has(self, "tls");
     }},
    {"a port needs exactly one of number and port",
     [](const Json& self, const Json*) {
       return count(self, {"number", "port"}) == 1;
     }},
    {"the weights of a route must not all be 0", has_weight},
    {"canary is the stable version already",
     [](const Json& self, const Json*) {
       return data::string_at(self, {"stable"}) != data::string_at(self, {"canary"});
     }},
    {"prometheus must say where it is",
     [](const Json& self, const Json*) {
       return data::string_at(self, {"provider"}) != "Prometheus" || has(self, "prometheus");
     }},
    {"a Prometheus has either a url or namespace and service",
     [](const Json& self, const Json*) {
       return has(self, "url") != has(self, "service") &&
              has(self, "service") == has(self, "namespace");
     }},
    {"authorizationSecretRef needs a url",
     [](const Json& self, const Json*) {
       return !has(self, "authorizationSecretRef") || has(self, "url");
     }},
    {"route cannot be changed, make another Experiment instead",
     [](const Json& self, const Json* old) {
       return old == nullptr ||
              data::string_at(self, {"route"}) == data::string_at(*old, {"route"});
     }},
    {"exactly one of prometheus and json must be given",
     [](const Json& self, const Json*) {
       return count(self, {"prometheus", "json"}) == 1;
     }},
    {"a Conversion needs successes, a Mean needs mean and standardDeviation",
     [](const Json& self, const Json*) {
       return data::string_at(self, {"kind"}) == "Mean"
                  ? count(self, {"mean", "standardDeviation"}) == 2 && !has(self, "successes")
                  : has(self, "successes") && count(self, {"mean", "standardDeviation"}) == 0;
     }},
};

}  // namespace

RuleTwin find_rule_twin(std::string_view message) {
  for (const Entry& entry : k_twins) {
    if (entry.message == message) {
      return entry.twin;
    }
  }
  return nullptr;
}

}  // namespace kubist::resources
