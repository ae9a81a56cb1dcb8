#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include <kubist/data/json.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/process.hpp>

#include "audit.hpp"
#include "support/live.hpp"
#include "support/objects.hpp"

/// The built program against the test cluster, with kubectl and the audit logs as oracles.
namespace it {

using kubist::testing::condition;
using kubist::testing::in_the_mesh;
using kubist::testing::message;
using kubist::testing::object;
using kubist::testing::reason;
using kubist::testing::secret;
using kubist::testing::small_kubeconfig;
using kubist::testing::virtual_cluster;
using kubist::testing::yaml;
using kubist::util::CommandResult;
using Words = std::vector<std::string>;

/// Runs kubist on the home cluster to its end, as the test case's caller (caller.hpp).
CommandResult run_kubist(const Words& args, const std::string& input = {});
CommandResult kubectl(const std::string& cluster, const Words& args, const std::string& input = {});
/// The same, and fails the test unless it succeeds. Returns what it printed.
std::string must(const CommandResult& result);
/// A label of a namespace; empty when there is none.
std::string label(const std::string& ns, const std::string& name,
                  const std::string& cluster = "home");

/// "" also where there is no object.
std::string condition(const std::optional<Json>& live, const std::string& type);
std::string reason(const std::optional<Json>& live, const std::string& type);
std::string message(const std::optional<Json>& live, const std::string& type);

/// A kubist, or another program, that runs beside the test; killed at the end if it still does.
class Background {
 public:
  explicit Background(const Words& args);
  Background(const std::string& program, const Words& args);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  void signal(int number) const;
  /// The exit code (128 + signal for one that a signal ended); nothing when it still runs then.
  std::optional<int> wait(int seconds);
  std::string output() const;
  pid_t pid() const { return m_pid; }

 private:
  kubist::util::TempDir m_folder{"policy-test"};
  pid_t m_pid = -1;
  std::optional<int> m_exit;
};

/// A process of this machine, also of a pod, in whose words, a NUL byte after each, are all of
/// these parts.
std::optional<pid_t> process_with(const Words& parts);

/// Deletes the lock of a kubist that the test has killed: it is dead for sure, so the next one need
/// not wait the 15 s until its Lease is stale (executors/lock_test.cpp waits for that, once).
void free_lock(const std::string& ns);

/// A Role with these rules, and its RoleBinding to the ServiceAccount ACCOUNT_NS/ACCOUNT.
std::vector<Json> granted(const std::string& ns, const std::string& name, const Json& rules,
                          const std::string& account_ns, const std::string& account);

/// A kubeconfig for that cluster with the token.
Json token_config(const std::string& cluster, const std::string& token);

/// Names of one test, and the end of everything that bears them: projects and namespaces `name()`
/// and `name()-*` on home and target1.
class World {
 public:
  explicit World(const std::string& test);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const std::string& name() const { return m_name; }
  std::string name(const std::string& suffix) const { return m_name + '-' + suffix; }
  /// A user of this test alone, so that the audit log can tell its requests.
  std::string user() const { return m_name + "-user"; }
  /// Arguments that make kubist act by that user's own credentials, a client certificate, with the
  /// caller's rights: impersonation (--as) ends where kubist impersonates by itself.
  Words as_user(const Words& args, const std::string& suffix = {}) const;
  /// The same with all rights on another of the test's clusters, whose kubeconfig is among the
  /// arguments then.
  Words as_user_on(const std::string& cluster, const Words& args) const;
  /// A kubeconfig for that cluster with a token of its own ServiceAccount (all rights), and the
  /// name by which the cluster's audit log knows it.
  std::pair<std::string, std::string> token_kubeconfig(const std::string& cluster);
  /// Makes the project by kubist itself, as the administrator, so that its namespace is kubist's
  /// own.
  void make_project(const std::string& project, const Json& spec = Json::object());

 private:
  std::string m_name;
  std::set<std::string> m_accounts_on;
};

/// The Root, reconciled, for as long as this lives: with one, projects wait for it.
class RootGuard {
 public:
  RootGuard();
  ~RootGuard();
  RootGuard(const RootGuard&) = delete;
  RootGuard& operator=(const RootGuard&) = delete;
};

/// A project on the home cluster with virtual cluster "dev" in namespace name("dev").
void make_place(World& world);
/// An entry of spec.policies.
Json call(const std::string& name, Json parameters = Json::object());
/// The VirtualCluster of that project on the home cluster.
std::optional<Json> vc(const std::string& project, const std::string& name);
/// The resource of DeployItems, as kubectl names it.
inline constexpr const char* k_items = "deployitems.landscaper.gardener.cloud";

/// Installs the CRDs on home where they are missing; others share them, so they stay.
void install_crds();

}  // namespace it
