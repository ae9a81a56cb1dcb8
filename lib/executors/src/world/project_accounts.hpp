#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/engine/graph.hpp>
#include <kubist/kube/client.hpp>

#include "world/namespace_set.hpp"
#include "world/project_trial.hpp"
#include "world/shared_answer.hpp"

namespace kubist::executors {

/// Reason of an account that is not bound where it has to be: an administrator must do it.
inline constexpr const char* k_role_not_bound = "RoleNotBound";
/// Reason of what a caller's own rights are not used for.
inline constexpr const char* k_own_rights = "OwnRights";

/// Reason of the error that the caller may not impersonate a ServiceAccount that it needs.
inline constexpr const char* k_account_not_yours = "AccountNotYours";

/// As whom kubist acts on the home cluster for what a project's objects ask for. It impersonates
/// the project's ServiceAccount, so that the API server judges by that account's rights. A caller
/// who may not impersonate, or does so already (--as), acts with its own rights, which then end at
/// the project's namespaces. Outlives a run; any thread.
class ProjectAccounts {
 public:
  explicit ProjectAccounts(std::shared_ptr<kube::Client> home);

  /// From here on the API server is asked again who may impersonate: once for all projects, and
  /// once for each where the caller may not impersonate every account. `own_rights`: the caller's
  /// go beyond the projects' namespaces. In a server dry run what an account may not write is
  /// noted, and does not fail.
  void begin_run(bool own_rights, kube::DryRun dry_run);
  bool is_dry() const { return m_dry; }

  /// Ends what was admitted in former runs. Not beside a run.
  void forget_admitted();

  /// The client for what that Project's objects ask for. Errors: as of the question, which is no
  /// answer. Of a caller's own rights: forbidden, reason OwnRights, is its answer to what lies
  /// outside of the namespaces that were admitted.
  util::Result<std::shared_ptr<kube::Client>> client_for(const engine::Node& project,
                                                         const std::stop_token& stop);
  /// The client for deleting what an inventory has: with --own-rights, what the API server denies
  /// the project's account is read and deleted with the caller's, by its uid. Null: only that
  /// of client_for().
  util::Result<std::shared_ptr<kube::Client>> delete_client_for(const engine::Node& project,
                                                                const std::stop_token& stop);
  /// As whom kubist works on the DeployItems of a namespace without a project.
  struct Outside {
    std::shared_ptr<kube::Client> client;  ///< for what they ask for
    /// The same, but the caller's for DeployItems and the namespace's Lease, which are kubist's.
    std::shared_ptr<kube::Client> home;
  };
  /// Whose rights count where the caller may not impersonate the ServiceAccount of an item.
  enum class Fallback {
    none,        ///< nobody named the item: nobody's, each request is refused as by client_as()
    own_rights,  ///< the caller named it: the caller's, which end at that namespace
  };
  /// As that ServiceAccount of theirs. Errors as of client_for().
  util::Result<Outside> outside(const std::string& ns, const std::string& name, Fallback fallback,
                                const std::stop_token& stop);
  /// The client that acts as that ServiceAccount, which is no project's. Forbidden, reason
  /// AccountNotYours: the caller may not impersonate it. Else as client_for().
  util::Result<std::shared_ptr<kube::Client>> client_as(const std::string& ns,
                                                        const std::string& name,
                                                        const std::stop_token& stop);
  /// For deleting what that client's account made: with --own-rights the caller deletes what the
  /// account may not. Null stays null.
  std::shared_ptr<kube::Client> deletions_of(std::shared_ptr<kube::Client> account) const;
  /// What a status has for a text: nothing of who the caller is. The API server is asked who that
  /// is, once, where a text tells of a denied user.
  std::string shown(const std::string& text, const std::stop_token& stop);
  /// May the caller's own rights be used beyond the projects' namespaces (--own-rights)?
  bool own_rights() const { return m_own_rights; }
  /// Does it act as the project's account?
  util::Result<bool> impersonates(const engine::Node& project, const std::stop_token& stop);

  /// The Project's account was bound to that ClusterRole just now. The first of a role, of all
  /// projects, is waited for, to see that the role gives rights; the others where these are used.
  /// As await_rights().
  util::Result<> note_bound(const engine::Node& project, const std::string& ns,
                            const std::string& role, const std::stop_token& stop);
  /// The API server's authorizer learns of a binding some moments after it was made: what comes
  /// next would be refused. Waits for one that was noted, once. Forbidden, reason RoleNotBound: it
  /// gives no rights.
  util::Result<> await_rights(const engine::Node& project, const std::string& ns,
                              const std::stop_token& stop);

  /// Do rights for that Project end before that namespace, which nobody has admitted in this run?
  /// Never those of its account. The Project's own namespace, and those that it names exactly in
  /// spec.home.namespaces, are admitted from the first.
  util::Result<bool> stops_before(const engine::Node& project, const std::string& ns,
                                  const std::stop_token& stop);
  /// Lets the caller's own rights for that Project into one namespace more, in this run.
  void admit(const engine::Node& project, const std::string& ns);

  /// For a server dry run: this run would bind the Project's account to a ClusterRole of kubist's.
  void assume(const engine::Node& project, const std::string& ns, const std::string& role);
  /// A line for each write of a server dry run that the API server denies an account, with the
  /// grant.
  std::vector<std::string> denied() const;

  /// A line for each project or namespace of this run for which the caller's own rights were used.
  std::vector<std::string> warnings() const;

 private:
  struct Account {
    std::uint64_t used = 0;  ///< the last run that asked for it
    SharedAnswer<bool> allowed;
    std::shared_ptr<kube::Client> client;      ///< that acts as it
    std::unique_ptr<ProjectTrial> trial;       ///< of a server dry run
    std::mutex binding;                        ///< guards what follows, also while it is asked for
    std::map<std::string, std::string> bound;  ///< namespaces that were not awaited, with the role
  };
  /// Errors become statuses, so they do not name the caller.
  static util::Error not_yours(const std::string& ns, const std::string& name);
  /// A project, or a namespace without one, for which the caller's own rights are used.
  struct Own {
    std::shared_ptr<NamespaceSet> namespaces;
    std::shared_ptr<kube::Client> client;
  };
  struct Scope;
  static Scope scope_of(const engine::Node& project);
  Account& account(const std::string& user);
  Own own(const Scope& scope);
  util::Result<bool> acts_as(Account& as, const std::string& ns, const std::string& name,
                             const std::stop_token& stop);
  util::Result<bool> may_impersonate(const std::string& ns, const std::string& name,
                                     const std::stop_token& stop);

  std::shared_ptr<kube::Client> m_home;
  std::atomic<std::uint64_t> m_run = 1;
  std::atomic<bool> m_own_rights = false;
  std::atomic<bool> m_trial = false;  ///< it is a server dry run
  std::atomic<bool> m_dry = false;    ///< it is a dry run
  SharedAnswer<bool> m_all;           ///< may the caller impersonate every ServiceAccount?
  SharedAnswer<std::string> m_caller;
  mutable std::mutex m_mutex;  ///< guards what follows, not what is in the accounts
  std::map<std::string, std::unique_ptr<Account>> m_accounts;  ///< by user name
  std::map<std::string, Own> m_own;                            ///< by Scope::title, of this run
  std::set<std::string> m_proven;                              ///< roles that gave rights
};

}  // namespace kubist::executors
