#pragma once
#include <memory>
#include <string>

#include <kubist/cli/context.hpp>
#include <kubist/setup/register.hpp>
#include <kubist/util/result.hpp>

namespace kubist::cli {

/// Home and a target of one command, whose --context names the target's.
struct ClusterEnds {
  std::shared_ptr<kube::Client> home;
  std::string ns;            ///< in effect at home
  std::string home_context;  ///< its name
  kube::ClusterAccess access;
  std::shared_ptr<kube::Client> target;  ///< null without --context
  /// Other credentials for the target; what guards home guards them.
  setup::ConnectTo connect;
};

/// The flag --home-context.
Flag home_context_flag();
/// Reads the kubeconfig, and sends nothing: -n, --kubeconfig and --home-context say where home is,
/// all flags of connections but -n where the target is.
util::Result<ClusterEnds> cluster_ends(Context& context);

}  // namespace kubist::cli
