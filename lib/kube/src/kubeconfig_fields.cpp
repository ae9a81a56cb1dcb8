#include "kubeconfig_fields.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

namespace kubist::kube {
namespace {

using data::Json;
using util::ErrorKind;

util::Result<ExecConfig::Interactive> read_interactive(const FieldReader& user,
                                                       const std::string& mode,
                                                       const std::string& api_version) {
  if (mode == "Never") {
    return ExecConfig::Interactive::never;
  }
  if (mode == "Always") {
    return ExecConfig::Interactive::always;
  }
  if (mode == "IfAvailable" || (mode.empty() && api_version.ends_with("/v1beta1"))) {
    return ExecConfig::Interactive::if_available;
  }
  return util::fail(ErrorKind::invalid,
                    util::cat("kubeconfig: ", user.what(), ": exec.interactiveMode is ",
                              mode.empty() ? "missing" : util::cat('"', mode, '"'),
                              "; it must be Never, IfAvailable or Always"));
}

}  // namespace

const Json* FieldReader::find(const char* key) const {
  const auto value = m_entry.value.find(key);
  return value == m_entry.value.end() || value->is_null() ? nullptr : &*value;
}

void FieldReader::fault(const char* key, std::string_view problem) {
  if (!m_fault) {
    util::SourcePos pos;
    pos.origin = m_entry.origin.string();
    m_fault = util::make_error(ErrorKind::invalid, pos,
                               util::cat("kubeconfig: ", m_what, ": ", key, ' ', problem));
  }
}

util::Result<> FieldReader::check() const {
  if (m_fault) {
    return util::fail(*m_fault);
  }
  return {};
}

std::string FieldReader::text(const char* key) {
  const Json* value = find(key);
  if (value == nullptr) {
    return {};
  }
  if (!value->is_string()) {
    fault(key, "must be a string");
    return {};
  }
  return value->get<std::string>();
}

bool FieldReader::flag(const char* key) {
  const Json* value = find(key);
  if (value == nullptr) {
    return false;
  }
  if (!value->is_boolean()) {
    fault(key, "must be true or false");
    return false;
  }
  return value->get<bool>();
}

std::vector<std::string> FieldReader::texts(const char* key) {
  std::vector<std::string> list;
  const Json* value = find(key);
  if (value == nullptr) {
    return list;
  }
  if (!value->is_array()) {
    fault(key, "must be a list of strings");
    return list;
  }
  for (const Json& item : *value) {
    if (item.is_string()) {
      list.push_back(item.get<std::string>());
    } else {
      fault(key, "must be a list of strings");
    }
  }
  return list;
}

std::string FieldReader::bytes(const char* key) {
  const std::string encoded = text(key);
  auto decoded = util::base64_decode(encoded);
  if (!decoded) {
    fault(key, "is not base64");
    return {};
  }
  return std::move(*decoded);
}

std::filesystem::path FieldReader::path(const char* key) {
  std::filesystem::path given = text(key);
  if (given.empty() || given.is_absolute()) {
    return given;
  }
  return (std::filesystem::absolute(m_entry.origin).parent_path() / given).lexically_normal();
}

const Json* FieldReader::child(const char* key) {
  const Json* value = find(key);
  if (value != nullptr && !value->is_object()) {
    fault(key, "must be a map");
    return nullptr;
  }
  return value;
}

util::Result<ExecConfig> read_exec(FieldReader& user, const Json& exec) {
  ExecConfig config;
  config.api_version = data::string_at(exec, {"apiVersion"});
  config.command = data::string_at(exec, {"command"});
  config.install_hint = data::string_at(exec, {"installHint"});
  if (config.command.empty()) {
    return util::fail(ErrorKind::invalid,
                      util::cat("kubeconfig: ", user.what(), ": exec.command is missing"));
  }
  if (config.api_version != "client.authentication.k8s.io/v1" &&
      config.api_version != "client.authentication.k8s.io/v1beta1") {
    return util::fail(
        ErrorKind::invalid,
        util::cat("kubeconfig: ", user.what(), ": exec.apiVersion \"", config.api_version,
                  "\" is not supported"),
        "It must be client.authentication.k8s.io/v1 (or v1beta1): update the plugin.");
  }
  // A command with a slash is a path relative to the kubeconfig; without one it is looked up in
  // PATH.
  const std::filesystem::path command = config.command;
  if (command.is_relative() && config.command.find('/') != std::string::npos) {
    config.command = (std::filesystem::absolute(user.origin()).parent_path() / command)
                         .lexically_normal()
                         .string();
  }
  if (const auto args = exec.find("args"); args != exec.end() && args->is_array()) {
    for (const Json& arg : *args) {
      config.args.push_back(arg.is_string() ? arg.get<std::string>() : arg.dump());
    }
  }
  if (const auto env = exec.find("env"); env != exec.end() && env->is_array()) {
    for (const Json& variable : *env) {
      if (variable.is_object()) {
        config.environment.emplace_back(data::string_at(variable, {"name"}),
                                        data::string_at(variable, {"value"}));
      }
    }
  }
  const auto cluster_info = exec.find("provideClusterInfo");
  config.provide_cluster_info =
      cluster_info != exec.end() && cluster_info->is_boolean() && cluster_info->get<bool>();
  KUBIST_TRY(config.interactive,
             read_interactive(user, std::string(data::string_at(exec, {"interactiveMode"})),
                              config.api_version));
  return config;
}

}  // namespace kubist::kube
