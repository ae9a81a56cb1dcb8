#pragma once
#include <thread>

#include <kubist/data/pointer.hpp>
#include <kubist/util/base64.hpp>

#include "installation.hpp"
#include "support/openssl.hpp"

/// An API server alone, target1, where a thread plays istiod: an installation takes seconds there.
namespace istio_it {

namespace data = kubist::data;
namespace kube = kubist::kube;
namespace util = kubist::util;

inline constexpr const char* k_cluster = "target1";

inline std::string certificate() {
  const util::TempDir folder("istio-certificate");
  const std::string path = folder.path() / "certificate";
  kubist::testing::make_certificate(path, folder.path() / "key",
                                    {"-days", "1", "-subj", "/CN=istio"});
  return util::read_file(path).value();
}

/// What pilot-discovery and the kubelet do: pods become ready; then the root certificate, caBundle
/// and a closed failurePolicy are written, by Updates under istiod's name.
class PlayedIstiod {
 public:
  PlayedIstiod() : m_root(certificate()) {
    kube::Overrides overrides;
    overrides.kubeconfig = kubeconfig(k_cluster);
    auto access = kube::find_access(overrides, kube::process_environment());
    REQUIRE(access);
    auto client = kube::Client::connect(std::move(*access));
    REQUIRE(client);
    m_client = std::move(*client);
    m_options.field_manager = "pilot-discovery";
    m_thread = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        play();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    });
  }

 private:
  void play() {
    const auto pods = m_client->list(kube::well_known::pods(), k_system);
    bool ready = false;
    for (const Json& pod : pods ? pods->items : std::vector<Json>()) {
      ready = true;
      if (data::string_at(pod, {"status", "phase"}) != "Running") {
        run(pod);
      }
    }
    if (ready) {
      write_root();
      patch_webhooks(kube::well_known::mutating_webhooks());
      patch_webhooks(kube::well_known::validating_webhooks());
    }
  }

  void run(const Json& pod) {
    const Json yes = Json::array({{{"type", "Ready"}, {"status", "True"}},
                                  {{"type", "ContainersReady"}, {"status", "True"}}});
    const Json status{{"status",
                       {{"phase", "Running"},
                        {"podIP", "10.9.8.7"},
                        {"podIPs", Json::array({Json{{"ip", "10.9.8.7"}}})},
                        {"conditions", yes}}}};
    kube::WriteOptions options = m_options;
    options.subresource = "status";
    (void)m_client->run(kube::patch(kube::well_known::pods(), k_system,
                                    data::string_at(pod, {"metadata", "name"}),
                                    kube::PatchType::strategic, status, options));
  }

  void write_root() {
    const Json map{{"apiVersion", "v1"},
                   {"kind", "ConfigMap"},
                   {"metadata", {{"name", "istio-ca-root-cert"}, {"namespace", k_system}}},
                   {"data", {{"root-cert.pem", m_root}}}};
    kube::ApplyOptions options;
    options.field_manager = m_options.field_manager;
    options.force = true;
    (void)m_client->run(kube::apply(kube::well_known::config_maps(), map, options));
    // Kubernetes' own leaves out pods without a node.
    const Json endpoint{{"addresses", Json::array({"10.9.8.7"})},
                        {"conditions", {{"ready", true}}}};
    const Json slice{{"apiVersion", "discovery.k8s.io/v1"},
                     {"kind", "EndpointSlice"},
                     {"metadata",
                      {{"name", "istiod-played"},
                       {"namespace", k_system},
                       {"labels", {{"kubernetes.io/service-name", "istiod"}}}}},
                     {"addressType", "IPv4"},
                     {"endpoints", Json::array({endpoint})}};
    (void)m_client->run(kube::create(kube::well_known::endpoint_slices(), slice, m_options));
  }

  void patch_webhooks(const kube::ApiResource& resource) {
    kube::ListOptions of_istio;
    of_istio.label_selector = "istio.io/rev";
    const auto configs = m_client->list(resource, "", of_istio);
    for (const Json& config : configs ? configs->items : std::vector<Json>()) {
      Json patch = Json::array();
      for (std::size_t at = 0; at < config["webhooks"].size(); ++at) {
        const Json& webhook = config["webhooks"][at];
        if (data::string_at(webhook, {"clientConfig", "caBundle"}).empty()) {
          patch.push_back({{"op", "add"},
                           {"path", cat("/webhooks/", at, "/clientConfig/caBundle")},
                           {"value", util::base64_encode(m_root)}});
        } else if (data::string_at(webhook, {"failurePolicy"}) != "Fail") {
          patch.push_back({{"op", "replace"},
                           {"path", cat("/webhooks/", at, "/failurePolicy")},
                           {"value", "Fail"}});
        }
      }
      if (!patch.empty()) {
        (void)m_client->run(kube::patch(resource, "", data::string_at(config, {"metadata", "name"}),
                                        kube::PatchType::json, patch, m_options));
      }
    }
  }

  std::string m_root;
  std::shared_ptr<kube::Client> m_client;
  kube::WriteOptions m_options;
  std::jthread m_thread;
};

/// The server dry run that istiod's webhook must refuse is answered as istiod would.
inline Json validator() {
  return {{"method", "POST"},
          {"path", "/gateways\\?"},
          {"fault", "status"},
          {"code", 400},
          {"message", R"(admission webhook "rev.validation.istio.io" denied the request)"}};
}

/// Without a gateway: nobody plays its pods.
inline std::string manifest_without_gateway(const util::TempDir& folder) {
  return changed_manifest(folder, [](const Json& object) {
    return object["metadata"]["name"].get<std::string>().find("ingressgateway") ==
           std::string::npos;
  });
}

inline const Words k_uninstall{"istio", "uninstall", "--purge", "--timeout", "100s"};

inline Words on_the_cluster(Words args) {
  args.insert(args.end(), {"--kubeconfig", kubeconfig(k_cluster)});
  return args;
}

}  // namespace istio_it
