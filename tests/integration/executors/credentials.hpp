#pragma once
#include <filesystem>
#include <string>
#include <vector>

/// Users of the test clusters.
namespace it {

/// Files of a client certificate.
struct Certificate {
  std::filesystem::path certificate, key;
};

/// The group of a cluster's administrators.
inline constexpr const char* k_administrators = "system:masters";

/// A certificate of that cluster for a user of a group, once for each; gone with this process.
Certificate issue(const std::string& cluster, const std::string& user, const std::string& group);
/// The administrator's kubeconfig for home, with other credentials.
void write_kubeconfig(const std::filesystem::path& path, const Certificate& of);
/// Arguments that make the administrator run kubist on home.
std::vector<std::string> as_administrator(std::vector<std::string> args);

}  // namespace it
