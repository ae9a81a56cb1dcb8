#include <doctest/doctest.h>

#include "evidence/injection_trial.hpp"
#include "evidence_support.hpp"
#include "uninstall/uninstall_steps.hpp"

using namespace istio_test;
namespace apply = kubist::apply;
namespace kube = kubist::kube;
namespace util = kubist::util;

namespace {

util::Result<kube::Reply> pod(Json metadata, Json containers) {
  kube::Reply reply;
  reply.status = 201;
  reply.body = Json{{"kind", "Pod"},
                    {"metadata", std::move(metadata)},
                    {"spec", {{"containers", std::move(containers)}}}}
                   .dump();
  return reply;
}

util::Result<kube::Reply> refusal(const std::string& message) {
  return util::fail(util::ErrorKind::unavailable, message);
}

apply::Owned recorded(const std::string& kind, const std::string& name) {
  apply::Owned object;
  object.recorded.ref = {"apps", kind, "istio-system", name};
  return object;
}

std::string codes_of(const std::vector<Obstacle>& obstacles) {
  std::string all;
  for (const Obstacle& each : obstacles) {
    all += each.code + '\n';
  }
  return all;
}

}  // namespace

TEST_CASE("injection trial: who injected a pod, and what refused it") {
  const Json plain = Json::array({{{"name", "trial"}}});
  const Json proxy = Json::array({{{"name", "trial"}}, {{"name", "istio-proxy"}}});
  const Json canary{{"annotations", {{"istio.io/rev", "canary"}}}};
  CHECK(classify_trial(pod(Json::object(), plain), "default") == Trial::untouched);
  CHECK(classify_trial(pod(Json::object(), proxy), "default") == Trial::injected);
  CHECK(classify_trial(pod(canary, proxy), "canary") == Trial::injected);
  CHECK(classify_trial(pod(canary, proxy), "default") == Trial::untouched);
  CHECK(classify_trial(refusal("Internal error occurred: failed calling webhook "
                               "\"object.sidecar-injector.istio.io\": no endpoints"),
                       "default") == Trial::webhook_failed);
  CHECK(classify_trial(refusal("failed calling webhook \"check.example.com\": timeout"),
                       "default") == Trial::refused);
  CHECK(classify_trial(refusal("pods is forbidden: exceeded quota"), "default") == Trial::refused);
}

TEST_CASE("injection trial: samples are pods that the webhooks would take") {
  const std::vector<NamespaceLabels> namespaces{ns("gone", {{"istio-injection", "enabled"}}),
                                                ns("shop", {{"istio-injection", "enabled"}}),
                                                ns("plain", Json::object())};
  auto with_gone = namespaces;
  with_gone[0].terminating = true;
  const auto samples = samples_of({injector("default")}, with_gone, "istio-system", "default");
  std::string all;
  for (const Sample& each : samples) {
    all += each.ns + ' ' + each.labels.dump() + '\n';
  }
  CHECK(all ==
        "istio-system {\"sidecar.istio.io/inject\":\"true\"}\n"
        "plain {\"istio.io/rev\":\"default\"}\n"
        "shop {}\n"
        "plain {\"sidecar.istio.io/inject\":\"true\"}\n");
}

TEST_CASE("uninstall: namespaces and proxies that use it stand in the way, its own gateway not") {
  Evidence evidence = healthy_cluster();
  evidence.proxies->proxies.push_back(
      {"istio-system", "istio-ingressgateway-6ddb9d45b5-skq9q", "default", "1.30.3"});
  Record record;
  record.ns = "istio-system";
  record.revision = "default";
  const std::vector<apply::Owned> going{recorded("Deployment", "istio-ingressgateway")};
  LeadingWebhook foreign;
  foreign.name = "somebodys";
  CHECK(codes_of(uses_of(evidence, record, going, {foreign}, false)) ==
        "in-use:shop\nproxies:1\nforeign-webhook:somebodys\n");
  CHECK(codes_of(uses_of(evidence, record, {}, {}, false)) == "in-use:shop\nproxies:2\n");
  Evidence elsewhere = evidence;  // a gateway of that name that is not its own
  elsewhere.proxies->proxies.back().ns = "shop";
  CHECK(codes_of(uses_of(elsewhere, record, going, {}, false)) == "in-use:shop\nproxies:2\n");
  CHECK(codes_of(uses_of(evidence, record, going, {foreign}, true)).empty());

  evidence.proxies = tl::unexpected(Unread{"pods", "forbidden:pods", "no"});
  CHECK(codes_of(uses_of(evidence, record, going, {}, true)) == "unknown:forbidden:pods\n");
}
