// Every row of the decision table, one thing broken at a time.
#include "verdict_rows.hpp"

using namespace istio_test;

TEST_CASE("verdict: a sound installation is healthy, with version, revision and namespaces") {
  const Report report = judge(healthy_cluster());
  CHECK_MESSAGE(report.verdict == Verdict::healthy, codes(report));
  CHECK(report.ready);
  CHECK(report.version == "1.30.3");
  CHECK(report.revision == "default");
  CHECK(report.findings.empty());
  REQUIRE(report.revisions.size() == 1);
  CHECK(report.revisions[0].namespaces == std::vector<std::string>{"shop"});
  CHECK(report.revisions[0].proxies == 1);
  CHECK(report.revisions[0].version_source == "image tag");
  CHECK(next_step(report).empty());
  CHECK(condition_reason(report) == "Healthy");
  CHECK(summary(report) == "Istio 1.30.3, revision default");
}

TEST_CASE("verdict: nothing at all is absent") {
  const Report report = judge(empty_cluster());
  CHECK(report.verdict == Verdict::absent);
  CHECK_FALSE(report.ready);
  CHECK(condition_reason(report) == "Absent");
}

TEST_CASE("verdict: a list that was not answered is unknown, never absent") {
  const std::vector<std::pair<const char*, std::function<void(Evidence&, Unread)>>> lists{
      {"customresourcedefinitions", [](auto& e, Unread u) { e.crds = tl::unexpected(u); }},
      {"mutatingwebhookconfigurations", [](auto& e, Unread u) { e.injectors = tl::unexpected(u); }},
      {"validatingwebhookconfigurations",
       [](auto& e, Unread u) { e.validators = tl::unexpected(u); }},
      {"deployments", [](auto& e, Unread u) { e.control_planes = tl::unexpected(u); }},
      {"services", [](auto& e, Unread u) { e.services = tl::unexpected(u); }},
      {"daemonsets", [](auto& e, Unread u) { e.node_agents = tl::unexpected(u); }},
      {"istios", [](auto& e, Unread u) { e.sail = tl::unexpected(u); }},
      {"pods", [](auto& e, Unread u) { e.istiod_pods = tl::unexpected(u); }},
      {"namespaces", [](auto& e, Unread u) { e.namespaces = tl::unexpected(u); }},
      {"proxies", [](auto& e, Unread u) { e.proxies = tl::unexpected(u); }},
      {"clusterroles", [](auto& e, Unread u) { e.cluster_roles = tl::unexpected(u); }},
      {"clusterrolebindings",
       [](auto& e, Unread u) { e.cluster_role_bindings = tl::unexpected(u); }},
      {"configmaps", [](auto& e, Unread u) { e.configs = tl::unexpected(u); }},
      {"nodes", [](auto& e, Unread u) { e.tainted_nodes = tl::unexpected(u); }},
  };
  for (const auto& [name, lose] : lists) {
    for (const bool installed : {false, true}) {
      for (const std::string& code :
           {std::string("forbidden:") + name, std::string("apiserver:503"),
            std::string("apiserver:timeout")}) {
        CAPTURE(name);
        CAPTURE(installed);
        Evidence evidence = installed ? healthy_cluster() : empty_cluster();
        lose(evidence, unread_list(name, code));
        const Report report = judge(evidence);
        CHECK(report.verdict == Verdict::unknown);
        CHECK_FALSE(report.ready);
        // What was not read must not be told as missing.
        CHECK_MESSAGE(codes(report) == "unknown " + code + "\n", codes(report));
        for (const RevisionReport& revision : report.revisions) {
          CHECK(revision.verdict == Verdict::unknown);
        }
      }
    }
  }
}

TEST_CASE("verdict: a server that is down is one reason, not fourteen") {
  Evidence evidence = empty_cluster();
  const Unread down{"pods", "apiserver:ConnectionRefused", "nobody listens"};
  evidence.crds = tl::unexpected(down);
  evidence.injectors = tl::unexpected(down);
  evidence.services = tl::unexpected(down);
  const Report report = judge(evidence);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].evidence == "nobody listens (and 2 more questions)");
}

