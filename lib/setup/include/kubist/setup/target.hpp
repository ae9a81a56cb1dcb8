#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/kube/kubeconfig.hpp>
#include <kubist/setup/install.hpp>
#include <kubist/util/result.hpp>
#include <kubist/util/secret.hpp>

/// What kubist needs on a target cluster, and what home knows of it. Pure.
namespace kubist::setup {

/// The ServiceAccount as which kubist works on a target.
struct TargetAccount {
  std::string ns{k_controller_namespace};
  std::string name;
  /// "system:serviceaccount:NAMESPACE:NAME".
  std::string user() const;
  bool operator==(const TargetAccount&) const = default;
};

/// A Cluster object, and the home cluster that has it.
struct ClusterName {
  std::string home_uid;  ///< of its namespace kube-system
  std::string ns;
  std::string name;
};

/// The ClusterRole of accounts on targets.
inline constexpr const char* k_target_role = "kubist-target";
/// On what is made on a target: the project, or of tokens the Cluster, that it is for.
inline constexpr std::string_view k_registered_by = "kubist.io/registered-by";
/// On the Secret with the kubeconfig: NAMESPACE/NAME of the account, and the Secret of its token.
inline constexpr std::string_view k_account_annotation = "kubist.io/target-account";
inline constexpr std::string_view k_token_annotation = "kubist.io/target-token";

/// On that Secret, too: items, Executions and notifications may not read it. Deployers know the
/// label by this name.
inline constexpr std::string_view k_internal_label = "kubist.io/internal";

/// The rights that kubist needs on a target: namespaces, what a project's account may do in one of
/// them, in all of them, and reading for the check of Istio. To install Istio takes more.
data::Json target_role();
/// The Namespace, the ServiceAccount, its ClusterRole and binding, and the Secret of that name,
/// which a token controller fills.
std::vector<data::Json> target_objects(const TargetAccount& account, const ClusterName& cluster,
                                       const std::string& token_secret);
/// The ServiceAccount.
data::Json account_object(const TargetAccount& account, const ClusterName& cluster);
/// The Secret for a token of the account.
data::Json token_secret_object(const TargetAccount& account, const ClusterName& cluster,
                               const std::string& token_secret);
/// The name of the first token Secret, and of the one that follows `name`.
std::string first_token_secret(const TargetAccount& account, const ClusterName& cluster);
std::string next_token_secret(const std::string& name);

/// The Secret of home with that kubeconfig, "NAME-kubeconfig".
data::Json kubeconfig_secret(const ClusterName& cluster, const TargetAccount& account,
                             const std::string& token_secret, const std::string& kubeconfig);
std::string kubeconfig_secret_name(const std::string& cluster);
/// The Cluster that names it.
data::Json cluster_object(const ClusterName& cluster);

/// A kubeconfig for a Secret: the way of `access` (server, authority, tls-server-name), with the
/// token. Invalid: the way needs what such a kubeconfig may not have (kube::strict_access), such as
/// a proxy, or a server that is not checked.
util::Result<std::string> target_kubeconfig(const kube::ClusterAccess& access,
                                            const util::Secret& token);

/// When a token ends that is a JWT; nothing: never, or nobody can tell.
std::optional<std::chrono::system_clock::time_point> token_end(const util::Secret& token);

}  // namespace kubist::setup
