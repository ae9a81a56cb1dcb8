// What pods may have on the home cluster, whoever makes them, and which Secrets they name.
#include "pod/pod_limits.hpp"

#include <doctest/doctest.h>

#include <kubist/deployers/pod.hpp>
#include <kubist/deployers/workload.hpp>
#include <kubist/state/head.hpp>
#include <kubist/util/text.hpp>

#include "item/requests.hpp"
#include "limited.hpp"
#include "pod/security_limits.hpp"

using namespace kubist;
using namespace kubist::deployers;
using namespace limits;

namespace {

Json deployment(Json pod) {
  return object("apps/v1", "Deployment", {{"spec", {{"template", {{"spec", std::move(pod)}}}}}});
}

}  // namespace

TEST_CASE("limits: pods in manifests pass the rules of container items") {
  const auto container = [](Json fields) {
    return Json{{"containers", Json::array({std::move(fields)})}};
  };
  const auto volume = [](Json fields) { return Json{{"volumes", Json::array({fields})}}; };
  const Json projected{
      {"name", "v"},
      {"projected", {{"sources", Json::array({{{"serviceAccountToken", {{"path", "t"}}}}})}}}};
  for (const auto& [pod, field] : std::vector<std::pair<Json, std::string>>{
           {{{"hostNetwork", true}}, "hostNetwork"},
           {{{"hostPID", true}}, "hostPID"},
           {{{"hostIPC", true}}, "hostIPC"},
           {{{"priorityClassName", "system-cluster-critical"}}, "priorityClassName"},
           {volume({{"name", "v"}, {"hostPath", {{"path", "/"}}}}), "volumes[0].hostPath"},
           {volume({{"name", "v"}, {"csi", {{"driver", "d"}}}}), "volumes[0].csi"},
           {volume(projected), "volumes[0].projected.sources[0].serviceAccountToken"},
           {container({{"securityContext", {{"privileged", true}}}}),
            "containers[0].securityContext.privileged"},
           {container({{"ports", Json::array({{{"hostPort", 80}}})}}),
            "containers[0].ports[0].hostPort"},
           {container({{"livenessProbe", {{"httpGet", {{"host", "10.0.0.1"}}}}}}),
            "containers[0].livenessProbe.httpGet.host"},
           {container({{"lifecycle", {{"preStop", {{"tcpSocket", {{"host", "10.0.0.1"}}}}}}}}),
            "containers[0].lifecycle.preStop.tcpSocket.host"},
           {{{"securityContext", {{"sysctls", Json::array({{{"name", "kernel.msgmax"}}})}}}},
            "securityContext.sysctls"},
           {{{"initContainers", Json::array({{{"securityContext", {{"privileged", true}}}}})}},
            "initContainers[0].securityContext.privileged"}}) {
    CAPTURE(field);
    const auto found = problems(deployment(pod), limited());
    REQUIRE(found.size() == 1);
    CHECK(found[0].reason == "PodNotAllowed");
    CHECK(found[0].message.starts_with("Deployment x: " + field + ": "));
    CHECK(problems(deployment(pod), limited({"Deployment.apps"})).size() == 1);
    Place privileged = limited();
    privileged.grants.privileged = true;
    CHECK(problems(deployment(pod), privileged).empty());
    CHECK(found[0].hint == "An administrator allows it in the Project's spec.items.privileged.");
    CHECK(problems(object("v1", "Pod", {{"spec", pod}}), limited()).size() == 1);
    const Json job{{"spec", {{"template", {{"spec", pod}}}}}};
    CHECK(problems(object("batch/v1", "CronJob", {{"spec", {{"jobTemplate", job}}}}), limited())
              .size() == 1);
  }
  Place place = limited();
  CHECK(reason(deployment({{"serviceAccountName", "kubist"}}), place) == "AccountNotAllowed");
  CHECK(reason(deployment({{"serviceAccount", "kubist"}}), place) == "AccountNotAllowed");
  CHECK(reason(deployment({{"serviceAccountName", "default"}}), place).empty());
  place.grants.accounts = {"kubist"};
  CHECK(reason(deployment({{"serviceAccountName", "kubist"}}), place).empty());
  Json fine = container({{"securityContext", {{"privileged", false}}},
                         {"readinessProbe", {{"httpGet", {{"path", "/"}, {"port", 80}}}}},
                         {"ports", Json::array({{{"containerPort", 80}}})}});
  fine["hostNetwork"] = false;
  fine["securityContext"] = {{"sysctls", Json::array({{{"name", "net.ipv4.tcp_rmem"}}})}};
  fine["volumes"] = Json::array({{{"name", "a"}, {"emptyDir", Json::object()}},
                                 {{"name", "b"}, {"secret", {{"secretName", "s"}}}}});
  CHECK(reason(deployment(fine)).empty());
}

