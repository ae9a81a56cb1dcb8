#include "output/env_lines.hpp"

#include <algorithm>

#include <kubist/data/json_text.hpp>
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
    "rustc_*",
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

}  // namespace

std::string plain_value(const Json& value) {
  return value.is_string() ? value.get<std::string>() : data::to_json(value);
}

util::Result<std::string> env_lines(const Json& values, std::string_view prefix) {
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
    lines += cat(name, "='", util::replace_all(plain_value(value), "'", "'\\''"), "'\n");
  }
  return lines;
}

}  // namespace kubist::cli
