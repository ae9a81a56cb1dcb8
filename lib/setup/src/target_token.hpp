#pragma once
#include <chrono>
#include <stop_token>
#include <string>

#include <kubist/apply/set.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/setup/register.hpp>
#include <kubist/util/result.hpp>
#include <kubist/util/secret.hpp>

/// Tokens of accounts on targets, as both `cluster add` and `cluster rotate` make them.
namespace kubist::setup {

inline constexpr const char* k_register_manager = "kubist-cluster";

/// The token of a Secret that is there already; empty: there is none yet.
util::Result<util::Secret> present_token(kube::Client& target, const TargetAccount& account,
                                         const std::string& token_secret,
                                         const std::stop_token& stop);
/// The same, when the target's token controller has filled it. Timeout: it did not.
util::Result<util::Secret> wait_for_token(kube::Client& target, const TargetAccount& account,
                                          const std::string& token_secret,
                                          std::chrono::nanoseconds timeout,
                                          const std::stop_token& stop);
/// A client by that kubeconfig, as which the target knows the account. A token that was just made
/// may be refused for a moment. Forbidden: it knows somebody else, or nobody.
util::Result<std::shared_ptr<kube::Client>> try_kubeconfig(const std::string& kubeconfig,
                                                           const TargetAccount& account,
                                                           const ConnectTo& connect,
                                                           const std::stop_token& stop);

/// The Cluster, and home's uid.
util::Result<ClusterName> cluster_name(kube::Client& home, const std::string& ns,
                                       const std::string& name, const std::stop_token& stop);
/// Invalid, where the Cluster has led to another cluster than `target` up to now.
util::Result<> check_same_cluster(const data::Json* cluster, kube::Client& target,
                                  const std::stop_token& stop);
/// Conflict: it is not this owner's, by its label and by who registered it.
util::Result<apply::Admission> admit_registered(const data::Json& wanted, const data::Json* live);

/// Denied: the account is none that kubist made there for this project. A Secret of home proves
/// nothing of an account, since members of the project may write it.
util::Result<> check_account(kube::Client& target, const TargetAccount& account,
                             const ClusterName& cluster, const std::stop_token& stop);

const kube::ApiResource& clusters();

}  // namespace kubist::setup
