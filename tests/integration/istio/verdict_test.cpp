// `kubist istio check` on the real istiod, broken in one way after the other.
#include <algorithm>
#include <functional>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "installation.hpp"

namespace {

using namespace istio_it;

constexpr const char* k_injector = "istio-sidecar-injector";
constexpr const char* k_validator = "istio-validator-istio-system";
constexpr int k_patience = 150;  // seconds, for what istiod, kubelets and controllers do first

struct Answer {
  int exit_code = 0;
  Json report;
  std::string err;
  std::string verdict() const { return report.value("verdict", ""); }
  std::string first() const {
    return report.contains("reasons") && !report["reasons"].empty()
               ? report["reasons"][0].value("code", "")
               : "";
  }
};

Answer check(const Words& more = {}) {
  Words args{"istio", "check", "-o", "json"};
  args.insert(args.end(), more.begin(), more.end());
  const CommandResult result = run_kubist(args);
  Answer answer{result.exit_code, Json::parse(result.out, nullptr, false), result.err};
  REQUIRE_MESSAGE(answer.report.is_object(), result.out, result.err);
  return answer;
}

// That verdict with that first reason, at the first question; with `patience` (seconds), in time.
void expect(const std::string& verdict, const std::string& code, const Words& more = {},
            int patience = 0) {
  Answer last;
  const bool seen = eventually(
      [&] {
        last = check(more);
        return last.verdict() == verdict && last.first() == code;
      },
      patience);
  CHECK_MESSAGE(seen, "wanted ", verdict, ' ', code, ", got ", last.report.dump(2));
  const int wanted = verdict == "healthy" || verdict == "outdated" ? 0
                     : verdict == "unknown"                        ? 1
                                                                   : 3;
  CHECK(last.exit_code == wanted);
  if (!code.empty()) {
    CHECK(!last.report.value("next", "").empty());
  }
}

void expect_healthy() { expect("healthy", "", {}, k_patience); }

// With a gateway, whoever installed it.
void ensure_healthy() {
  if (!exists("deployment", "istio-ingressgateway", k_system)) {
    ensure_installed();
  }
  must(kubectl("home", {"-n", k_system, "wait", "--for=condition=Available",
                        "deployment/istio-ingressgateway", "--timeout=300s"}));
  expect_healthy();
}

// An object as it may be created again.
Json saved(const std::string& type, const std::string& name, const std::string& ns = {}) {
  auto object = get("home", type, name, ns);
  REQUIRE_MESSAGE(object, type, '/', name);
  Json& metadata = (*object)["metadata"];
  for (const char* field :
       {"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink"}) {
    metadata.erase(field);
  }
  object->erase("status");
  return *object;
}

void create(const Json& object, const std::string& cluster = "home") {
  must(kubectl(cluster, {"create", "-f", "-"}, object.dump()));
}

/// Mends at the end of a test, whatever became of it, and waits until all is well.
class Mended {
 public:
  explicit Mended(std::function<void()> mend) : m_mend(std::move(mend)) {}
  ~Mended() {
    m_mend();
    eventually([] { return check().verdict() == "healthy"; }, k_patience);
  }
  Mended(const Mended&) = delete;
  Mended& operator=(const Mended&) = delete;

 private:
  std::function<void()> m_mend;
};

void scale_istiod(int replicas) {
  kubectl("home", {"-n", k_system, "scale", "deployment/istiod", cat("--replicas=", replicas)});
}

/// A namespace with labels, for one test.
class LabelledNamespace {
 public:
  LabelledNamespace(std::string name, const Words& labels) : m_name(std::move(name)) {
    must(kubectl("home", {"create", "namespace", m_name}));
    Words args{"label", "namespace", m_name};
    args.insert(args.end(), labels.begin(), labels.end());
    must(kubectl("home", args));
  }
  ~LabelledNamespace() { kubectl("home", {"delete", "namespace", m_name}); }
  LabelledNamespace(const LabelledNamespace&) = delete;
  LabelledNamespace& operator=(const LabelledNamespace&) = delete;

