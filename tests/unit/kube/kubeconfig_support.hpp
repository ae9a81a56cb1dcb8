#pragma once
#include <map>
#include <string>

#include <doctest/doctest.h>

#include <kubist/kube/kubeconfig.hpp>

namespace kubeconfig_test {

using namespace kubist;
using namespace kubist::kube;
using data::Json;

/// Files and variables that exist only in the test.
struct FakeEnvironment {
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> variables;
  std::string home = "/home/me";
  Environment get() const {
    return {[this](const char* name) {
              const auto found = variables.find(name);
              return found == variables.end() ? std::string() : found->second;
            },
            [this](const std::filesystem::path& path) -> util::Result<std::string> {
              const auto found = files.find(path.string());
              if (found == files.end()) {
                return util::fail(util::ErrorKind::not_found, path.string() + ": no such file");
              }
              return found->second;
            },
            home};
  }
};

inline constexpr const char* k_config = R"(apiVersion: v1
kind: Config
current-context: one
clusters:
- name: c1
  cluster: {server: "https://one:6443/", certificate-authority-data: Q0E=, tls-server-name: api, proxy-url: "http://p:1"}
- name: c2
  cluster: {server: two, certificate-authority: pki/ca.crt, disable-compression: true}
users:
- name: u1
  user: {token: t1}
- name: u2
  user: {client-certificate: me.crt, client-key: /abs/me.key, tokenFile: token, as: boss, as-groups: [g1, g2], as-user-extra: {reason: [a]}}
contexts:
- name: one
  context: {cluster: c1, user: u1, namespace: team}
- name: two
  context: {cluster: c2, user: u2}
)";

}  // namespace kubeconfig_test
