// Installations that work: as a whole or not, with revisions, old versions, a control plane
// elsewhere.
#include <kubist/istio/check.hpp>

#include "verdict_rows.hpp"

using namespace istio_test;

TEST_CASE("verdict: a mesh that is not served as a whole is degraded, and can be relied on") {
  check_rows({{"older proxies",
               [](Evidence& e) {
                 e.proxies->proxies.push_back({"shop", "old-1", "default", "1.28.4"});
               },
               Verdict::degraded, "skew"},
              {"proxies newer than istiod",
               [](Evidence& e) {
                 e.proxies->proxies.push_back({"shop", "new-1", "default", "1.31.0"});
               },
               Verdict::degraded, "skew"},
              {"a revision that does not exist",
               [](Evidence& e) {
                 e.namespaces->push_back(ns("lost", {{"istio.io/rev", "canary"}}));
               },
               Verdict::degraded, "dangling-rev-label:lost"},
              {"both labels",
               [](Evidence& e) {
                 e.namespaces->push_back(
                     ns("both", {{"istio-injection", "enabled"}, {"istio.io/rev", "default"}}));
               },
               Verdict::degraded, "conflicting-labels:both"},
              {"proxies of a revision that is gone",
               [](Evidence& e) {
                 e.proxies->proxies.push_back({"shop", "web-2", "old", "1.30.3"});
               },
               Verdict::degraded, "lost-proxies:old"},
              {"pods without proxy",
               [](Evidence& e) {
                 e.members.push_back({"shop", 2, {"web-2"}, {}});
               },
               Verdict::degraded, "not-injected:shop"},
              {"a project that wants ambient mode, where there is none",
               [](Evidence& e) {
                 e.namespaces->push_back(ns("dev", {{"istio.io/dataplane-mode", "ambient"}}));
                 e.namespaces->back().owner = "uid/VirtualCluster.kubist.io/shop/dev";
               },
               Verdict::degraded, "missing:DaemonSet/istio-cni-node"},
              {"pods that ztunnel has not got yet",
               [](Evidence& e) {
                 e.members.push_back({"mesh", 2, {}, {"web-2"}});
               },
               Verdict::degraded, "half-captured:mesh"},
              {"istiod pods of two versions",
               [](Evidence& e) {
                 e.istiod_pods->push_back(e.istiod_pods->front());
                 e.istiod_pods->back().image_version = "1.30.2";
               },
               Verdict::degraded, "mixed-versions"}},
             healthy_cluster);

  Evidence lagging = healthy_cluster();
  lagging.proxies->proxies.push_back({"shop", "old-1", "default", "1.29.4"});
  lagging.proxies->proxies.push_back({"shop", "digest-1", "default", ""});
  CHECK_MESSAGE(judge(lagging).verdict == Verdict::healthy, codes(judge(lagging)));
  Evidence skewed = healthy_cluster();
  skewed.proxies->proxies.push_back({"shop", "old-1", "default", "1.28.4"});
  CHECK(judge(skewed).ready);
  CHECK(judge(skewed).findings.front().evidence ==
        "1 of 2 proxies run 1.28.4, istiod 1.30.3: shop/old-1");

  // Only revisions are served here: the old label has no effect.
  Evidence revisioned = empty_cluster();
  revisioned.crds = all_crds();
  add_revision(revisioned, "stable", "1.30.3");
  revisioned.namespaces->push_back(ns("shop", {{"istio-injection", "enabled"}}));
  CHECK(judge(revisioned).findings.front().code == "no-injector:shop");
}