 private:
  std::string m_name;
};

// Deletes an object, expects what check says then, and puts it back.
void expect_without(const std::string& type, const std::string& name, const std::string& code) {
  ensure_healthy();
  const Json object = saved(type, name);
  const Mended mended([&] { kubectl("home", {"create", "-f", "-"}, object.dump()); });
  must(kubectl("home", {"delete", type, name}));
  expect("partial", code);
}

Json without_bundles(Json config) {
  for (Json& webhook : config["webhooks"]) {
    webhook["clientConfig"].erase("caBundle");
  }
  return config;
}

// Does what kubectl replace would, but keeps no field of others.
void replace(const Json& object) { must(kubectl("home", {"replace", "-f", "-"}, object.dump())); }

}  // namespace

TEST_CASE("istio check: the real istiod is healthy, and nothing is written") {
  ensure_healthy();
  const World world("istio-check");
  Audit audit("home");
  const CommandResult json = run_kubist(world.as_user({"istio", "check", "-o", "json"}));
  const CommandResult text = run_kubist(world.as_user({"istio", "check"}));
  CHECK_MESSAGE(json.exit_code == 0, json.out, json.err);
  const Json report = Json::parse(json.out);
  CHECK(report["version"] == "1.31.0");
  CHECK(report["revision"] == "default");
  CHECK(report["ready"] == true);
  CHECK(report["revisions"][0]["versionSource"] == "istiod");
  CHECK(report["revisions"][0]["proxies"].get<int>() >= 1);  // the gateway's
  CHECK(text.out.starts_with("Istio: healthy, Istio 1.31.0, revision default\n"));
  CHECK(text.out.find("istio-system") != std::string::npos);
  std::size_t reads = 0;
  CHECK(audit.writes(world.user(), &reads).empty());
  CHECK(reads > 20);  // the filter does see these runs
}

TEST_CASE("istio check: a cluster without Istio is absent, with CRDs or a webhook alone leftover") {
  ensure_healthy();
  const Words there{"--kubeconfig", kubeconfig("target1")};
  expect("absent", "absent", there);
  const Json crd = saved("crd", "sidecars.networking.istio.io");
  const Json webhooks = saved("mutatingwebhookconfiguration", k_injector);

  create(crd, "target1");
  expect("leftover", "crds-only", there);
  must(kubectl("target1", {"delete", "crd", "sidecars.networking.istio.io"}));
  expect("absent", "absent", there);

  create(webhooks, "target1");
  expect("leftover", cat("orphan-webhook:", k_injector), there);
  // What it says to do helps.
  const std::string next = check(there).report["next"];
  CHECK(next == cat("kubist delete mutatingwebhookconfiguration ", k_injector));
  must(run_kubist({"delete", "mutatingwebhookconfiguration", k_injector, "--kubeconfig",
                   kubeconfig("target1")}));
  expect("absent", "absent", there);
}

