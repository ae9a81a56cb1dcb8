#include "exec_credentials.hpp"

#include <map>

#include <unistd.h>

#include <kubist/data/pointer.hpp>
#include <kubist/http/headers.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/key_pair.hpp>
#include <kubist/util/process.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

// client.authentication.k8s.io/v1 and v1beta1, KEP sig-auth/541.
namespace kubist::kube {
namespace {

using data::Json;
using util::ErrorKind;

constexpr std::size_t k_max_answer = std::size_t{1} << 20U;

tl::unexpected<util::Error> plugin_error(const ExecConfig& config, std::string_view why) {
  return util::fail(ErrorKind::forbidden,
                    util::cat("credential plugin ", config.command, ": ", why),
                    config.install_hint);
}

util::Result<bool> interactive_mode(const ExecConfig& config, bool may_prompt) {
  const bool terminal = may_prompt && isatty(STDIN_FILENO) == 1;
  switch (config.interactive) {
    case ExecConfig::Interactive::never:
      return false;
    case ExecConfig::Interactive::if_available:
      return terminal;
    case ExecConfig::Interactive::always:
      break;
  }
  if (!terminal) {
    return plugin_error(config, "it needs a terminal (interactiveMode: Always), and there is none");
  }
  return true;
}

/// What a plugin sees of the environment, without what a terminal or shell changes by itself:
/// profiles, accounts and sockets of agents say who somebody is.
std::map<std::string, std::string> plugin_environment(const ExecConfig& config) {
  constexpr auto k_noise = std::to_array<std::string_view>({"_",
                                                            "COLORTERM",
                                                            "COLUMNS",
                                                            "GPG_TTY",
                                                            "KUBERNETES_EXEC_INFO",
                                                            "LINES",
                                                            "LS_COLORS",
                                                            "OLDPWD",
                                                            "PWD",
                                                            "SHLVL",
                                                            "SSH_CLIENT",
                                                            "SSH_CONNECTION",
                                                            "SSH_TTY",
                                                            "STY",
                                                            "TERM",
                                                            "TERM_PROGRAM",
                                                            "TERM_PROGRAM_VERSION",
                                                            "TERM_SESSION_ID",
                                                            "TMUX_PANE",
                                                            "VTE_VERSION",
                                                            "WINDOWID"});
  std::map<std::string, std::string> seen = util::all_environment();
  for (const std::string_view name : k_noise) {
    seen.erase(std::string(name));
  }
  for (const auto& [name, value] : config.environment) {
    seen[name] = value;
  }
  return seen;
}

}  // namespace

std::string exec_info(const ExecConfig& config, bool interactive) {
  Json info = {{"kind", "ExecCredential"},
               {"apiVersion", config.api_version},
               {"spec", {{"interactive", interactive}}}};
  if (config.provide_cluster_info && !config.cluster_info.is_null()) {
    info["spec"]["cluster"] = config.cluster_info;
  }
  return info.dump();
}

util::Result<ExecAnswer> parse_exec_answer(const ExecConfig& config, const std::string& text) {
  const Json value = Json::parse(text, nullptr, false);
  if (!value.is_object() || data::string_at(value, {"kind"}) != "ExecCredential") {
    return plugin_error(config, "its output is no ExecCredential");
  }
  if (data::string_at(value, {"apiVersion"}) != config.api_version) {
    return plugin_error(
        config, util::cat("it answers with apiVersion ", data::string_at(value, {"apiVersion"}),
                          ", the kubeconfig wants ", config.api_version));
  }
  const auto status = value.find("status");
  if (status == value.end() || !status->is_object()) {
    return plugin_error(config, "its answer has no status");
  }
  ExecAnswer answer;
  answer.token = util::Secret(std::string(data::string_at(*status, {"token"})));
  answer.client_cert_pem = data::string_at(*status, {"clientCertificateData"});
  answer.client_key_pem = util::Secret(std::string(data::string_at(*status, {"clientKeyData"})));
  if (answer.client_cert_pem.empty() != answer.client_key_pem.empty()) {
    return plugin_error(config, "its answer has only one of client certificate and key");
  }
  if (!http::is_header_value(answer.token.reveal())) {
    return plugin_error(config, "its token has a character that no HTTP header may have");
  }
  if (!answer.client_cert_pem.empty()) {
    const auto pair = util::check_key_pair(answer.client_cert_pem, answer.client_key_pem.reveal());
    if (!pair) {
      return plugin_error(
          config, util::cat("clientCertificateData and clientKeyData: ", pair.error().message));
    }
  }
  if (answer.token.empty() && answer.client_cert_pem.empty()) {
    return plugin_error(config, "its answer has neither a token nor a client certificate");
  }
  if (const std::string expires(data::string_at(*status, {"expirationTimestamp"}));
      !expires.empty()) {
    const auto time = util::parse_time(expires);
    if (!time) {
      return plugin_error(config, "its expirationTimestamp is no RFC 3339 time");
    }
    answer.expires = *time;
  }
  return answer;
}

util::Result<std::string> run_exec_plugin(const ExecConfig& config, bool may_prompt,
                                          std::stop_token stop) {
  KUBIST_TRY(const bool interactive, interactive_mode(config, may_prompt));
  util::Command command;
  command.args.push_back(config.command);
  command.args.insert(command.args.end(), config.args.begin(), config.args.end());
  for (const auto& [name, value] : config.environment) {
    command.extra_environment[name] = value;
  }
  command.extra_environment["KUBERNETES_EXEC_INFO"] = exec_info(config, interactive);
  command.inherit_stdin = interactive;
  command.inherit_stderr = true;
  command.max_output = k_max_answer;
  auto result = util::run_command(command, std::move(stop));
  if (!result) {
    if (result.error().kind == ErrorKind::not_found) {
      return plugin_error(config, "the program is not found");
    }
    return util::fail(std::move(result).error());
  }
  if (result->exit_code != 0) {
    return plugin_error(config, util::cat("it failed with exit code ", result->exit_code));
  }
  return std::move(result->out);
}

std::string exec_cache_key(const ExecConfig& config) {
  const Json key = {config.api_version, config.command, config.args, plugin_environment(config),
                    config.cluster_info};
  return util::sha256_hex(key.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace kubist::kube