TEST_CASE("limits: pods are confined as Pod Security's baseline asks, whoever makes them") {
  const auto security = [](Json context) {
    return Json{{"containers", Json::array({{{"securityContext", std::move(context)}}})}};
  };
  const auto adds = [&](const char* name) {
    return security({{"capabilities", {{"add", Json::array({name})}}}});
  };
  const std::string field = "containers[0].securityContext.";
  for (const auto& [pod, where] : std::vector<std::pair<Json, std::string>>{
           {adds("SYS_ADMIN"), field + "capabilities.add"},
           {adds("ALL"), field + "capabilities.add"},
           {adds("CAP_CHOWN"), field + "capabilities.add"},
           {security({{"seccompProfile", {{"type", "Unconfined"}}}}), field + "seccompProfile"},
           {security({{"seccompProfile", {{"type", "Localhost"}}}}), field + "seccompProfile"},
           {security({{"appArmorProfile", {{"type", "Unconfined"}}}}), field + "appArmorProfile"},
           {security({{"procMount", "Unmasked"}}), field + "procMount"},
           {security({{"seLinuxOptions", {{"type", "spc_t"}}}}), field + "seLinuxOptions"},
           {{{"securityContext", {{"seccompProfile", {{"type", "Unconfined"}}}}}},
            "securityContext.seccompProfile"}}) {
    CAPTURE(pod.dump());
    for (const Place& place : {limited(), limited({"Deployment.apps"})}) {
      const auto found = problems(deployment(pod), place);
      REQUIRE(found.size() == 1);
      CHECK(found[0].reason == "PodNotAllowed");
      CHECK(found[0].message.starts_with("Deployment x: " + where + ": "));
    }
  }
  CHECK(problems(deployment(
                     security({{"capabilities",
                                {{"drop", Json::array({"ALL"})}, {"add", Json::array({"CHOWN"})}}},
                               {"seccompProfile", {{"type", "RuntimeDefault"}}},
                               {"seLinuxOptions", {{"level", "s0:c1"}}},
                               {"procMount", "Default"}})),
                 limited())
            .empty());
  CHECK(problems(deployment(nullptr), limited()).empty());
  Json annotated = deployment(Json::object());
  annotated["spec"]["template"]["metadata"]["annotations"] = {
      {"container.apparmor.security.beta.kubernetes.io/c", "unconfined"}};
  CHECK(reason(annotated) == "PodNotAllowed");

  Place place = limited();
  place.grants.capabilities = {"NET_ADMIN"};
  CHECK(problems(deployment(adds("NET_ADMIN")), place).empty());
  CHECK(problems(deployment(adds("SYS_ADMIN")), place).size() == 1);
  place.grants.capabilities = {"ALL"};
  CHECK(problems(deployment(adds("SYS_ADMIN")), place).empty());
  place.grants.unconfined = true;
  CHECK(problems(annotated, place).empty());
  CHECK(problems(deployment(security({{"procMount", "Unmasked"}})), place).empty());
  CHECK(problems(deployment({{"hostPID", true}}), place).size() == 1);
}

TEST_CASE("limits: Istio's injection gives pods no more than they may have") {
  const auto annotated = [](const std::string& key, const char* value) {
    Json made = deployment(Json::object());
    made["spec"]["template"]["metadata"]["annotations"] = {{key, value}};
    return made;
  };
  Place privileged = limited();
  privileged.grants.privileged = true;
  for (const char* key : {"sidecar.istio.io/userVolume", "sidecar.istio.io/userVolumeMount",
                          "sidecar.istio.io/proxyImage", "sidecar.istio.io/bootstrapOverride",
                          "sidecar.istio.io/enableCoreDump", "proxy.istio.io/overrides",
                          "inject.istio.io/templates"}) {
    CAPTURE(key);
    const auto found = problems(annotated(key, "[]"), limited({"Deployment.apps"}));
    REQUIRE(found.size() == 1);
    CHECK(found[0].reason == "PodNotAllowed");
    CHECK(found[0].message.find(key) != std::string::npos);
    CHECK(problems(annotated(key, "[]"), privileged).empty());
  }
  CHECK(reason(annotated("inject.istio.io/templates", "sidecar, gateway")).empty());
  CHECK(reason(annotated("inject.istio.io/templates", "sidecar,own")) == "PodNotAllowed");
  CHECK(reason(annotated("sidecar.istio.io/proxyCPU", "100m")).empty());
  CHECK(reason(annotated("proxy.istio.io/config", "concurrency: 1")).empty());
}

TEST_CASE("limits: the workload of an item is confined in the same way") {
  const auto refused = [](Json context, const PodGrants& grants = {}) {
    Item script = item();
    script.config = {{"script", "true"}, {"securityContext", std::move(context)}};
    const auto workload = parse_workload(script, true, Settings{});
    REQUIRE(workload);
    const auto allowed = check_security(*workload, grants);
    return allowed ? std::string() : allowed.error().reason + ": " + allowed.error().message;
  };
  CHECK(refused({{"capabilities", {{"add", Json::array({"ALL"})}}}}) ==
        "PodNotAllowed: config.securityContext.capabilities.add: the capability ALL is not "
        "allowed");
  CHECK(refused({{"seccompProfile", {{"type", "Unconfined"}}}}).starts_with("PodNotAllowed: "));
  const std::string both = refused({{"capabilities", {{"add", Json::array({"SYS_PTRACE"})}}},
                                    {"seccompProfile", {{"type", "Localhost"}}}});
  CHECK(both.starts_with("PodNotAllowed: "));
  CHECK(refused({{"runAsUser", 1000}, {"capabilities", {{"add", Json::array({"SETUID"})}}}}) == "");
  CHECK(refused({{"capabilities", {{"add", Json::array({"SYS_PTRACE"})}}}},
                {.capabilities = {"SYS_PTRACE"}}) == "");
}