TEST_CASE("istio check: istiod scaled to 0 is unhealthy, also as a condition of the Cluster") {
  ensure_healthy();
  World world("istio-ready");
  world.make_project(world.name());
  put("home", {object("Cluster", world.name(), "here", {{"home", true}})});
  must(run_kubist({"reconcile", "Project/" + world.name()}));
  const auto here = [&] { return get("home", "clusters.kubist.io", "here", world.name()); };
  CHECK(condition(here(), "IstioReady") == "True");
  CHECK(reason(here(), "IstioReady") == "Healthy");
  CHECK((*here())["status"]["istio"]["verdict"] == "Healthy");
  CHECK((*here())["status"]["istio"]["version"] == "1.31.0");
  // Again: nothing changed, nothing is written.
  Audit audit("home");
  must(run_kubist(world.as_user({"reconcile", "Project/" + world.name()})));
  std::size_t reads = 0;
  for (const AuditedWrite& write : audit.writes(world.user(), &reads)) {
    CHECK_MESSAGE(write.resource == "leases", write.to_string());
  }
  CHECK(reads > 10);

  const Mended mended([] { scale_istiod(1); });
  scale_istiod(0);
  expect("unhealthy", "istiod-not-ready:scaled-to-0", {}, k_patience);
  must(run_kubist({"reconcile", "Project/" + world.name()}));
  CHECK(condition(here(), "IstioReady") == "False");
  CHECK(reason(here(), "IstioReady") == "IstiodNotReady");
  CHECK((*here())["status"]["istio"]["reasons"][0] == "istiod-not-ready:scaled-to-0");
  CHECK(condition(here(), "Ready") == "True");  // it gates only what asks for it

  // Nothing would start: told before the first write, and not when the waiting is over.
  const CommandResult install = run_kubist(world.as_user(istio_it::install({"--adopt"})));
  CHECK_MESSAGE(install.exit_code == 1, install.out, install.err);
  CHECK(install.err.find("istiod-not-ready:scaled-to-0: Deployment istio-system/istiod is scaled "
                         "to 0") != std::string::npos);
  CHECK(install.err.find("kubectl -n istio-system scale deployment/istiod --replicas=1") !=
        std::string::npos);
  CHECK(install.err.find("stage: ") == std::string::npos);
}

TEST_CASE("istio check: an emptied caBundle is unhealthy") {
  ensure_healthy();
  const char* const role_name = "istiod-clusterrole-istio-system";
  const Json role = saved("clusterrole", role_name);
  const Json webhooks = saved("mutatingwebhookconfiguration", k_injector);
  const Mended mended([&] {
    kubectl("home", {"replace", "-f", "-"}, role.dump());
    kubectl("home", {"replace", "-f", "-"}, webhooks.dump());
  });
  // istiod would fill it in again at once: it loses the right to, and must have lost it.
  const auto may_write = [&] {
    return kubectl("home", {"auth", "can-i", "patch",
                            "mutatingwebhookconfigurations.admissionregistration.k8s.io",
                            "--as=system:serviceaccount:istio-system:istiod"})
               .exit_code == 0;
  };
  REQUIRE(may_write());
  Json reader = role;
  for (Json& rule : reader["rules"]) {
    if (rule.value("apiGroups", Json::array()) == Json{"admissionregistration.k8s.io"}) {
      rule["verbs"] = {"get", "list", "watch"};
    }
  }
  replace(reader);
  REQUIRE(eventually([&] { return !may_write(); }));
  replace(without_bundles(webhooks));
  expect("unhealthy", "cabundle-empty");
}

TEST_CASE("istio check: what was deleted is partial, by name") {
  SUBCASE("the validating webhook") {
    expect_without("validatingwebhookconfiguration", k_validator,
                   cat("missing:ValidatingWebhookConfiguration/", k_validator));
  }
  SUBCASE("a CRD") {
    expect_without("crd", "sidecars.networking.istio.io",
                   "missing:CustomResourceDefinition/sidecars.networking.istio.io");
  }
  SUBCASE("the ClusterRole") {
    expect_without("clusterrole", "istiod-clusterrole-istio-system",
                   "missing:ClusterRole/istiod-clusterrole-istio-system");
  }
}

TEST_CASE("istio check: a webhook beside Istio that points nowhere is leftover") {
  ensure_healthy();
  Json old = saved("mutatingwebhookconfiguration", k_injector);
  old["metadata"]["name"] = "istio-sidecar-injector-old";
  old["metadata"]["labels"]["istio.io/rev"] = "old";
  for (Json& webhook : old["webhooks"]) {
    webhook["clientConfig"]["service"]["name"] = "istiod-old";
    webhook["namespaceSelector"] = {{"matchLabels", {{"istio.io/rev", "old"}}}};
  }
  const Mended mended([] {
    kubectl("home", {"delete", "mutatingwebhookconfiguration", "istio-sidecar-injector-old"});
  });
  create(old);
  expect("leftover", "orphan-webhook:istio-sidecar-injector-old");
}

