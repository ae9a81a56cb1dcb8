#include <array>

#include <kubist/deployers/deployer.hpp>

#include "pod_deployer.hpp"

namespace kubist::deployers {
namespace {

struct Row {
  std::string_view type;
  std::string_view early;  ///< as the first design of DeployItems wrote it
  const Deployer& (*deployer)();
};

/// Adding a deployer adds a row.
constexpr std::array k_table{
    Row{"kubist.io/container", "container", container_deployer},
    Row{"kubist.io/script", "script", script_deployer},
};

}  // namespace

const Deployer* find_deployer(std::string_view type, const Settings& settings) {
  for (const Row& row : k_table) {
    if (type == row.type || (type == row.early && !settings.foreign_crd)) {
      return &row.deployer();
    }
  }
  return nullptr;
}

std::vector<std::string> deployer_types() {
  std::vector<std::string> types;
  for (const Row& row : k_table) {
    types.emplace_back(row.type);
  }
  return types;
}

}  // namespace kubist::deployers
