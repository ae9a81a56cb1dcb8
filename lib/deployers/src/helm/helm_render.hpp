#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <kubist/deployers/deployer.hpp>

#include "helm/helm_config.hpp"

namespace kubist::deployers {

/// A chart as objects.
struct RenderedChart {
  std::vector<resources::Manifest> objects;
  std::vector<std::string>
      hooks;  ///< left out: "Job ns/migrate (pre-install)"; tests are not named
};

/// Runs `helm template` for the job's target (its version and kinds), in a folder and with an
/// environment of its own. Not_found, reason HelmNotFound: there is no helm. Invalid, reason
/// RenderFailed: helm's own words.
util::Result<RenderedChart> render_chart(World& world, const Job& job, const HelmConfig& config,
                                         bool upgrade);

/// The values that the chart's templates see: its own (`helm show values`) and those given over
/// them. Fails as render_chart().
util::Result<Json> chart_values(World& world, const Job& job, const HelmConfig& config);

/// The objects in the output of `helm template`, apart from hooks. Pure.
util::Result<RenderedChart> read_rendered(const std::string& text);

/// How helm knows a repository that wants a login.
inline constexpr std::string_view k_login_repo = "kubist";
/// Writes the login where helm looks for it, so that it is on no command line: as repository
/// k_login_repo, or for the host of an OCI registry.
util::Result<> write_login(const std::filesystem::path& config_home, const ChartSource& chart,
                           const ChartLogin& login);

/// The helm program: $KUBIST_HELM, else the first in PATH.
util::Result<std::filesystem::path> find_helm();

/// A hash over the files of a local chart, so that its editing is new work; k_missing_chart where
/// there is no chart.
inline constexpr std::string_view k_missing_chart = "missing";
std::string local_chart_hash(const std::filesystem::path& path);

}  // namespace kubist::deployers