TEST_CASE("istio check: a second default injector is unhealthy") {
  ensure_healthy();
  Json second = saved("mutatingwebhookconfiguration", k_injector);
  second["metadata"]["name"] = "istio-sidecar-injector-second";
  const Mended mended([] {
    kubectl("home", {"delete", "mutatingwebhookconfiguration", "istio-sidecar-injector-second"});
  });
  create(second);
  expect("unhealthy", "injector-overlap");
}

TEST_CASE("istio check: labels of namespaces that lead nowhere are degraded") {
  ensure_healthy();
  SUBCASE("a revision that does not exist") {
    const LabelledNamespace lost("istio-check-lost", {"istio.io/rev=canary"});
    expect("degraded", "dangling-rev-label:istio-check-lost");
  }
  SUBCASE("both labels") {
    const LabelledNamespace both("istio-check-both",
                                 {"istio-injection=enabled", "istio.io/rev=default"});
    expect("degraded", "conflicting-labels:istio-check-both");
  }
  expect_healthy();
}

TEST_CASE("istio check: 403 on each list in turn is unknown, never absent") {
  ensure_healthy();
  const std::vector<std::pair<std::string, std::string>> lists{
      {"apiextensions.k8s.io", "customresourcedefinitions"},
      {"admissionregistration.k8s.io", "mutatingwebhookconfigurations"},
      {"admissionregistration.k8s.io", "validatingwebhookconfigurations"},
      {"apps", "deployments"},
      {"apps", "daemonsets"},
      {"", "services"},
      {"", "namespaces"},
      {"", "pods"},
      {"", "configmaps"},
      {"discovery.k8s.io", "endpointslices"},
      {"rbac.authorization.k8s.io", "clusterroles"},
      {"rbac.authorization.k8s.io", "clusterrolebindings"}};
  const char* const user = "istio-check-reader";
  constexpr int k_authorizer = 20;  // seconds, until it knows of a role
  const auto grant_all_but = [&](const std::string& refused) {
    Json rules = Json::array();
    for (const auto& [group, resource] : lists) {
      if (resource != refused) {
        rules.push_back(
            {{"apiGroups", {group}}, {"resources", {resource}}, {"verbs", {"get", "list"}}});
      }
    }
    put("home",
        {Json{{"apiVersion", "rbac.authorization.k8s.io/v1"},
              {"kind", "ClusterRole"},
              {"metadata", {{"name", user}}},
              {"rules", rules}},
         Json{
             {"apiVersion", "rbac.authorization.k8s.io/v1"},
             {"kind", "ClusterRoleBinding"},
             {"metadata", {{"name", user}}},
             {"roleRef",
              {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", user}}},
             {"subjects",
              {{{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "User"}, {"name", user}}}}}});
  };
  // Who may read all of that, and nothing else, gets the whole answer: no right to Secrets, to
  // proxy to pods, or to create Gateways is needed.
  grant_all_but("");
  expect("healthy", "", {"--as", user}, k_authorizer);
  for (const auto& [group, resource] : lists) {
    CAPTURE(resource);
    grant_all_but(resource);
    expect("unknown", cat("forbidden:", resource, group.empty() ? "" : ".", group), {"--as", user},
           k_authorizer);
  }
  kubectl("home", {"delete", "clusterrole,clusterrolebinding", user});
}

TEST_CASE("istio check: an API server that is down or does not answer is unknown") {
  expect("unknown", "apiserver:ConnectionRefused", {"--server", "https://10.77.0.2:1"});
  // One that accepts connections and says nothing.
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(listener, 64) == 0);
  REQUIRE(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  expect("unknown", "apiserver:timeout",
         {"--server", cat("https://127.0.0.1:", ntohs(address.sin_port)), "--timeout", "1s"});
  ::close(listener);
}