TEST_CASE("verdict: leftovers") {
  const auto base = [] { return empty_cluster(); };
  check_rows(
      {{"CRDs alone", [](Evidence& e) { e.crds = all_crds(); }, Verdict::leftover, "crds-only"},
       {"served API alone", [](Evidence& e) { e.api_served = true; }, Verdict::leftover,
        "crds-only"},
       {"an injector that points nowhere",
        [](Evidence& e) { e.injectors->push_back(injector("default")); }, Verdict::leftover,
        "orphan-webhook:istio-sidecar-injector"},
       {"a validator that points nowhere",
        [](Evidence& e) {
          e.crds = all_crds();
          e.validators->push_back(validator("default"));
        },
        Verdict::leftover, "orphan-webhook:istio-validator-istio-system"}},
      base);

  // Beside a sound control plane: it hurts whoever asks for it, so it counts although nobody does.
  Evidence beside = healthy_cluster();
  beside.injectors->push_back(injector("old"));
  const Report report = judge(beside);
  CHECK(report.verdict == Verdict::leftover);
  CHECK(has(report, "orphan-webhook:istio-sidecar-injector-old"));
  CHECK(next_step(report) ==
        "kubist delete mutatingwebhookconfiguration istio-sidecar-injector-old");
  // One that fails open hurts nobody.
  for (Webhook& webhook : beside.injectors->back().webhooks) {
    webhook.fail_closed = false;
  }
  CHECK(judge(beside).verdict == Verdict::healthy);
}

TEST_CASE("verdict: what is missing is partial") {
  const auto drop_role = [](Read<std::set<std::string>>& names, const char* name) {
    names->erase(name);
  };
  check_rows(
      {{"a CRD",
        [](Evidence& e) {
          std::erase_if(*e.crds, [](const Crd& crd) { return crd.name.starts_with("sidecars."); });
        },
        Verdict::partial, "missing:CustomResourceDefinition/sidecars.networking.istio.io"},
       {"the CRD that came with 1.30",
        [](Evidence& e) {
          std::erase_if(*e.crds, [](const Crd& crd) { return crd.name.starts_with("traffic"); });
        },
        Verdict::partial, "missing:CustomResourceDefinition/trafficextensions.extensions.istio.io"},
       {"the injector", [](Evidence& e) { e.injectors->clear(); }, Verdict::partial,
        "missing:MutatingWebhookConfiguration/istio-sidecar-injector"},
       {"the validator", [](Evidence& e) { e.validators->clear(); }, Verdict::partial,
        "missing:ValidatingWebhookConfiguration/istio-validator-istio-system"},
       {"the mesh's configuration", [](Evidence& e) { e.configs->front().mesh_config = false; },
        Verdict::partial, "missing:ConfigMap/istio"},
       {"the injector's configuration",
        [](Evidence& e) { e.configs->front().injector_config = false; }, Verdict::partial,
        "missing:ConfigMap/istio-sidecar-injector"},
       {"the ClusterRole",
        [&](Evidence& e) { drop_role(e.cluster_roles, "istiod-clusterrole-istio-system"); },
        Verdict::partial, "missing:ClusterRole/istiod-clusterrole-istio-system"},
       {"its binding",
        [&](Evidence& e) { drop_role(e.cluster_role_bindings, "istiod-clusterrole-istio-system"); },
        Verdict::partial, "missing:ClusterRoleBinding/istiod-clusterrole-istio-system"},
       {"half of the gateway controller's rights",
        [&](Evidence& e) { drop_role(e.cluster_roles, "istiod-gateway-controller-istio-system"); },
        Verdict::partial, "missing:ClusterRole/istiod-gateway-controller-istio-system"},
       {"the Deployment", [](Evidence& e) { e.control_planes->clear(); }, Verdict::partial,
        "missing:Deployment/istiod"},
       {"CNI and ztunnel of ambient mode",
        [](Evidence& e) { e.control_planes->front().ambient = true; }, Verdict::partial,
        "missing:DaemonSet/istio-cni-node"},
       {"ztunnel alone",
        [](Evidence& e) {
          e.namespaces->push_back(ns("mesh", {{"istio.io/dataplane-mode", "ambient"}}));
          NodeAgent cni;
          cni.wanted = cni.ready = 1;
          e.node_agents->push_back(cni);
        },
        Verdict::partial, "missing:DaemonSet/ztunnel"}},
      healthy_cluster);

  Evidence service_gone = healthy_cluster();
  service_gone.services->clear();
  CHECK(has(judge(service_gone), "missing:Service/istiod"));

  // What an installation leaves out on purpose is not missing.
  Evidence older = healthy_cluster();
  older.control_planes->front().image_version = "1.29.1";
  std::erase_if(*older.crds, [](const Crd& crd) { return crd.name.starts_with("traffic"); });
  CHECK_FALSE(
      has(judge(older), "missing:CustomResourceDefinition/trafficextensions.extensions.istio.io"));
  Evidence without = healthy_cluster();
  without.validators->clear();
  without.configs->front().validates = false;
  without.injectors->clear();
  without.configs->front().operator_webhooks = true;
  without.cluster_roles->erase("istiod-gateway-controller-istio-system");
  without.cluster_role_bindings->erase("istiod-gateway-controller-istio-system");
  CHECK_MESSAGE(judge(without).verdict == Verdict::healthy, codes(judge(without)));
}

