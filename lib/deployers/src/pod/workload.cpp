#include <array>
#include <filesystem>

#include <kubist/data/pointer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/deployers/workload.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/util/quantity.hpp>
#include <kubist/util/text.hpp>

#include "item/config_check.hpp"

namespace kubist::deployers {
namespace {

using util::cat;
using util::ErrorKind;

// Of the Execution's item, but not of a DeployItem's config.
constexpr std::array k_not_config{
    "name",     "type",    "dependsOn", "timeout",      "engine",
    "template", "imports", "exports",   "exportSchema", "updateOnChangeOnly"};
constexpr std::array k_host_fields{"hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace",
                                   "hostUsers"};
constexpr std::string_view k_own_volumes = "kubist-";
constexpr std::array k_own_variables{"IMPORTS_PATH", "EXPORTS_PATH", "EXPORT_PATH", "STATE_PATH",
                                     "STATE",        "CONTENT_PATH", "TARGET_PATH", "OPERATION"};

/// The schema of a config is that of an Execution's item without what an Execution needs besides.
util::Result<data::Schema> make_schema(bool script) {
  const Json* execution = resources::schema(resources::k_kubist_group, "Execution");
  const Json* item = execution == nullptr
                         ? nullptr
                         : data::find(*execution, "/properties/spec/properties/items/items");
  if (item == nullptr) {
    return util::fail(ErrorKind::internal, "the Execution's schema has no items");
  }
  Json schema = *item;
  schema.erase("required");
  schema.erase("x-kubernetes-validations");
  Json& fields = schema["properties"];
  for (const char* name : k_not_config) {
    fields.erase(name);
  }
  if (script) {
    fields.erase("command");
    fields.erase("onDelete");
  } else {
    fields.erase("script");
    fields.erase("deleteScript");
    fields.erase("interpreter");
  }
  return data::Schema::compile(schema);
}

util::Result<> check_schema(const Json& config, bool script) {
  static const auto container_schema = make_schema(false);
  static const auto script_schema = make_schema(true);
  const auto& schema = script ? script_schema : container_schema;
  if (!schema) {
    return util::fail(schema.error());
  }
  auto errors = schema->validate(config);
  if (errors.empty()) {
    return {};
  }
  return util::fail(util::with_reason(data::combine_errors(std::move(errors), "spec.config"),
                                      "InvalidConfiguration"));
}

/// Things with a clearer answer than "unknown field".
util::Result<> check_host_access(const Json& config) {
  for (const char* field : k_host_fields) {
    if (config.contains(field)) {
      return refuse(
          cat("config.", field, " is not allowed: items get none of the host's namespaces"));
    }
  }
  for (const Json& volume : data::array_at(config, {"volumes"})) {
    const auto name = data::string_at(volume, {"name"});
    for (const char* kind : {"hostPath", "projected", "csi", "ephemeral", "nfs", "downwardAPI"}) {
      if (volume.contains(kind)) {
        return refuse(cat("config.volumes: ", name, ": ", kind, " is not allowed"),
                      "Items may have volumes of emptyDir, secret, configMap and "
                      "persistentVolumeClaim.");
      }
    }
    if (name.starts_with(k_own_volumes)) {
      return refuse(cat("config.volumes: the name ", name, " is kubist's own"));
    }
  }
  return {};
}

/// As the kubelet takes it: from the root, without "//", "." and "..".
std::string normal_path(std::string_view path) {
  return std::filesystem::path(cat("/", path)).lexically_normal().string();
}

util::Result<> check_deletion(const Json& config, bool script) {
  if (script && config.contains("onDelete")) {
    return refuse("config.onDelete is for containers",
                  "At its deletion a script runs nothing but its deleteScript.");
  }
  if (!script && config.contains("deleteScript")) {
    return refuse(
        "config.deleteScript is for scripts",
        "At its deletion a container runs with OPERATION=DELETE, or not (onDelete: Skip).");
  }
  return {};
}

util::Result<> check_own_names(const Json& config) {
  for (const Json& variable : data::array_at(config, {"env"})) {
    const auto name = data::string_at(variable, {"name"});
    if (std::ranges::find(k_own_variables, name) != k_own_variables.end()) {
      return refuse(cat("config.env: ", name, " is set by kubist"));
    }
  }
  for (const Json& mount : data::array_at(config, {"volumeMounts"})) {
    const auto name = data::string_at(mount, {"name"});
    if (name.starts_with(k_own_volumes)) {
      return refuse(cat("config.volumeMounts: the volume ", name, " is kubist's own"));
    }
    const std::string path = normal_path(data::string_at(mount, {"mountPath"}));
    if (path == state::k_data_dir || path.starts_with(cat(state::k_data_dir, "/"))) {
      return refuse(cat("config.volumeMounts: ", path, " is kubist's own"));
    }
  }
  return {};
}

Json part(const Json& config, const char* field) {
  const auto found = config.find(field);
  return found == config.end() ? Json() : *found;
}

util::Result<std::size_t> state_limit(const Json& config) {
  const Json* limit = data::find_path(config, {"state", "limit"});
  if (limit == nullptr) {
    return state::k_max_head_state;
  }
  const auto value =
      util::quantity_value(limit->is_string() ? limit->get<std::string>() : limit->dump());
  if (!value || *value < 1) {
    return refuse("config.state.limit is no size such as 512Ki");
  }
  if (*value > static_cast<double>(state::k_max_state)) {
    return refuse("config.state.limit is more than 64Mi, the most that fits into Secrets",
                  "Keep larger state in a volume: config.state.backend: PersistentVolumeClaim.");
  }
  return static_cast<std::size_t>(*value);
}

/// What a shell would answer with riddles ("not found", and the name looks right).
util::Result<> check_script(const Json& config, const char* field) {
  const auto& script = config[field].get_ref<const std::string&>();
  const auto line_of = [&](std::size_t at) {
    return 1 + std::count(script.begin(), script.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  };
  if (const std::size_t at = script.find('\0'); at != std::string::npos) {
    return refuse(cat("config.", field, " has a NUL byte in line ", line_of(at)));
  }
  const std::size_t at = script.find("\r\n");
  const bool read_by_shell = !config.contains("interpreter");  // also "#!", which the kernel reads
  if (at != std::string::npos && read_by_shell) {
    return refuse(
        cat("config.", field, " has Windows line ends (CRLF), first in line ", line_of(at)),
        "Save it with LF, or name an interpreter that takes them.");
  }
  return {};
}

util::Result<std::optional<StateClaim>> state_claim(const Json& config) {
  const Json state = config.value("state", Json::object());
  const bool volume = state.value("backend", "Secret") == "PersistentVolumeClaim";
  for (const char* field : {"claim", "claimName"}) {
    if (state.contains(field) && !volume) {
      return refuse(cat("config.state.", field, " needs backend: PersistentVolumeClaim"));
    }
  }
  if (!volume) {
    return std::nullopt;
  }
  if (state.contains("limit")) {
    return refuse("config.state.limit is for state in Secrets; a claim has a size");
  }
  if (state.contains("claim") && state.contains("claimName")) {
    return refuse("config.state has claim and claimName, give only one");
  }
  StateClaim claim;
  claim.existing = state.value("claimName", "");
  const Json wanted = state.value("claim", Json::object());
  if (const auto size = wanted.find("size"); size != wanted.end()) {
    claim.size = size->is_string() ? size->get<std::string>() : size->dump();
    if (!util::quantity_value(claim.size)) {
      return refuse("config.state.claim.size is no size such as 10Gi");
    }
  }
  if (wanted.contains("storageClassName")) {
    claim.storage_class = wanted["storageClassName"].get<std::string>();
  }
  if (wanted.contains("accessModes")) {
    claim.access_modes = wanted["accessModes"].get<std::vector<std::string>>();
  }
  return claim;
}

/// The call of a script: under an init process that passes signals on to the script's group.
std::vector<std::string> script_call(const Json& config, const std::string& script) {
  const std::string in = cat(state::k_in_dir, "/");
  std::vector<std::string> call{cat(in, state::k_tini_file), "-g", "--"};
  std::vector<std::string> interpreter = data::strings_at(config, {"interpreter"});
  if (interpreter.empty() && !script.starts_with("#!")) {
    interpreter = {"/bin/sh", "-e"};
  }
  call.insert(call.end(), interpreter.begin(), interpreter.end());
  call.push_back(cat(in, state::k_script_file));
  return call;
}

void add_key_use(std::vector<SecretUse>& uses, const Json& reference, const char* name_key,
                 std::string field) {
  const auto name = data::string_at(reference, {name_key});
  if (!name.empty()) {
    uses.push_back({std::string(name), std::string(data::string_at(reference, {"key"})),
                    data::bool_at(reference, {"optional"}), std::move(field)});
  }
}

}  // namespace

util::Result<Workload> parse_workload(const Item& item, bool script, const Settings& settings,
                                      bool remove) {
  const Json& config = item.config;
  KUBIST_CHECK(check_host_access(config));
  KUBIST_CHECK(check_deletion(config, script));
  KUBIST_CHECK(check_schema(config, script));
  KUBIST_CHECK(check_own_names(config));
  Workload workload;
  workload.image = config.value("image", script ? settings.script_image : "");
  if (workload.image.empty()) {
    return refuse("config.image is missing");
  }
  if (script && config.value("script", "").empty()) {
    return refuse("config.script is missing");
  }
  for (const char* field : {"script", "deleteScript"}) {
    if (config.contains(field)) {
      KUBIST_CHECK(check_script(config, field));
    }
  }
  KUBIST_TRY(workload.state_limit, state_limit(config));
  KUBIST_TRY(workload.state_claim, state_claim(config));
  workload.service_account = config.value("serviceAccountName", "");
  workload.image_pull_policy = config.value("imagePullPolicy", "");
  workload.working_dir = config.value("workingDir", "");
  workload.mesh = config.value("mesh", false);
  workload.args = data::strings_at(config, {"args"});
  workload.command = data::strings_at(config, {"command"});
  if (script) {
    const bool own = remove && config.contains("deleteScript");
    workload.script = config[own ? "deleteScript" : "script"].get<std::string>();
    workload.command = script_call(config, *workload.script);
  }
  workload.env = part(config, "env");
  workload.env_from = part(config, "envFrom");
  workload.resources = part(config, "resources");
  workload.volumes = part(config, "volumes");
  workload.volume_mounts = part(config, "volumeMounts");
  workload.security_context = part(config, "securityContext");
  workload.image_pull_secrets = part(config, "imagePullSecrets");
  workload.node_selector = part(config, "nodeSelector");
  workload.tolerations = part(config, "tolerations");
  return workload;
}

std::vector<SecretUse> secrets_used(const Workload& workload) {
  std::vector<SecretUse> uses;
  for (std::size_t i = 0; i < workload.volumes.size(); ++i) {
    if (const Json* secret = data::find_path(workload.volumes[i], {"secret"}); secret != nullptr) {
      add_key_use(uses, *secret, "secretName", cat("volumes[", i, "].secret"));
    }
  }
  for (std::size_t i = 0; i < workload.env_from.size(); ++i) {
    if (const Json* secret = data::find_path(workload.env_from[i], {"secretRef"});
        secret != nullptr) {
      add_key_use(uses, *secret, "name", cat("envFrom[", i, "].secretRef"));
    }
  }
  for (std::size_t i = 0; i < workload.env.size(); ++i) {
    if (const Json* key = data::find_path(workload.env[i], {"valueFrom", "secretKeyRef"});
        key != nullptr) {
      add_key_use(uses, *key, "name", cat("env[", i, "].valueFrom.secretKeyRef"));
    }
  }
  for (std::size_t i = 0; i < workload.image_pull_secrets.size(); ++i) {
    const std::string name(data::string_at(workload.image_pull_secrets[i], {"name"}));
    uses.push_back({name, {}, true, cat("imagePullSecrets[", i, "]")});  // nodes do without, too
  }
  return uses;
}

Workload without_secrets(Workload workload, const std::set<std::string>& absent) {
  const auto names = [&](const Json* reference, const char* name_key) {
    return reference != nullptr &&
           absent.contains(std::string(data::string_at(*reference, {name_key})));
  };
  if (workload.volumes.is_array()) {
    for (Json& volume : workload.volumes) {
      if (names(data::find_path(volume, {"secret"}), "secretName")) {
        volume.erase("secret");
        volume["emptyDir"] = Json::object();
      }
    }
  }
  const auto leave_out = [&](Json& list, std::initializer_list<std::string_view> path) {
    for (std::size_t i = list.is_array() ? list.size() : 0; i-- > 0;) {
      if (names(data::find_path(list[i], path), "name")) {
        list.erase(i);
      }
    }
  };
  leave_out(workload.env_from, {"secretRef"});
  leave_out(workload.env, {"valueFrom", "secretKeyRef"});
  return workload;
}

}  // namespace kubist::deployers