TEST_CASE("verdict: what is no longer supported is outdated") {
  check_rows(
      {{"end of life",
        [](Evidence& e) {
          e.control_planes->front().image_version = e.proxies->proxies.front().version = "1.29.1";
        },
        Verdict::outdated, "eol"},
       {"older than the table",
        [](Evidence& e) {
          e.control_planes->front().image_version = e.proxies->proxies.front().version = "1.20.1";
        },
        Verdict::outdated, "eol"},
       {"a newer patch", [](Evidence& e) { e.control_planes->front().image_version = "1.30.1"; },
        Verdict::outdated, "patch-available"},
       {"Kubernetes too new", [](Evidence& e) { e.kubernetes_minor = 37; }, Verdict::outdated,
        "k8s-unsupported"},
       {"Kubernetes too old", [](Evidence& e) { e.kubernetes_minor = 31; }, Verdict::outdated,
        "k8s-unsupported"}},
      healthy_cluster);
  CHECK(judge([] {
          Evidence evidence = healthy_cluster();
          evidence.kubernetes_minor = 37;
          return evidence;
        }())
            .ready);

  // A day later the support of 1.30 ends; another table may say otherwise.
  Evidence later = healthy_cluster();
  later.now = moment("2026-12-01T00:00:00Z");
  CHECK(has(judge(later), "eol"));
  SupportTable longer = built_in_support();
  for (Release& release : longer.releases) {
    release.end_of_life = release.minor == 30 ? "2027-03-01" : release.end_of_life;
  }
  CHECK(judge(later, {}, longer).verdict == Verdict::healthy);
}

TEST_CASE("verdict: a control plane elsewhere is remote, as good as its probe") {
  const auto remote = [] {
    Evidence evidence = healthy_cluster();
    evidence.control_planes->clear();
    evidence.istiod_pods->clear();
    evidence.configs->clear();
    evidence.services->front().external_name = "istiod.example.org";
    return evidence;
  };
  const Report sound = judge(remote());
  CHECK_MESSAGE(sound.verdict == Verdict::remote, codes(sound));
  CHECK(sound.ready);
  CHECK(sound.findings.front().code == "remote-istiod");
  Evidence dumb = remote();
  dumb.probes.front().outcome = Probe::Outcome::unreachable;
  CHECK(judge(dumb).verdict == Verdict::remote);
  CHECK_FALSE(judge(dumb).ready);
  CHECK(has(judge(dumb), "probe-failed"));

  Evidence by_slice = remote();
  by_slice.services->front().external_name.clear();
  by_slice.services->front().has_selector = false;
  CHECK(judge(by_slice).verdict == Verdict::remote);

  Evidence by_url = empty_cluster();
  by_url.injectors->push_back(injector("default"));
  for (Webhook& webhook : by_url.injectors->front().webhooks) {
    webhook.target = {"https://istiod.example.org/inject", "", ""};
    webhook.ca_bundle.clear();
  }
  CHECK_MESSAGE(judge(by_url).verdict == Verdict::remote, codes(judge(by_url)));
}

TEST_CASE("verdict: of several revisions those count that some namespace uses") {
  Evidence evidence = healthy_cluster();
  add_revision(evidence, "canary", "1.30.3");
  evidence.services->back().ready_endpoints = 0;
  const Report unused = judge(evidence);
  CHECK_MESSAGE(unused.verdict == Verdict::healthy, codes(unused));
  REQUIRE(unused.revisions.size() == 2);
  CHECK(unused.revisions[1].verdict == Verdict::unhealthy);
  CHECK_FALSE(unused.revisions[1].counts);

  evidence.namespaces->push_back(ns("next", {{"istio.io/rev", "canary"}}));
  const Report used = judge(evidence);
  CHECK(used.verdict == Verdict::unhealthy);
  CHECK(used.revision == "canary");
  CHECK(used.findings.front().revision == "canary");
  // Who asks for one of them hears of that one.
  CHECK(judge(evidence, {"", "default"}).verdict == Verdict::healthy);
  CHECK(judge(evidence, {"", "canary"}).verdict == Verdict::unhealthy);
  CHECK(judge(evidence, {"", "other"}).verdict == Verdict::absent);
  CHECK(judge(evidence, {"elsewhere", ""}).verdict == Verdict::absent);
}

TEST_CASE("verdict: a revision that only projects use degrades, and no more") {
  Evidence evidence = healthy_cluster();
  add_revision(evidence, "canary", "1.30.3");
  evidence.services->back().ready_endpoints = 0;
  NamespaceLabels members = ns("shop-dev", Json::object());
  members.owner = "uid/VirtualCluster/shop/dev";
  SUBCASE("by a pod") { evidence.proxies->proxies.push_back({"shop-dev", "mine", "canary", ""}); }
  SUBCASE("by a label of their namespace") { members.labels = {{"istio.io/rev", "canary"}}; }
  evidence.namespaces->push_back(members);
  const Report report = judge(evidence);
  CHECK(report.ready);
  CHECK_MESSAGE(report.verdict == Verdict::degraded, codes(report));
  CHECK(report.revision == "default");
  CHECK(report.findings.front().revision == "canary");
  CHECK(report.revisions[1].verdict == Verdict::unhealthy);
  CHECK_FALSE(judge(evidence, {"", "canary"}).ready);
  // Where nobody else uses any, that is all there is to go by.
  evidence.namespaces->erase(
      std::ranges::find(*evidence.namespaces, "shop", &NamespaceLabels::name));
  std::erase_if(evidence.proxies->proxies, [](const Proxy& each) { return each.ns == "shop"; });
  CHECK_FALSE(judge(evidence).ready);
}

