#include "pod/pod_limits.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "pod/account_token.hpp"
#include "pod/security_limits.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

constexpr std::array k_host_namespaces{"hostNetwork", "hostPID", "hostIPC"};
/// Before these Kubernetes ends whatever pods are in the way, those of others, too.
constexpr std::string_view k_system_priorities = "system-";
constexpr std::array k_volumes{
    "name",        "emptyDir",  "secret", "configMap", "persistentVolumeClaim",
    "downwardAPI", "ephemeral", "image",  "projected"};
constexpr std::array k_projections{"secret", "configMap", "downwardAPI"};
constexpr std::array k_containers{"containers", "initContainers", "ephemeralContainers"};

using Each = std::function<void(const Json& entry, const std::string& where)>;

/// The maps of a list; what is anything else, the API server refuses.
void for_each(const Json& object, const char* field, const std::string& prefix, const Each& each) {
  const Json& list = data::array_at(object, {field});
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].is_object()) {
      each(list[i], cat(prefix, field, "[", i, "]"));
    }
  }
}

const Json& spec_of(const Json& pod) { return data::object_at(pod, {"spec"}); }

template <std::size_t N>
bool contains(const std::array<const char*, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_volume(const Json& volume, const std::string& where, std::vector<util::Error>& found) {
  for (const auto& [kind, value] : volume.items()) {
    if (!contains(k_volumes, kind) && !value.is_null()) {
      found.push_back(pod_not_allowed(
          cat(where, ".", kind, ": volumes of this kind are not allowed"), "privileged"));
    }
  }
  const Json projected = volume.value("projected", Json());
  for_each(projected, "sources", where + ".projected.", [&](const Json& source, const auto& at) {
    for (const auto& [kind, value] : source.items()) {
      if (!contains(k_projections, kind) && !value.is_null()) {
        found.push_back(pod_not_allowed(
            cat(at, ".", kind, ": projections of this kind are not allowed"), "privileged"));
      }
    }
  });
}

void check_ports(const Json& container, const std::string& where, std::vector<util::Error>& found) {
  for_each(container, "ports", where + ".", [&](const Json& port, const std::string& at) {
    if (data::int_at(port, {"hostPort"}) != 0) {
      found.push_back(
          pod_not_allowed(cat(at, ".hostPort: ports of the host are not allowed"), "privileged"));
    }
  });
}

/// The node itself sends what these ask for, to any host that it reaches (KEP-4940).
void check_probes(const Json& container, const std::string& where,
                  std::vector<util::Error>& found) {
  const auto check = [&](const Json* probe, const std::string& field) {
    for (const char* action : {"httpGet", "tcpSocket"}) {
      if (probe != nullptr && !data::string_at(*probe, {action, "host"}).empty()) {
        found.push_back(pod_not_allowed(
            cat(where, ".", field, ".", action, ".host: another host than the pod is not allowed"),
            "privileged"));
      }
    }
  };
  for (const std::string field : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    check(data::find_path(container, {field}), field);
  }
  for (const std::string hook : {"postStart", "preStop"}) {
    check(data::find_path(container, {"lifecycle", hook}), "lifecycle." + hook);
  }
}

/// What gives a pod parts of the host.
void check_host(const Json& pod_spec, std::vector<util::Error>& found) {
  for (const char* field : k_host_namespaces) {
    if (data::bool_at(pod_spec, {field})) {
      found.push_back(
          pod_not_allowed(cat(field, ": namespaces of the host are not allowed"), "privileged"));
    }
  }
  if (data::string_at(pod_spec, {"priorityClassName"}).starts_with(k_system_priorities)) {
    found.push_back(pod_not_allowed(
        "priorityClassName: the classes of Kubernetes' own pods are not allowed", "privileged"));
  }
  for_each(pod_spec, "volumes", "", [&](const Json& volume, const std::string& where) {
    check_volume(volume, where, found);
  });
  for (const char* field : k_containers) {
    for_each(pod_spec, field, "", [&](const Json& container, const std::string& where) {
      check_ports(container, where, found);
      check_probes(container, where, found);
    });
  }
}

void check_accounts(const Json& pod_spec, const PodGrants& grants,
                    std::vector<util::Error>& found) {
  for (const char* field : {"serviceAccountName", "serviceAccount"}) {
    const auto account = data::string_at(pod_spec, {field});
    if (!account.empty() && account != "default" && !is_allowed_account(grants.accounts, account)) {
      found.push_back(util::make_error(
          util::ErrorKind::denied,
          cat(field, ": the project does not allow its items the account ", account),
          "An administrator allows it in the Project's spec.items.serviceAccounts.",
          "AccountNotAllowed"));
    }
  }
}

void add_whole_use(std::vector<SecretUse>& uses, const Json& reference, const char* name_key,
                   std::string field) {
  if (const auto name = data::string_at(reference, {name_key}); !name.empty()) {
    uses.push_back({std::string(name), {}, false, std::move(field)});
  }
}

}  // namespace

