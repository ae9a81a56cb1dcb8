#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/apply/report.hpp>
#include <kubist/data/json.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/result.hpp>

/// What `kubist init` and `kubist uninstall` do.
namespace kubist::setup {

/// Where the controller runs by default.
inline constexpr std::string_view k_controller_namespace = "kubist-system";

/// On all that kubist installs: the version of kubist that wrote it.
inline constexpr std::string_view k_version_annotation = "kubist.io/version";

/// The pods that run `kubist controller`, and what they need.
struct Controller {
  std::string ns{k_controller_namespace};
  std::string image;  ///< with kubist
  int replicas = 2;
};

struct InstallOptions {
  std::string version;       ///< of this program: "0.1.0"
  std::string agent_image;   ///< for spec.images.agent of the Root; empty: it stays as it is
  std::string script_image;  ///< the same for spec.images.script
  std::optional<Controller> controller;  ///< to be installed as well
  kube::DryRun dry_run = kube::DryRun::none;
  std::chrono::nanoseconds timeout{0};
  std::function<void(const apply::ObjectResult&)> on_result;
};

/// What install_crds() applies but the Root: resources::crds(), project_roles(), and the controller
/// where one is asked for.
std::vector<data::Json> install_objects(const InstallOptions& options);

/// Applies install_objects(), and waits until kinds are established and the controller is ready.
/// Outcomes: created, configured (an upgrade), unchanged, kept (a newer kubist's, or a DeployItem
/// CRD, role, namespace or the like that somebody else made). Then the Root with the images, where
/// some are given, as the field manager `kubist-init`, so that applying a Root that names none
/// leaves them: conflict where somebody else named others.
apply::Report install_crds(kube::Client& client, const InstallOptions& options,
                           std::stop_token stop = {});

/// The Root; nothing where there is none, or no such kind.
util::Result<std::optional<data::Json>> find_root(kube::Client& client,
                                                  const std::stop_token& stop = {});

/// Is the CRD, role or the like one that kubist installed (its annotation or its label says so)?
bool is_own_crd(const data::Json& crd);

struct UninstallOptions {
  std::string controller_ns{k_controller_namespace};
  bool force = false;  ///< also while objects of these kinds exist; they are deleted with the CRDs
  kube::DryRun dry_run = kube::DryRun::none;
  std::chrono::nanoseconds timeout{0};
  std::function<void(const apply::ObjectResult&)> on_result;
};

/// Removes what install_crds() installed but the Root: the controller first. Conflict, before
/// anything is deleted: objects of these kinds exist and `force` is not set; the message counts
/// them by kind.
apply::Report uninstall_crds(kube::Client& client, const UninstallOptions& options,
                             std::stop_token stop = {});

/// The ClusterRoles for what a project's objects ask for, which `init` installs: kubist binds the
/// project's ServiceAccount to the first in the namespaces of its virtual clusters, and to the
/// second, which has no Secrets, pods, workloads, accounts and roles, in the project's own.
inline constexpr const char* k_project_role = "kubist-project";
inline constexpr const char* k_own_namespace_role = "kubist-project-own";
std::vector<data::Json> project_roles();

/// A ServiceAccount as which kubist works on one project.
struct ProjectAccount {
  std::string project;     ///< the Project's name
  std::string ns;          ///< its namespace
  std::string account_ns;  ///< of the ServiceAccount: none of a project's
  std::string name;
  /// Namespaces of the home cluster that its virtual clusters keep: an administrator makes them,
  /// and the virtual clusters adopt them.
  std::vector<std::string> home_namespaces;
  /// Instead kubist makes them, and binds the project's account in them: rights that no namespace
  /// limits.
  bool creates_namespaces = false;
  /// spec.serviceAccountName of the Project: who is impersonated and bound in place of
  /// kubist-project, and not printed, since an administrator makes it.
  std::vector<std::string> project_accounts = {};
};

/// The controller's ServiceAccount, roles, Deployment and the like, with its Namespace.
std::vector<data::Json> controller_objects(const Controller& controller);
/// The ClusterRole of the controller: what it needs for projects whose account is the default one,
/// which it impersonates. Installing Istio on the home cluster and kinds of ExecutorDefinitions
/// need more.
data::Json controller_role();

/// Minimum RBAC objects as manifests: what `init` itself needs (a ClusterRole), and what a
/// account needs with which kubist applies, reconciles and deletes all that is in a project (Roles
/// in its namespaces, a ClusterRole), besides the project's own account with its bindings, which
/// kubist impersonates. Making and deleting the Project itself is an administrator's.
std::vector<data::Json> init_rbac();
std::vector<data::Json> project_rbac(const ProjectAccount& account);

}  // namespace kubist::setup
