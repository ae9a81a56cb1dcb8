#include "output/env_lines.hpp"

#include <algorithm>

#include <kubist/data/json_text.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;

/// In lower case: zsh ties `path` to PATH.
constexpr auto k_refused = std::to_array<std::string_view>({
    // Shells.
    "path",
    "fpath",
    "cdpath",
    "manpath",
    "module_path",
    "ifs",
    "env",
    "shell",
    "shellopts",
    "bashopts",
    "bash_*",
    "zdotdir",
    "ps0",
    "ps1",
    "ps2",
    "ps3",
    "ps4",
    "prompt*",
    "rprompt*",
    "rps1",
    "rps2",
    "home",
    "histfile",
    // The linker and libc.
    "ld_*",
    "dyld_*",
    "glibc_tunables",
    "malloc_*",
    "gconv_path",
    "locpath",
    "nlspath",
    // Programs that others start.
    "editor",
    "visual",
    "pager",
    "manpager",
    "browser",
    "lessopen",
    "lessclose",
    "git_*",
    "ssh_*",
    "sudo_*",
    "kubeconfig",
    "kube_editor",
    "kubist_*",
    "helm_*",
    "docker_*",
    "xdg_*",
    "gnupghome",
    // Where programs connect to, and whom they trust there.
    "*_proxy",
    "ssl_cert_*",
    "*_ca_bundle",
    "node_extra_ca_certs",
    "curl_*",
    "aws_endpoint_url*",
    "aws_config_file",
    "aws_shared_credentials_file",
    "makeflags",
    "makefiles",
    "openssl_*",
    "vault_addr",
    // What pipelines go by.
    "github_*",
    "runner_*",
    "actions_*",
    "ci_*",
    "tf_*",
    "ansible_*",
    "cloudsdk_*",
    // Languages.
    "*_options",
    "*_opts",
    "python*",
    "perl5*",
    "perllib",
    "rubyopt",
    "rubylib",
    "gem_*",
    "bundle_*",
    "node_path",
    "npm_config_*",
    "lua_*",
    "phprc",
    "php_ini_scan_dir",
    "goflags",
    "goproxy",
    "gosumdb",
    "gonosumdb",
    "goprivate",
    "goroot",
    "gopath",
    "cargo_*",
    "rustc*",
    "rustflags",
    "rustdoc*",
    "gocacheprog",
    "goauth",
    "goenv",
    "gotoolchain",
    "cc",
    "cxx",
    "pip_*",
    "uv_*",
    "maven_*",
    "classpath",
    "dotnet_*",
    "coreclr_*",
    "erl_*",
});

bool is_refused(std::string_view name) {
  const std::string lower = util::lower(name);
  return std::any_of(k_refused.begin(), k_refused.end(),
                     [&](std::string_view pattern) { return util::glob_match(pattern, lower); });
}

std::string variable_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (name.empty() && util::is_digit(c)) {
      name += '_';
    }
    name += letter || util::is_digit(c) ? c : '_';
  }
  return name;
}

bool fits_dotenv(std::string_view value) {
  return value.find_first_of("\r\n") == std::string_view::npos && util::trim(value) == value;
}

std::string line_of(EnvForm form, const std::string& name, const std::string& value) {
  if (form == EnvForm::env) {
    return cat(name, "='", util::replace_all(value, "'", "'\\''"), "'\n");
  }
  if (form == EnvForm::dotenv) {
    return cat(name, '=', value, '\n');
  }
  // No value has its own digest in it, so none can end early and set another variable.
  const std::string end = cat("kubist_", util::sha256_hex(value));
  return cat(name, "<<", end, '\n', value, '\n', end, '\n');
}

}  // namespace

std::string plain_value(const Json& value) {
  return value.is_string() ? value.get<std::string>() : data::to_json(value);
}

util::Result<std::string> env_lines(const Json& values, std::string_view prefix, EnvForm form) {
  std::string lines;
  for (const auto& [key, value] : values.items()) {
    const std::string name = variable_name(cat(prefix, key));
    if (name.empty() || is_refused(name)) {
      return util::fail(util::ErrorKind::invalid,
                        cat("export \"", util::printable(key), "\" cannot be the variable ", name,
                            name.empty() ? "" : ", ",
                            name.empty() ? "" : "by which programs choose what they run"),
                        "Give --prefix TEXT, name the keys that are wanted, or use --files.");
    }
    const std::string text = plain_value(value);
    if (form == EnvForm::dotenv && !fits_dotenv(text)) {
      return util::fail(util::ErrorKind::invalid,
                        cat("export \"", util::printable(key),
                            "\" does not fit in a line of a dotenv file: it has line breaks, or "
                            "white space at its ends"),
                        "Name the keys that are wanted, or use --files.");
    }
    lines += line_of(form, name, text);
  }
  return lines;
}

}  // namespace kubist::cli
