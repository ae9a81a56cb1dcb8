// `kubist istio uninstall` of the real istiod: no pod is kept from starting, at no moment.
#include <atomic>
#include <thread>

#include <kubist/kube/client.hpp>

#include "installation.hpp"

using namespace istio_it;
namespace kube = kubist::kube;

namespace {

// Creates a pod as a server dry run every 100 ms, for as long as it lives.
class PodMaker {
 public:
  explicit PodMaker(std::string ns) : m_ns(std::move(ns)) {
    auto access = kube::find_access({}, kube::process_environment());
    REQUIRE(access);
    auto client = kube::Client::connect(std::move(*access));
    REQUIRE(client);
    m_client = std::move(*client);
    m_thread = std::jthread([this](const std::stop_token& stop) { make_pods(stop); });
  }

  std::string failures() {
    m_thread.request_stop();
    m_thread.join();
    return m_failures;
  }
  int made() const { return m_made; }
  int injected() const { return m_injected; }

 private:
  void make_pods(const std::stop_token& stop) {
    const Json pod{{"apiVersion", "v1"},
                   {"kind", "Pod"},
                   {"metadata", {{"generateName", "try-"}, {"namespace", m_ns}}},
                   {"spec", {{"containers", {{{"name", "a"}, {"image", "localhost/pause:1"}}}}}}};
    kube::WriteOptions options;
    options.dry_run = kube::DryRun::server;
    while (!stop.stop_requested()) {
      const auto reply = m_client->run(kube::create(kube::well_known::pods(), pod, options), stop);
      if (reply) {
        ++m_made;
        m_injected += reply->body.find("istio-proxy") != std::string::npos ? 1 : 0;
      } else if (!stop.stop_requested()) {
        m_failures += reply.error().to_string() + '\n';
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  std::string m_ns;
  std::shared_ptr<kube::Client> m_client;
  std::atomic<int> m_made = 0;
  std::atomic<int> m_injected = 0;
  std::string m_failures;
  std::jthread m_thread;
};

std::size_t place_of(const std::vector<AuditedWrite>& writes, const std::string& resource,
                     const std::string& name) {
  std::size_t at = 0;
  while (at < writes.size() && (writes[at].resource != resource || writes[at].name != name)) {
    ++at;
  }
  CHECK_MESSAGE(at < writes.size(), resource, '/', name, " was not deleted");
  return at;
}

}  // namespace

TEST_CASE("istio uninstall: refused while in use; then pods can be made at every moment") {
  if (!installed_by_kubist()) {  // no gateway is needed here
    ensure_installed();
  }
  const World world("istio-uninstall");
  put("home",
      {Json{{"apiVersion", "v1"},
            {"kind", "Namespace"},
            {"metadata", {{"name", world.name()}, {"labels", {{"istio-injection", "enabled"}}}}}}});
  Audit audit("home");
  const CommandResult refused = run_kubist(world.as_user(uninstall()));
  CHECK(refused.exit_code == 1);
  CHECK_MESSAGE(refused.err.find("in-use:" + world.name()) != std::string::npos, refused.err);
  CHECK(audit.writes(world.user()).empty());

  REQUIRE(eventually([&] { return exists("serviceaccount", "default", world.name()); }));
  PodMaker pods(world.name());
  CHECK(eventually([&] { return pods.injected() > 3; }, 60));
  const CommandResult run = run_kubist(world.as_user(uninstall({"--force"})));
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  const int before = pods.made();
  CHECK(eventually([&] { return pods.made() > before + 10; }, 60));
  CHECK(pods.failures() == "");

  const auto writes = audit.writes(world.user());
  const std::size_t istiod = place_of(writes, "deployments", "istiod");
  for (const AuditedWrite& write : writes) {
    const bool expected = write.verb == "delete" || write.name == "kubist-istio";
    CHECK_MESSAGE(expected, write.to_string());
  }
  CHECK(place_of(writes, "mutatingwebhookconfigurations", "istio-sidecar-injector") < istiod);
  CHECK(place_of(writes, "validatingwebhookconfigurations", "istio-validator-istio-system") <
        istiod);
  CHECK(verdict() == "leftover");
  CHECK(exists("crd", "gateways.networking.istio.io"));
  CHECK(exists("namespace", k_system));

  Audit later("home");
  const CommandResult again = run_kubist(world.as_user(uninstall()));
  CHECK_MESSAGE(again.exit_code == 0, again.out, again.err);
  CHECK(again.out.empty());
  CHECK(later.writes(world.user()).empty());
  must(run_kubist(uninstall({"--purge"})));
  CHECK(verdict() == "absent");
  kubectl("home", {"delete", "namespace", world.name(), "--wait=false"});
}

TEST_CASE("istio uninstall: another installer's control plane is not touched") {
  ensure_absent();
  put("home",
      {Json{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", k_system}}}}});
  must(kubectl("home", {"apply", "--server-side", "--field-manager=helm", "-f", manifest()}));
  const CommandResult run = run_kubist(uninstall());
  CHECK(run.exit_code == 1);
  CHECK_MESSAGE(run.err.find("was installed by Helm") != std::string::npos, run.err);
  CHECK(exists("deployment", "istiod", k_system));
}
