#include "pod/security_limits.hpp"

#include <algorithm>
#include <array>

#include <kubist/data/pointer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/util/text.hpp>

namespace kubist::deployers {
namespace {

using util::cat;

constexpr std::array<std::string_view, 13> k_baseline_capabilities{
    "AUDIT_WRITE",      "CHOWN",   "DAC_OVERRIDE", "FOWNER",  "FSETID", "KILL",      "MKNOD",
    "NET_BIND_SERVICE", "SETFCAP", "SETGID",       "SETPCAP", "SETUID", "SYS_CHROOT"};
constexpr std::array<std::string_view, 5> k_selinux_types{"", "container_t", "container_init_t",
                                                          "container_kvm_t", "container_engine_t"};
constexpr std::array<std::string_view, 12> k_safe_sysctls{
    "kernel.shm_rmid_forced",           "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports", "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ping_group_range",        "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",     "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_keepalive_time",      "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_syncookies",          "net.ipv4.tcp_wmem"};
/// By these istiod's webhook changes the pod after kubist has judged it: volumes of the node,
/// another image for the container that has NET_ADMIN, whole containers. What configures the proxy
/// itself gives a pod nothing that its own containers do not have.
/// https://istio.io/latest/docs/reference/config/annotations/
constexpr std::array<std::string_view, 6> k_injected{
    "proxy.istio.io/overrides",        "sidecar.istio.io/bootstrapOverride",
    "sidecar.istio.io/enableCoreDump", "sidecar.istio.io/proxyImage",
    "sidecar.istio.io/userVolume",     "sidecar.istio.io/userVolumeMount"};
constexpr std::string_view k_templates = "inject.istio.io/templates";
constexpr std::array<std::string_view, 2> k_own_templates{"sidecar", "gateway"};
constexpr std::string_view k_apparmor_annotation =
    "container.apparmor.security.beta.kubernetes.io/";

template <std::size_t N>
bool has_text(const std::array<std::string_view, N>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

bool is_granted_capability(const PodGrants& grants, const std::string& name) {
  return std::any_of(grants.capabilities.begin(), grants.capabilities.end(),
                     [&](const std::string& each) { return each == name || each == "ALL"; });
}

void check_capabilities(const Json& context, const std::string& where, const PodGrants& grants,
                        std::vector<util::Error>& found) {
  for (const Json& each : data::array_at(context, {"capabilities", "add"})) {
    const std::string name = each.is_string() ? each.get<std::string>() : each.dump();
    if (!has_text(k_baseline_capabilities, name) && !is_granted_capability(grants, name)) {
      found.push_back(
          pod_not_allowed(cat(where, ".capabilities.add: the capability ", name, " is not allowed"),
                          "capabilities"));
    }
  }
}

void check_confinement(const Json& context, const std::string& where,
                       std::vector<util::Error>& found) {
  for (const char* profile : {"seccompProfile", "appArmorProfile"}) {
    const auto type = data::string_at(context, {profile, "type"}, "RuntimeDefault");
    if (type != "RuntimeDefault") {
      found.push_back(pod_not_allowed(
          cat(where, ".", profile, ": the type ", type, " is not allowed, only RuntimeDefault"),
          "unconfined"));
    }
  }
  if (data::string_at(context, {"procMount"}, "Default") != "Default") {
    found.push_back(
        pod_not_allowed(cat(where, ".procMount: only Default is allowed"), "unconfined"));
  }
  const bool typed =
      has_text(k_selinux_types, data::string_at(context, {"seLinuxOptions", "type"}));
  if (!typed || !data::string_at(context, {"seLinuxOptions", "user"}).empty() ||
      !data::string_at(context, {"seLinuxOptions", "role"}).empty()) {
    found.push_back(pod_not_allowed(
        cat(where,
            ".seLinuxOptions: another type than those of containers, a user and a role are "
            "not allowed"),
        "unconfined"));
  }
}

void check_sysctls(const Json& context, const std::string& where, std::vector<util::Error>& found) {
  for (const Json& each : data::array_at(context, {"sysctls"})) {
    const auto name = data::string_at(each, {"name"});
    if (!has_text(k_safe_sysctls, name)) {
      found.push_back(pod_not_allowed(
          cat(where, ".sysctls: ", name, " is not allowed, since it is the node's"), "privileged"));
    }
  }
}

bool is_injection(const std::string& key, const Json& value) {
  if (key != k_templates) {
    return has_text(k_injected, key);
  }
  const auto templates = util::split(value.is_string() ? value.get<std::string>() : "", ',');
  return !std::all_of(templates.begin(), templates.end(), [](const std::string& each) {
    return has_text(k_own_templates, util::trim(each));
  });
}

}  // namespace

util::Error pod_not_allowed(std::string message, std::string_view grant) {
  return util::make_error(
      util::ErrorKind::denied, std::move(message),
      cat("An administrator allows it in the Project's spec.items.", grant, "."), "PodNotAllowed");
}

void check_security(const Json& context, const std::string& where, const PodGrants& grants,
                    std::vector<util::Error>& found) {
  if (grants.privileged || !context.is_object()) {
    return;
  }
  if (data::bool_at(context, {"privileged"})) {
    found.push_back(pod_not_allowed(
        cat(where, ".privileged: privileged containers are not allowed"), "privileged"));
  }
  if (data::bool_at(context, {"windowsOptions", "hostProcess"})) {
    found.push_back(pod_not_allowed(
        cat(where, ".windowsOptions.hostProcess: host processes are not allowed"), "privileged"));
  }
  check_capabilities(context, where, grants, found);
  check_sysctls(context, where, found);
  if (!grants.unconfined) {
    check_confinement(context, where, found);
  }
}

void check_annotations(const Json& annotations, const PodGrants& grants,
                       std::vector<util::Error>& found) {
  if (grants.privileged || !annotations.is_object()) {
    return;
  }
  for (const auto& [key, value] : annotations.items()) {
    if (is_injection(key, value)) {
      found.push_back(pod_not_allowed(
          cat("metadata.annotations: ", key, " is not allowed, since Istio changes the pod by it"),
          "privileged"));
    } else if (!grants.unconfined && key.starts_with(k_apparmor_annotation) &&
               value != "runtime/default") {
      found.push_back(pod_not_allowed(
          cat("metadata.annotations: ", key, " may only be runtime/default"), "unconfined"));
    }
  }
}

util::Result<> check_security(const Workload& workload, const PodGrants& grants) {
  std::vector<util::Error> found;
  check_security(workload.security_context, "config.securityContext", grants, found);
  if (found.empty()) {
    return {};
  }
  util::Error error = found.size() == 1 ? std::move(found.front())
                                        : data::combine_errors(std::move(found), "spec.config");
  error.kind = util::ErrorKind::denied;
  return util::fail(util::with_reason(std::move(error), "PodNotAllowed"));
}

}  // namespace kubist::deployers
