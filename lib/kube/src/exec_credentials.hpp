#pragma once
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include <kubist/kube/credentials.hpp>

namespace kubist::kube {

/// What a plugin answered.
struct ExecAnswer {
  util::Secret token;
  std::string client_cert_pem;
  util::Secret client_key_pem;
  std::optional<std::chrono::system_clock::time_point> expires;  ///< none: for the process's life
};

/// The JSON text for KUBERNETES_EXEC_INFO; pure.
std::string exec_info(const ExecConfig& config, bool interactive);
/// Reads an ExecCredential from the plugin's stdout; pure. Its text never appears in errors.
util::Result<ExecAnswer> parse_exec_answer(const ExecConfig& config, const std::string& text);
/// Runs the plugin. forbidden: it is missing, failed, or said nonsense.
util::Result<std::string> run_exec_plugin(const ExecConfig& config, bool may_prompt,
                                          std::stop_token stop);
/// The name under which answers of this plugin are kept: the environment is part of it.
std::string exec_cache_key(const ExecConfig& config);

}  // namespace kubist::kube
