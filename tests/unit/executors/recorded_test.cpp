// A run that keeps its calls has every request of it but the locks' and the statuses'; a dry run,
// those that the run sends.
#include <kubist/util/text.hpp>

#include "site.hpp"
#include "support/sent_writes.hpp"

using namespace site;
using testing::Writes;

namespace {

/// A session whose writes are listened to.
struct Recorder {
  Recorder() {
    executors::Session::Options options = s.session_options();
    s.session = executors::Session::open(s.home->connect(sent), std::move(options), {}).value();
  }
  engine::Report run(kube::DryRun dry_run, bool keep_calls = true) {
    executors::ReconcileOptions options;
    options.dry_run = dry_run;
    options.keep_calls = keep_calls;
    options.parallelism = 1;
    sent->take();
    return s.reconcile(options);
  }
  /// In the order of the tree.
  static Writes kept(const engine::Report& report) {
    std::vector<kube::ApiCall> calls;
    for (const engine::NodeReport& node : report.nodes) {
      for (const engine::Write& write : node.writes) {
        if (write.call) {
          calls.push_back(*write.call);
        }
      }
    }
    return testing::writes_of(calls);
  }
  /// But what is no node's own: locks, statuses, Events; and what changes nothing.
  Writes taken() {
    Writes writes = sent->take();
    std::erase_if(writes, [](const std::string& write) {
      const std::string_view target = std::string_view(write).substr(0, write.find('\n'));
      const std::string_view path = target.substr(0, target.find('?'));
      return path.ends_with("/status") || path.find("/leases") != std::string_view::npos ||
             path.find("/events") != std::string_view::npos ||
             target.find("dryRun=All") != std::string_view::npos;
    });
    return writes;
  }

  Site s;
  std::shared_ptr<testing::SentWrites> sent = std::make_shared<testing::SentWrites>(*s.home);
};

}  // namespace

TEST_CASE("recorded: a run has the requests that it sent, in order") {
  Recorder r;
  r.s.put("Project", "", "shop");
  const auto report = r.run(kube::DryRun::none);
  CHECK(report.summary.failed == 0);
  const Writes sent = r.taken();
  CHECK(sent.size() > 2);
  CHECK(testing::difference(r.kept(report), sent) == "");
}

TEST_CASE("recorded: a dry run has the requests of the run") {
  Recorder r;
  r.s.make_project("shop");
  r.s.reconcile();
  r.s.virtual_cluster("shop", "a");
  const auto planned = r.run(kube::DryRun::client);
  CHECK(r.sent->take().empty());
  const auto report = r.run(kube::DryRun::none);
  CHECK(report.summary.ready == 3);
  const Writes sent = r.taken();
  CHECK(sent.size() > 1);
  CHECK(testing::difference(r.kept(planned), sent) == "");
  CHECK(testing::difference(r.kept(report), sent) == "");
}

TEST_CASE("recorded: calls are kept where they are asked for") {
  Recorder r;
  r.s.put("Project", "", "shop");
  const auto report = r.run(kube::DryRun::none, false);
  CHECK(report.summary.writes > 2);
  CHECK(r.kept(report).empty());
}

namespace {

/// The least that is taken for a whole installation.
constexpr const char* k_istio = R"(apiVersion: v1
kind: ServiceAccount
metadata: {name: istiod, namespace: istio-system}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: istio, namespace: istio-system}
---
apiVersion: v1
kind: Service
metadata: {name: istiod, namespace: istio-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: istiod-clusterrole-istio-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: istiod-clusterrole-istio-system}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: istiod, namespace: istio-system, labels: {app: istiod, istio.io/rev: default}}
spec:
  template:
    spec:
      containers:
      - {name: discovery, image: "localhost/istio/pilot:1.31.0"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: istio-sidecar-injector}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: istio-validator-istio-system}
)";

}  // namespace

TEST_CASE("recorded: an installation of Istio has the requests that it sent, with its list") {
  Recorder r;
  r.s.put("Project", "", "shop", {{"istioInstall", {{"sources", {"ConfigMap/istio"}}}}});
  CHECK(r.run(kube::DryRun::none).summary.failed == 0);
  Json map = plain("ConfigMap", "shop", "istio");
  map["data"] = {{"all", k_istio}};
  r.s.home->put(map);
  const Json source{{"configMapRef", {{"name", "istio"}, {"key", "all"}}}};
  r.s.put("Cluster", "shop", "home",
          {{"home", true},
           {"istio", {{"mode", "Install"}, {"version", "1.31.0"}, {"source", source}}}});
  // Nobody would make it ready, and the run would wait for that.
  r.s.home->fail("PATCH */deployments/istiod?*", 422, 100);
  const auto report = r.run(kube::DryRun::none);
  Writes sent = r.taken();
  CHECK(std::erase_if(sent, [](const std::string& write) {
          return write.find("/deployments/istiod?") != std::string::npos;
        }) > 0);
  CHECK(testing::difference(r.kept(report), sent) == "");
  const auto count = [&](std::string_view part) {
    return std::count_if(sent.begin(), sent.end(), [&](const std::string& write) {
      return write.substr(0, write.find('\n')).find(part) != std::string::npos;
    });
  };
  CHECK(count("clusterroles/istiod-clusterrole-istio-system?") == 1);
  CHECK(count("istio-system/configmaps?") == 1);
  CHECK(count("configmaps/kubist-istio?") == 2);  // at the first stage's end, before the next
}