const Json* pod_of(const Json& object) {
  const resources::ObjectView view(object);
  const auto group = view.group();
  const auto kind = view.kind();
  if (group.empty() && kind == "Pod") {
    return &object;
  }
  if (group == "batch" && kind == "CronJob") {
    return data::find_path(object, {"spec", "jobTemplate", "spec", "template"});
  }
  const bool workload = (group == "apps" && (kind == "Deployment" || kind == "ReplicaSet" ||
                                             kind == "StatefulSet" || kind == "DaemonSet")) ||
                        (group == "batch" && kind == "Job") ||
                        (group.empty() && kind == "ReplicationController");
  return workload ? data::find_path(object, {"spec", "template"}) : nullptr;
}

std::vector<util::Error> pod_problems(const Json& pod, const PodGrants& grants) {
  std::vector<util::Error> found;
  const Json& pod_spec = spec_of(pod);
  if (!grants.privileged) {
    check_host(pod_spec, found);
  }
  check_accounts(pod_spec, grants, found);
  if (const Json* annotations = data::find_path(pod, {"metadata", "annotations"})) {
    check_annotations(*annotations, grants, found);
  }
  check_security(pod_spec.value("securityContext", Json()), "securityContext", grants, found);
  for (const char* field : k_containers) {
    for_each(pod_spec, field, "", [&](const Json& container, const std::string& where) {
      check_security(container.value("securityContext", Json()), where + ".securityContext", grants,
                     found);
    });
  }
  return found;
}

std::vector<SecretUse> secrets_used(const Json& pod) {
  const Json& pod_spec = spec_of(pod);
  std::vector<SecretUse> uses;
  for_each(pod_spec, "imagePullSecrets", "", [&](const Json& secret, const std::string& where) {
    add_whole_use(uses, secret, "name", where);
  });
  for_each(pod_spec, "volumes", "", [&](const Json& volume, const std::string& where) {
    add_whole_use(uses, volume.value("secret", Json()), "secretName", where + ".secret");
    const Json projected = volume.value("projected", Json());
    for_each(projected, "sources", where + ".projected.", [&](const Json& source, const auto& at) {
      add_whole_use(uses, source.value("secret", Json()), "name", at + ".secret");
    });
  });
  for (const char* field : k_containers) {
    for_each(pod_spec, field, "", [&](const Json& container, const std::string& where) {
      for_each(container, "envFrom", where + ".", [&](const Json& from, const std::string& at) {
        add_whole_use(uses, from.value("secretRef", Json()), "name", at + ".secretRef");
      });
      for_each(container, "env", where + ".", [&](const Json& variable, const std::string& at) {
        const Json* key = data::find_path(variable, {"valueFrom", "secretKeyRef"});
        add_whole_use(uses, key == nullptr ? Json() : *key, "name", at + ".valueFrom.secretKeyRef");
      });
    });
  }
  return uses;
}

}  // namespace kubist::deployers
