// Pods: what they take of their node, of other accounts and of Secrets that are not theirs.
#include "hostile_attempts.hpp"

namespace it::hostile {
namespace {

const std::string k_box = "name: c, image: 'localhost/busybox:1'";

std::string pod(const std::string& more, const std::string& of_container = {}) {
  return "{apiVersion: v1, kind: Pod, metadata: {name: esc}, spec: {" + more +
         (more.empty() ? "" : ", ") + "containers: [{" + k_box +
         (of_container.empty() ? "" : ", ") + of_container + "}]}}";
}

std::string annotated(const std::string& annotation) {
  return "{apiVersion: v1, kind: Pod, metadata: {name: esc, annotations: {" + annotation +
         "}}, spec: {containers: [{" + k_box + "}]}}";
}

std::string templated(const std::string& version, const std::string& kind,
                      const std::string& more) {
  return "{apiVersion: " + version + ", kind: " + kind +
         ", metadata: {name: esc}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: "
         "{labels: {a: b}}, spec: {" +
         more + ", containers: [{" + k_box + "}]}}}}";
}

std::vector<Attempt> manifests() {
  const std::string no = "PodNotAllowed";
  const Words pods{"pod/DEV/esc"};
  const auto with = [&](const std::string& name, const std::string& more) {
    return writes_in_dev(name, pod(more), no, pods);
  };
  const auto secured = [&](const std::string& name, const std::string& context) {
    return writes_in_dev(name, pod("", "securityContext: {" + context + "}"), no, pods);
  };
  const std::string host = "volumes: [{name: h, hostPath: {path: /}}]";
  return {
      with("host-path", host),
      with("host-network", "hostNetwork: true"),
      with("host-pid", "hostPID: true"),
      with("priority-system", "priorityClassName: system-node-critical"),
      with("host-ipc", "hostIPC: true"),
      with("nfs", "volumes: [{name: h, nfs: {server: example.com, path: /}}]"),
      with("csi", "volumes: [{name: h, csi: {driver: none}}]"),
      with("projected",
           "volumes: [{name: h, projected: {sources: [{serviceAccountToken: {path: t}}]}}]"),
      with("init",
           "initContainers: [{name: i, image: 'localhost/busybox:1', securityContext: "
           "{privileged: true}}]"),
      with("windows", "securityContext: {windowsOptions: {hostProcess: true}}"),
      with("pod-seccomp", "securityContext: {seccompProfile: {type: Unconfined}}"),
      writes_in_dev("host-port", pod("", "ports: [{containerPort: 80, hostPort: 80}]"), no, pods),
      secured("privileged", "privileged: true"),
      secured("capability", "capabilities: {add: [SYS_ADMIN]}"),
      secured("all-capabilities", "capabilities: {add: [ALL]}"),
      secured("seccomp", "seccompProfile: {type: Unconfined}"),
      secured("localhost", "seccompProfile: {type: Localhost, localhostProfile: x}"),
      secured("apparmor", "appArmorProfile: {type: Unconfined}"),
      secured("proc", "procMount: Unmasked"),
      secured("selinux", "seLinuxOptions: {type: spc_t}"),
      writes_in_dev("old-apparmor",
                    annotated("container.apparmor.security.beta.kubernetes.io/c: unconfined"), no,
                    pods),
      writes_in_dev("inject-volume",
                    annotated("sidecar.istio.io/userVolume: "
                              "'[{\"name\":\"h\",\"hostPath\":{\"path\":\"/\"}}]'"),
                    no, pods),
      writes_in_dev("inject-image", annotated("sidecar.istio.io/proxyImage: 'localhost/busybox:1'"),
                    no, pods),
      writes_in_dev("inject-container", annotated("proxy.istio.io/overrides: '{}'"), no, pods),
      writes_in_dev("inject-template", annotated("inject.istio.io/templates: own"), no, pods),
      writes_in_dev("probe",
                    pod("", "readinessProbe: {tcpSocket: {host: 169.254.169.254, port: 80}}"), no,
                    pods),
      with("sysctl", "securityContext: {sysctls: [{name: kernel.msgmax, value: '1'}]}"),
      writes_in_dev("deployment", templated("apps/v1", "Deployment", host), no,
                    {"deployment/DEV/esc"}),
      writes_in_dev("daemons", templated("apps/v1", "DaemonSet", "hostNetwork: true"), no,
                    {"daemonset/DEV/esc"}),
      writes_in_dev("sets", templated("apps/v1", "StatefulSet", host), no, {"statefulset/DEV/esc"}),
      writes_in_dev(
          "cron",
          "{apiVersion: batch/v1, kind: CronJob, metadata: {name: esc}, spec: {schedule: '* * * "
          "* *', jobTemplate: {spec: {template: {spec: {restartPolicy: Never, hostPID: true, "
          "containers: [{" +
              k_box + "}]}}}}}}",
          no, {"cronjob/DEV/esc"}),
      writes_in_dev("pod-account", pod("serviceAccountName: admin"), "AccountNotAllowed", pods),
      writes_in_dev("project-account",
                    templated("apps/v1", "ReplicaSet", "serviceAccount: kubist-project"),
                    "AccountNotAllowed", {"replicaset/DEV/esc"}),
      writes_in_dev(
          "token",
          "{apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token, metadata: "
          "{name: esc, annotations: {kubernetes.io/service-account.name: default}}}",
          "AccountNotAllowed", {"secret/DEV/esc"}),
      writes_in_dev("kept-env", pod("", "envFrom: [{secretRef: {name: kept}}]"), "SecretNotAllowed",
                    pods),
      writes_in_dev(
          "kept-key",
          pod("", "env: [{name: A, valueFrom: {secretKeyRef: {name: kept, key: value}}}]"),
          "SecretNotAllowed", pods),
      writes_in_dev("kept-volume", pod("volumes: [{name: s, secret: {secretName: kept}}]"),
                    "SecretNotAllowed", pods),
      writes_in_dev("kept-projected",
                    pod("volumes: [{name: s, projected: {sources: [{secret: {name: kept}}]}}]"),
                    "SecretNotAllowed", pods),
      writes_in_dev("kept-later",
                    pod("", "envFrom: [{secretRef: {name: db-import, optional: true}}]"),
                    "SecretNotAllowed", pods),
      writes_in_dev("kept-over",
                    "{apiVersion: v1, kind: Secret, metadata: {name: kept}, data: {a: Yg==}}",
                    "SecretNotAllowed|NameTaken")};
}

std::vector<Attempt> scripts() {
  const std::string bad = "InvalidConfiguration|InvalidSpec";
  Attempt imports = runs("run-import", "env: []", "SecretNotAllowed");
  imports.spec =
      "{type: kubist.io/script, import: {secretRef: {name: kept, key: value}}, config: {image: "
      "'localhost/busybox:1', script: 'true'}}";
  Attempt bound = runs("run-account", "serviceAccountName: kubist-project", "AccountNotAllowed");
  Attempt own = runs("run-own", "serviceAccountName: kubist-project", "AccountNotAllowed");
  own.spec.replace(own.spec.find("target: {name: dev}, "), 21, "");
  return {
      runs("run-token", "volumeMounts: [{name: kubist-token, mountPath: /t}]", bad),
      runs("run-given", "volumeMounts: [{name: kubist-given, mountPath: /t}]", bad),
      runs("run-over",
           "volumes: [{name: v, emptyDir: {}}], volumeMounts: [{name: v, mountPath: "
           "/data//kubist}]",
           bad),
      runs("run-name", "volumes: [{name: kubist-x, emptyDir: {}}]", bad),
      runs("run-host", "volumes: [{name: h, hostPath: {path: /}}]", bad),
      runs("run-network", "hostNetwork: true", bad),
      runs("run-privileged", "securityContext: {privileged: true}", bad),
      runs("run-capability", "securityContext: {capabilities: {add: [SYS_ADMIN]}}",
           "PodNotAllowed"),
      runs("run-seccomp", "securityContext: {seccompProfile: {type: Unconfined}}", "PodNotAllowed"),
      runs("run-kept", "envFrom: [{secretRef: {name: kept}}]", "SecretNotAllowed"),
      runs("run-key", "env: [{name: A, valueFrom: {secretKeyRef: {name: kept, key: value}}}]",
           "SecretNotAllowed"),
      runs("run-volume",
           "volumes: [{name: s, secret: {secretName: kept}}], volumeMounts: [{name: s, "
           "mountPath: /s}]",
           "SecretNotAllowed"),
      imports,
      bound,
      own};
}

}  // namespace

std::vector<Attempt> pod_attempts() {
  std::vector<Attempt> all = manifests();
  const std::vector<Attempt> more = scripts();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace it::hostile
