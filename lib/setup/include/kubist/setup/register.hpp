#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/apply/report.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/setup/target.hpp>

/// Target clusters become Clusters of a project: `kubist cluster add` and `kubist cluster rotate`.
namespace kubist::setup {

/// How a target is reached with other credentials.
using ConnectTo = std::function<util::Result<std::shared_ptr<kube::Client>>(kube::ClusterAccess)>;

/// What the Secret on home says of a Cluster that was registered.
struct Registered {
  TargetAccount account;
  std::string token_secret;  ///< its name, in the account's namespace
  kube::ClusterAccess access;
  data::Json secret;  ///< as read
};

/// The registration of a Cluster; nothing: there is no Secret of that name. Conflict: there is one
/// that kubist did not make.
util::Result<std::optional<Registered>> find_registered(kube::Client& home, const std::string& ns,
                                                        const std::string& name,
                                                        const std::stop_token& stop);

struct RegisterOptions {
  std::string ns;    ///< of the project
  std::string name;  ///< of the Cluster
  /// No name: that of the registration, else kubist-NAMESPACE.
  TargetAccount account;
  /// The account may come into a namespace that others made: who owns it can read the token.
  bool in_any_namespace = false;
  kube::ClusterAccess access;  ///< the way to the target
  kube::DryRun dry_run = kube::DryRun::none;
  std::chrono::nanoseconds timeout{0};  ///< for the token and its first use; 0: no limit
  ConnectTo connect;
  enum class Place { target, home };
  /// Told of what will be done, before anything is written. Not in dry runs.
  std::function<void(Place, const apply::ObjectResult&)> planned;
  /// Told of what was done, or in a dry run would be.
  std::function<void(Place, const apply::ObjectResult&)> done;
};

/// What became of the objects of either cluster.
struct RegisterReports {
  apply::Report target, home;
  /// The objects as they are wanted; *** stands for the kubeconfig.
  std::vector<data::Json> target_objects, home_objects;
};

/// Makes the account, its role and its token on the target, tries the token, and writes the Secret
/// and the Cluster on home. Run again, it does what is missing. Conflict, with nothing written:
/// something of these names is not of this Cluster. Other errors name what is left to do; what was
/// written stays for the next run.
util::Result<RegisterReports> register_target(kube::Client& home, kube::Client& target,
                                              const RegisterOptions& options,
                                              const std::stop_token& stop);

struct RotateOptions {
  std::string ns;
  std::string name;
  /// With rights on Secrets of the account's namespace; null: the Cluster's own credentials.
  std::shared_ptr<kube::Client> target;
  /// The way of `target`, which the new kubeconfig has. Without a target it keeps the Secret's.
  kube::ClusterAccess access;
  kube::DryRun dry_run = kube::DryRun::none;
  std::chrono::nanoseconds timeout{0};
  /// Without a target it judges the server, which members of the project choose.
  ConnectTo connect;
  std::function<void(const std::string&)> step;  ///< a line for each step that is done
};

/// Makes another token, tries it, writes it to home, and deletes the tokens before it. Wherever it
/// stops, the Secret on home has a token that works, and the next run goes on. Not_found: the
/// Cluster was not registered by register_target(); invalid: `target` is another cluster; denied:
/// the account is none that register_target() made there for this project.
util::Result<> rotate_token(kube::Client& home, const RotateOptions& options,
                            const std::stop_token& stop);

}  // namespace kubist::setup