TEST_CASE("limits: every Secret that a pod names is found") {
  const Json pod{
      {"imagePullSecrets", Json::array({{{"name", "pull"}}})},
      {"volumes",
       Json::array(
           {{{"name", "v"}, {"secret", {{"secretName", "volume"}}}},
            {{"name", "p"},
             {"projected", {{"sources", Json::array({{{"secret", {{"name", "projected"}}}}})}}}}})},
      {"initContainers",
       Json::array({{{"envFrom", Json::array({{{"secretRef", {{"name", "from"}}}}})}}})},
      {"containers",
       Json::array({{{"env", Json::array({{{"name", "E"},
                                           {"valueFrom",
                                            {{"secretKeyRef", {{"name", "variable"}}}}}}})}}})}};
  std::vector<std::string> names;
  for (const SecretUse& use : secrets_used(Json{{"spec", pod}})) {
    names.push_back(use.name);
  }
  CHECK(kubist::util::join(names, " ") == "pull volume projected variable from");
}

TEST_CASE("limits: names that kubist gives Secrets of its own are known before these are there") {
  Item db = item();
  db.name = "db";
  db.uid = "0b1c";
  const PodNames names = pod_names(db, "job");
  for (const std::string& name :
       {names.input_secret, names.export_secret, names.state_secret, names.token_secret,
        state::chunk_name(names.state_secret, "b", 12), home_import_name("db"),
        home_logs_name("db"), home_last_name("db"), std::string("e-item-template"),
        home_import_name(std::string(250, 'x'))}) {
    CAPTURE(name);
    CHECK(is_off_limits_name(name));
  }
  for (const char* name : {"web-tls", "db-export", "e-exports", "my-token", "import", "state-a1",
                           "web-0123456789-tls", "web-012345678z-token", "", "7"}) {
    CAPTURE(name);
    CHECK_FALSE(is_off_limits_name(name));
  }
}

TEST_CASE("limits: an optional Secret that is not there is none of the pod's, now and later") {
  Item script = item();
  script.config = Json::parse(R"({"script": "true",
    "volumes": [{"name": "a", "secret": {"secretName": "later", "optional": true}},
                {"name": "b", "secret": {"secretName": "here", "optional": true}}],
    "envFrom": [{"secretRef": {"name": "later", "optional": true}}, {"secretRef": {"name": "here"}}],
    "env": [{"name": "A", "value": "later"},
            {"name": "B", "valueFrom": {"secretKeyRef": {"name": "later", "key": "k", "optional": true}}}]})");
  const auto workload = parse_workload(script, true, Settings{});
  REQUIRE(workload);
  const Workload left = without_secrets(*workload, {"later"});
  std::vector<std::string> used;
  for (const SecretUse& use : secrets_used(left)) {
    used.push_back(use.field + ' ' + use.name);
  }
  CHECK(used == std::vector<std::string>{"volumes[1].secret here", "envFrom[0].secretRef here"});
  CHECK(left.volumes[0] == Json{{"name", "a"}, {"emptyDir", Json::object()}});
  CHECK(left.env == Json::array({{{"name", "A"}, {"value", "later"}}}));
  CHECK(without_secrets(*workload, {}).env == workload->env);
}

TEST_CASE("limits: Secrets for pulling images are judged as all others") {
  Item script = item();
  script.config = {{"script", "true"}, {"imagePullSecrets", Json::array({{{"name", "pull"}}})}};
  const auto workload = parse_workload(script, true, Settings{});
  REQUIRE(workload);
  const auto uses = secrets_used(*workload);
  REQUIRE(uses.size() == 1);
  CHECK(uses[0].name == "pull");
  CHECK(uses[0].field == "imagePullSecrets[0]");
  CHECK(uses[0].optional);
}

TEST_CASE("limits: no workload mounts what is the sidecar's") {
  const auto refused = [](Json mount) {
    Json mounts = Json::array({std::move(mount)});
    Item script = item();
    script.config = {{"script", "true"}, {"volumeMounts", std::move(mounts)}};
    const auto workload = parse_workload(script, true, Settings{});
    return workload ? std::string() : workload.error().message;
  };
  CHECK(refused({{"name", "kubist-token"}, {"mountPath", "/t"}}) ==
        "config.volumeMounts: the volume kubist-token is kubist's own");
  for (const char* path : {"/data/kubist", "/data//kubist", "/data/./kubist/in", "data/kubist",
                           "/x/../data/kubist/"}) {
    CAPTURE(path);
    CHECK(refused({{"name", "v"}, {"mountPath", path}}).find("kubist's own") != std::string::npos);
  }
  CHECK(refused({{"name", "v"}, {"mountPath", "/data/kubist-too"}}).empty());
}