TEST_CASE("verdict: for a namespace its own control plane counts, whatever others use") {
  Evidence evidence = healthy_cluster();
  add_revision(evidence, "canary", "1.30.3");
  evidence.services->back().ready_endpoints = 0;
  evidence.namespaces->push_back(ns("next", {{"istio.io/rev", "canary"}}));
  CHECK_FALSE(judge(evidence).ready);
  CHECK(judge_for(evidence, "shop", {}).verdict == Verdict::healthy);
  CHECK(judge_for(evidence, "next", {}).verdict == Verdict::unhealthy);
  CHECK(judge_for(evidence, "plain", {}).verdict == Verdict::unhealthy);
  CHECK(judge_for(evidence, "plain", {"", "default"}).verdict == Verdict::healthy);
}

TEST_CASE("verdict: more injectors than can be compared are no reason to hold the mesh back") {
  Evidence evidence = healthy_cluster();
  for (int i = 0; i < 150; ++i) {
    add_revision(evidence, "r" + std::to_string(i), "1.30.3");
  }
  const Report report = judge(evidence);
  CHECK(report.ready);
  CHECK_MESSAGE(has(report, "injectors-not-compared"), codes(report));
}

TEST_CASE("verdict: a tag belongs to the revision that it points to") {
  Evidence evidence = empty_cluster();
  evidence.crds = all_crds();
  add_revision(evidence, "stable", "1.30.3");
  evidence.injectors->push_back(injector("stable", "default"));
  evidence.namespaces->push_back(ns("shop", {{"istio-injection", "enabled"}}));
  evidence.namespaces->push_back(ns("old", {{"istio.io/rev", "default"}}));
  const Report report = judge(evidence);
  CHECK_MESSAGE(report.verdict == Verdict::healthy, codes(report));
  REQUIRE(report.revisions.size() == 1);
  CHECK(report.revisions[0].tags == std::vector<std::string>{"default"});
  CHECK(report.revisions[0].namespaces == std::vector<std::string>{"shop", "old"});
  CHECK(judge(evidence, {"", "default"}).revisions.size() == 1);
}

TEST_CASE("verdict: to a project, of namespaces that are not its own only the number is told") {
  Evidence e = healthy_cluster();
  for (const char* name : {"secret-a", "secret-b", "own"}) {
    e.members.push_back({name, 2, {"web-2"}, {"web-3"}});
    e.namespaces->push_back(ns(name, {{"istio.io/rev", "canary"}}));
    e.namespaces->push_back(ns(name, {{"istio-injection", "x"}, {"istio.io/rev", "default"}}));
    e.proxies->proxies.push_back({name, "old-1", "default", "1.28.4"});
    e.proxies->proxies.push_back({name, "web-2", "old", "1.30.3"});
  }
  const Report all = judge(e);
  const Report told = without_names(all, [](const std::string& ns) { return ns == "own"; });
  CHECK(told.verdict == all.verdict);
  CHECK(to_json(all).dump().find("secret-") != std::string::npos);
  for (const Finding& each : told.findings) {
    CAPTURE(each.code);
    CHECK((each.code + each.evidence + each.next).find("secret-") == std::string::npos);
  }
  const auto evidence_of = [&](const std::string& code) {
    std::string found;
    for (const Finding& each : told.findings) {
      found += each.code == code ? each.evidence : "";
    }
    return found;
  };
  CHECK(evidence_of("not-injected") ==
        "not-injected in 2 namespaces (kubist istio check names them)");
  CHECK(evidence_of("lost-proxies") ==
        "lost-proxies in 3 namespaces (kubist istio check names them)");
  CHECK(evidence_of("not-injected:own").starts_with("1 of 2 pods in namespace own have no proxy"));
}
