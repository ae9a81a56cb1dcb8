#include <kubist/data/pointer.hpp>
#include <kubist/deployers/pod.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/util/text.hpp>

#include "pod/pod_parts.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

constexpr std::string_view k_token_dir = "/var/run/secrets/kubernetes.io/serviceaccount";

Json mount(std::string_view name, std::string_view path, bool read_only = true) {
  return {{"name", name}, {"mountPath", path}, {"readOnly", read_only}};
}

/// The volume of an item whose state is in one. The folder in it is the item's own also where the
/// claim is others' too, and free of what file systems keep in their root.
Json state_mount(const Workload& workload, const PodNames& names) {
  Json volume = mount("kubist-state", cat(state::k_out_dir, "/", state::k_state_dir), false);
  volume["subPath"] =
      workload.state_claim->existing.empty() ? std::string(state::k_state_dir) : names.state_secret;
  return volume;
}

/// The agents run as the workload's user, so that each can read and write what the other made; else
/// as root, which needs DAC_OVERRIDE for files of others and nothing more.
Json agent_security(const Workload& workload) {
  const Json& given = workload.security_context;
  const std::int64_t user = data::int_at(given, {"runAsUser"}, 0);
  Json context{{"allowPrivilegeEscalation", false},
               {"readOnlyRootFilesystem", true},
               {"capabilities", {{"drop", Json::array({"ALL"})}}},
               {"seccompProfile", {{"type", "RuntimeDefault"}}},
               {"runAsUser", user}};
  if (user == 0) {
    context["capabilities"]["add"] = Json::array({"DAC_OVERRIDE"});
    return context;
  }
  context["runAsNonRoot"] = true;
  if (const Json* group = data::find_path(given, {"runAsGroup"}); group != nullptr) {
    context["runAsGroup"] = *group;
  }
  return context;
}

Json agent(std::string_view name, const Workload& workload, const Settings& settings) {
  return {
      {"name", name},
      {"image", settings.agent_image},
      {"imagePullPolicy", settings.agent_pull_policy},
      {"terminationMessagePolicy", "FallbackToLogsOnError"},
      {"securityContext", agent_security(workload)},
      {"resources",
       {{"requests", {{"cpu", "10m"}, {"memory", "32Mi"}}}, {"limits", {{"memory", "256Mi"}}}}}};
}

Json restore_container(const Workload& workload, const Settings& settings, const PodNames& names,
                       const std::string& given_sha256, const state::Head& head) {
  Json container = agent(k_restore_container, workload, settings);
  Json args{"agent",
            "restore",
            "--given-sha256",
            given_sha256,
            "--state-generation",
            cat(head.generation)};
  container["volumeMounts"] = {mount("kubist-given", state::k_given_dir),
                               mount("kubist-in", state::k_in_dir, false),
                               mount("kubist-out", state::k_out_dir, false)};
  if (workload.state_claim) {
    container["volumeMounts"].push_back(state_mount(workload, names));
  } else {
    args.insert(args.end(), {"--state-secret", names.state_secret});
    container["volumeMounts"].push_back(mount("kubist-kept", state::k_kept_dir));
  }
  if (workload.script) {
    args.push_back("--tini=/tini");
  }
  container["args"] = std::move(args);
  return container;
}

Json collect_container(const Item& item, const Workload& workload, const Job& job,
                       const PodNames& names, const Settings& settings) {
  Json container = agent(k_collect_container, workload, settings);
  container["restartPolicy"] = "Always";
  Json args{"agent",           "collect",    "--job",           job.id,
            "--pod-namespace", job.place.ns, "--export-secret", names.export_secret};
  if (!workload.state_claim) {
    args.insert(args.end(),
                {"--state-secret", names.state_secret, "--state-limit", cat(workload.state_limit)});
  }
  container["volumeMounts"] = {mount("kubist-out", state::k_out_dir),
                               mount("kubist-token", k_token_dir)};
  if (!item.export_schema.is_null()) {
    args.push_back(cat("--schema=/data/kubist/schema/", state::k_schema_key));
    container["volumeMounts"].push_back(mount("kubist-schema", "/data/kubist/schema"));
  }
  container["args"] = std::move(args);
  return container;
}