TEST_CASE("verdict: what is on its way is installing") {
  check_rows({{"a generation that was not observed yet",
               [](Evidence& e) { e.control_planes->front().generation = 3; }, Verdict::installing,
               "rolling-out"},
              {"a rollout",
               [](Evidence& e) { e.control_planes->front().progress_reason = "ReplicaSetUpdated"; },
               Verdict::installing, "rolling-out"},
              {"a young CRD",
               [](Evidence& e) {
                 e.crds->front().established = false;
                 e.crds->front().reason = "Installing";
                 e.crds->front().created = moment("2026-11-22T00:58:00Z");
               },
               Verdict::installing, "crd-not-established"},
              {"the CNI plugin",
               [](Evidence& e) {
                 NodeAgent cni;
                 cni.ns = "istio-system";
                 cni.name = "istio-cni-node";
                 cni.rolling = true;
                 cni.wanted = 3;
                 cni.ready = 1;
                 e.node_agents->push_back(cni);
               },
               Verdict::installing, "cni-rolling-out"}},
             healthy_cluster);
}

TEST_CASE("verdict: what does not work is unhealthy") {
  const auto dead = [](Evidence& e) {
    e.services->front().ready_endpoints = 0;
    e.istiod_pods->front().ready = false;
    e.control_planes->front().ready = 0;
  };
  check_rows({{"istiod scaled to 0",
               [&](Evidence& e) {
                 dead(e);
                 e.istiod_pods->clear();
                 e.control_planes->front().wanted = 0;
               },
               Verdict::unhealthy, "istiod-not-ready:scaled-to-0"},
              {"a container that waits",
               [&](Evidence& e) {
                 dead(e);
                 e.istiod_pods->front().waiting = "CrashLoopBackOff";
               },
               Verdict::unhealthy, "istiod-not-ready:CrashLoopBackOff"},
              {"a rollout that took too long",
               [&](Evidence& e) {
                 dead(e);
                 e.control_planes->front().progress_failed = true;
                 e.control_planes->front().progress_reason = "ProgressDeadlineExceeded";
               },
               Verdict::unhealthy, "istiod-not-ready:ProgressDeadlineExceeded"},
              {"no endpoint", dead, Verdict::unhealthy, "istiod-not-ready:no-endpoints"},
              {"an injector without caBundle",
               [](Evidence& e) { e.injectors->front().webhooks.front().ca_bundle.clear(); },
               Verdict::unhealthy, "cabundle-empty"},
              {"a validator without caBundle",
               [](Evidence& e) { e.validators->front().webhooks.front().ca_bundle.clear(); },
               Verdict::unhealthy, "cabundle-empty"},
              {"another authority's caBundle",
               [](Evidence& e) {
                 e.injectors->front().webhooks.front().ca_bundle =
                     "-----BEGIN CERTIFICATE-----\nREVG\n-----END CERTIFICATE-----\n";
               },
               Verdict::unhealthy, "cabundle-mismatch"},
              {"a validator that stays open",
               [](Evidence& e) { e.validators->front().webhooks.front().fail_closed = false; },
               Verdict::unhealthy, "validator-fail-open"},
              {"a second default injector",
               [](Evidence& e) {
                 e.injectors->push_back(injector("default"));
                 e.injectors->back().name = "istio-sidecar-injector-second";
               },
               Verdict::unhealthy, "injector-overlap"},
              {"a CRD that is not served for long",
               [](Evidence& e) { e.crds->front().established = false; }, Verdict::unhealthy,
               "crd-not-established"},
              {"a CNI plugin that is not ready",
               [](Evidence& e) {
                 NodeAgent cni;
                 cni.wanted = 3;
                 cni.ready = 2;
                 e.node_agents->push_back(cni);
               },
               Verdict::unhealthy, "cni-not-ready:2/3"},
              {"nodes that wait for it", [](Evidence& e) { e.tainted_nodes->push_back("node0"); },
               Verdict::unhealthy, "cni-tainted:1"},
              {"an object of Sail",
               [](Evidence& e) {
                 e.sail->push_back({"Istio", "", "default", "ReconcileError", false});
               },
               Verdict::unhealthy, "sail-not-ready:Istio/default"},
              {"a webhook that cannot be called",
               [](Evidence& e) {
                 e.probes.front().outcome = Probe::Outcome::unreachable;
                 e.probes.front().message = "x509: certificate signed by unknown authority";
               },
               Verdict::unhealthy, "probe-failed:unreachable"},
              {"a webhook that is not called",
               [](Evidence& e) { e.probes.front().outcome = Probe::Outcome::not_consulted; },
               Verdict::unhealthy, "probe-failed:not-consulted"}},
             healthy_cluster);

  // Just after the start istiod has not closed it yet; with another CA the bundles need not agree;
  // a probe that was not allowed says nothing.
  Evidence young = healthy_cluster();
  young.validators->front().webhooks.front().fail_closed = false;
  young.control_planes->front().available_since = moment("2026-11-22T00:59:00Z");
  CHECK(judge(young).verdict == Verdict::healthy);
  Evidence foreign = healthy_cluster();
  foreign.configs->front().foreign_ca = true;
  foreign.injectors->front().webhooks.front().ca_bundle =
      "-----BEGIN CERTIFICATE-----\nREVG\n-----END CERTIFICATE-----\n";
  CHECK(judge(foreign).verdict == Verdict::healthy);
  Evidence unprobed = healthy_cluster();
  unprobed.probes.front().outcome = Probe::Outcome::not_run;
  CHECK(judge(unprobed).verdict == Verdict::healthy);
  CHECK(!judge(unprobed).notes.empty());
}

TEST_CASE("verdict: foreign text cannot become a command") {
  Evidence evidence = empty_cluster();
  evidence.injectors->push_back(injector("default"));
  evidence.injectors->front().name = "x; rm -rf /\x1b[2J'";
  const Report report = judge(evidence);
  CHECK(next_step(report) ==
        "kubist delete mutatingwebhookconfiguration 'x; rm -rf /\\x1b[2J'\\'''");
}
