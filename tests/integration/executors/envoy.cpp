#include "envoy.hpp"

namespace it {

namespace {

Json filter(const std::string& name, const std::string& type, Json config = Json::object()) {
  config["@type"] = "type.googleapis.com/envoy.extensions.filters." + type;
  return {{"name", name}, {"typed_config", std::move(config)}};
}

}  // namespace

std::string proxy_image() {
  return must(kubectl("home", {"get", "pods", "-n", "istio-system", "-l", "istio=ingressgateway",
                               "-o", "jsonpath={.items[0].spec.containers[0].image}"}));
}

Json envoy_answer(const Json& match, int status, const std::string& body) {
  Json answer{{"status", status}};
  if (!body.empty()) {
    answer["body"] = {{"inline_string", body}};
  }
  return {{"match", match}, {"direct_response", answer}};
}

Json envoy_listener(int port, const Json& routes, const std::string& delay) {
  Json filters = Json::array();
  if (!delay.empty()) {
    filters.push_back(
        filter("fault", "http.fault.v3.HTTPFault",
               {{"delay", {{"fixed_delay", delay}, {"percentage", {{"numerator", 100}}}}}}));
  }
  filters.push_back(filter("router", "http.router.v3.Router"));
  const Json host{{"name", "all"}, {"domains", Json::array({"*"})}, {"routes", routes}};
  const Json manager = filter("http", "network.http_connection_manager.v3.HttpConnectionManager",
                              {{"stat_prefix", "http"},
                               {"route_config", {{"virtual_hosts", Json::array({host})}}},
                               {"http_filters", filters}});
  return {{"address", {{"socket_address", {{"address", "0.0.0.0"}, {"port_value", port}}}}},
          {"filter_chains", Json::array({{{"filters", Json::array({manager})}}})}};
}

Json envoy_pod(const std::string& ns, const std::string& name, const Json& labels,
               const Json& listeners, const Json& probe) {
  const Json admin{{"address", "0.0.0.0"}, {"port_value", 9901}};
  const Json config{{"admin", {{"address", {{"socket_address", admin}}}}},
                    {"static_resources", {{"listeners", listeners}}}};
  const Json container{{"name", "main"},
                       {"image", proxy_image()},
                       {"command",
                        {"/usr/local/bin/envoy", "--concurrency", "1", "--disable-hot-restart",
                         "--log-level", "error", "--config-yaml", config.dump()}},
                       {"readinessProbe", probe}};
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}, {"namespace", ns}, {"labels", labels}}},
          {"spec",
           {{"automountServiceAccountToken", false},
            {"terminationGracePeriodSeconds", 0},
            {"containers", Json::array({container})}}}};
}

}  // namespace it