Json variables(const Workload& workload, const Job& job) {
  const std::string in = cat(state::k_in_dir, "/");
  const std::string out = cat(state::k_out_dir, "/");
  Json env = workload.env.is_array() ? workload.env : Json::array();
  const auto add = [&env](std::string_view name, std::string value) {
    env.push_back({{"name", name}, {"value", std::move(value)}});
  };
  add("EXPORT_PATH", cat(out, state::k_exports_file));
  add("STATE", cat(out, state::k_state_dir));
  add("IMPORTS_PATH", cat(in, state::k_imports_file));
  add("EXPORTS_PATH", cat(out, state::k_exports_file));
  add("STATE_PATH", cat(out, state::k_state_dir));
  add("CONTENT_PATH", cat(in, state::k_content_dir));
  add("TARGET_PATH", cat(in, state::k_target_file));
  add("OPERATION", job.remove ? "DELETE" : "RECONCILE");
  return env;
}

void put(Json& object, const char* field, const Json& value) {
  if (!value.is_null() && !(value.is_string() && value.get_ref<const std::string&>().empty())) {
    object[field] = value;
  }
}

/// What the Pod Security profile "restricted" asks for, where the workload says who it is and
/// nothing else.
Json workload_security(const Workload& workload) {
  Json security = workload.security_context;
  security.erase("fsGroup");  // a field of pods
  if (data::int_at(security, {"runAsUser"}, 0) == 0) {
    return security;
  }
  const Json restricted{{"allowPrivilegeEscalation", false},
                        {"capabilities", {{"drop", Json::array({"ALL"})}}},
                        {"seccompProfile", {{"type", "RuntimeDefault"}}},
                        {"runAsNonRoot", true}};
  for (const auto& [field, value] : restricted.items()) {
    if (!security.contains(field)) {
      security[field] = value;
    }
  }
  return security;
}

Json workload_container(const Workload& workload, const Job& job, const PodNames& names) {
  // Its log stays out of the pod's status (terminationMessagePolicy: File): it may hold imports.
  Json container{
      {"name", k_workload_container}, {"image", workload.image}, {"env", variables(workload, job)}};
  Json mounts = workload.volume_mounts.is_array() ? workload.volume_mounts : Json::array();
  mounts.push_back(mount("kubist-in", state::k_in_dir));
  mounts.push_back(mount("kubist-out", state::k_out_dir, false));
  if (workload.state_claim) {
    mounts.push_back(state_mount(workload, names));
  }
  if (!workload.service_account.empty()) {
    mounts.push_back(mount("kubist-account", k_token_dir));
  }
  container["volumeMounts"] = std::move(mounts);
  put(container, "imagePullPolicy", workload.image_pull_policy);
  put(container, "workingDir", workload.working_dir);
  put(container, "envFrom", workload.env_from);
  put(container, "resources", workload.resources);
  if (!workload.command.empty()) {
    container["command"] = workload.command;
  }
  if (!workload.args.empty()) {
    container["args"] = workload.args;
  }
  if (workload.security_context.is_object()) {
    container["securityContext"] = workload_security(workload);
  }
  return container;
}

Json authority() {
  const Json ca{{"key", "ca.crt"}, {"path", "ca.crt"}};
  return {{"configMap", {{"name", "kube-root-ca.crt"}, {"items", Json::array({ca})}}}};
}

/// The token is only for the sidecar: the pod mounts none, and this volume is in no other
/// container.
Json token_volume() {
  const Json token{{"serviceAccountToken", {{"path", "token"}, {"expirationSeconds", 3600}}}};
  const Json field{{"path", "namespace"}, {"fieldRef", {{"fieldPath", "metadata.namespace"}}}};
  const Json ns{{"downwardAPI", {{"items", Json::array({field})}}}};
  return {{"name", "kubist-token"},
          {"projected", {{"sources", Json::array({token, authority(), ns})}}}};
}

/// The head Secret, and each chunk in a folder of its own. A chunk that is missing must not keep
/// the kubelet from starting restore, which knows what to say.
Json kept_volume(const PodNames& names, const state::Head& head) {
  if (head.chunks == 0) {
    return {{"name", "kubist-kept"}, {"secret", {{"secretName", names.state_secret}}}};
  }
  const Json whole{{"name", names.state_secret}};
  Json sources = Json::array({{{"secret", whole}}});
  for (int n = 0; n < head.chunks; ++n) {
    Json items = Json::array();
    for (const std::string_view key : {state::k_state_key, state::k_part_key}) {
      items.push_back({{"key", key}, {"path", cat(head.set, n, "/", key)}});
    }
    const Json chunk{{"name", state::chunk_name(names.state_secret, head.set, n)},
                     {"optional", true},
                     {"items", std::move(items)}};
    sources.push_back({{"secret", chunk}});
  }
  return {{"name", "kubist-kept"}, {"projected", {{"sources", std::move(sources)}}}};
}

Json volumes(const Item& item, const Workload& workload, const PodNames& names,
             const state::Head& head) {
  Json all = workload.volumes.is_array() ? workload.volumes : Json::array();
  const std::string& input = names.input_secret;
  all.push_back({{"name", "kubist-given"}, {"secret", {{"secretName", input}}}});
  if (workload.state_claim) {
    const std::string& existing = workload.state_claim->existing;
    all.push_back({{"name", "kubist-state"},
                   {"persistentVolumeClaim",
                    {{"claimName", existing.empty() ? names.state_claim : existing}}}});
  } else {
    all.push_back(kept_volume(names, head));
  }
  if (!workload.service_account.empty()) {
    const Json token{{"secret", {{"name", names.token_secret}}}};
    all.push_back({{"name", "kubist-account"},
                   {"projected", {{"sources", Json::array({token, authority()})}}}});
  }
  // Imports stay in memory, as in a mounted Secret.
  all.push_back({{"name", "kubist-in"}, {"emptyDir", {{"medium", "Memory"}}}});
  all.push_back({{"name", "kubist-out"}, {"emptyDir", Json::object()}});
  all.push_back(token_volume());
  if (!item.export_schema.is_null()) {
    const Json schema{{"key", state::k_schema_key}, {"path", state::k_schema_key}};
    all.push_back({{"name", "kubist-schema"},
                   {"secret", {{"secretName", input}, {"items", Json::array({schema})}}}});
  }
  return all;
}

/// A pod whose node is lost stays, whatever the taint manager thinks: it may still run, and nobody
/// starts another one. Its deadline ends the waiting.
Json tolerations(const Workload& workload) {
  Json all = workload.tolerations.is_array() ? workload.tolerations : Json::array();
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    all.push_back({{"key", key}, {"operator", "Exists"}, {"effect", "NoExecute"}});
  }
  return all;
}

}  // namespace

Json build_pod(const Item& item, const Workload& workload, const Job& job, const PodNames& names,
               const Settings& settings, const std::string& given_sha256, const state::Head& head) {
  Json metadata = place_metadata(item, job, names.pod);
  metadata["annotations"][std::string(state::k_job_annotation)] = job.id;
  if (!workload.mesh) {
    // Istio reads the first from labels and, in old versions, annotations; ambient reads labels.
    for (const char* where : {"labels", "annotations"}) {
      metadata[where]["sidecar.istio.io/inject"] = "false";
      metadata[where]["istio.io/dataplane-mode"] = "none";
    }
  }
  Json spec{{"restartPolicy", "Never"},
            {"serviceAccountName", names.agent},
            {"automountServiceAccountToken", false},
            {"enableServiceLinks", false},
            {"terminationGracePeriodSeconds", settings.termination_grace.count()},
            {"initContainers",
             Json::array({restore_container(workload, settings, names, given_sha256, head),
                          collect_container(item, workload, job, names, settings)})},
            {"containers", Json::array({workload_container(workload, job, names)})},
            {"volumes", volumes(item, workload, names, head)}};
  if (job.remaining) {
    // For when no kubist is there: one that is ends the pod itself, and sees to its state.
    constexpr std::int64_t k_margin = 3;
    spec["activeDeadlineSeconds"] = std::max<std::int64_t>(1, job.remaining->count() + k_margin);
  }
  put(spec, "imagePullSecrets", workload.image_pull_secrets);
  put(spec, "nodeSelector", workload.node_selector);
  spec["tolerations"] = tolerations(workload);
  if (const Json* group = data::find_path(workload.security_context, {"fsGroup"});
      group != nullptr) {
    spec["securityContext"] = {{"fsGroup", *group}};
  }
  return {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", metadata}, {"spec", spec}};
}

}  // namespace kubist::deployers
