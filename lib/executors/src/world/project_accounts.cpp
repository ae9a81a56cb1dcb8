#include "world/project_accounts.hpp"

#include <chrono>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/memory.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using util::cat;

namespace {

/// An account that no run of so many has asked for is forgotten.
constexpr std::uint64_t k_kept_runs = 100;

/// Deletes one object, or reads it to see whether it is the one.
class DeleteTransport final : public FallbackTransport {
 public:
  using FallbackTransport::FallbackTransport;

 private:
  bool may_ask_again(const http::Request& request, const kube::RequestInfo& info) const override {
    if (info.verb != "delete") {
      return info.verb == "get" && info.subresource.empty();
    }
    return request.body != nullptr &&
           data::find_path(data::Json::parse(*request.body, nullptr, false),
                           {"preconditions", "uid"}) != nullptr;
  }
};

}  // namespace

ProjectAccounts::ProjectAccounts(std::shared_ptr<kube::Client> home) : m_home(std::move(home)) {}

void ProjectAccounts::begin_run(bool own_rights, kube::DryRun dry_run) {
  ++m_run;
  m_own_rights = own_rights;
  m_trial = dry_run == kube::DryRun::server;
  m_dry = dry_run != kube::DryRun::none;
}

void ProjectAccounts::forget_admitted() {
  const std::lock_guard lock(m_mutex);
  m_own.clear();
  // Who edits an item may name a new account each time.
  std::erase_if(m_accounts, [&](const auto& entry) {
    return entry.second->used + k_kept_runs < m_run && entry.second->bound.empty();
  });
  for (const auto& [user, account] : m_accounts) {
    account->trial.reset();
  }
}

ProjectAccounts::Account& ProjectAccounts::account(const std::string& user) {
  const std::lock_guard lock(m_mutex);
  auto& slot = m_accounts[user];
  if (!slot) {
    const util::MemoryScope memory(util::Stay::lasting);
    slot = std::make_unique<Account>();
    slot->client = m_home->as(user);
  }
  slot->used = m_run;
  if (m_trial && !slot->trial) {
    slot->trial = std::make_unique<ProjectTrial>(m_home, slot->client);
  }
  return *slot;
}

/// Whose objects these are, and where the caller's rights for them end.
struct ProjectAccounts::Scope {
  std::string title;                    ///< "Project shop"
  std::string where;                    ///< "the project's namespaces"
  std::vector<std::string> namespaces;  ///< from the first
};

ProjectAccounts::Scope ProjectAccounts::scope_of(const engine::Node& project) {
  Scope scope{cat("Project ", project.key.name),
              "the project's namespaces",
              {resources::project_namespace(*project.object)}};
  for (std::string& name : data::strings_at(*project.object, {"spec", "home", "namespaces"})) {
    if (!resources::is_reserved_namespace(name)) {
      scope.namespaces.push_back(std::move(name));  // a pattern is no namespace's name
    }
  }
  return scope;
}

ProjectAccounts::Own ProjectAccounts::own(const Scope& scope) {
  const std::lock_guard lock(m_mutex);
  Own& own = m_own[scope.title];
  if (own.client) {
    return own;
  }
  own.namespaces = std::make_shared<NamespaceSet>();
  for (const std::string& name : scope.namespaces) {
    own.namespaces->add(name);
  }
  if (m_own_rights) {
    own.client = m_home;
    return own;
  }
  const util::Error outside = util::make_error(
      util::ErrorKind::forbidden,
      cat("kubist uses the caller's own rights for ", scope.title, ", and only in ", scope.where),
      "Ask for the right to impersonate its ServiceAccount, or pass --own-rights.", k_own_rights);
  own.client = m_home->routed([home = m_home, in = own.namespaces, outside](
                                  const kube::RequestInfo& info) -> util::Result<kube::Client*> {
    if (info.resource.empty() || in->has(info.ns)) {
      return home.get();
    }
    return util::fail(util::with_context(outside, info.to_string()));
  });
  return own;
}

util::Result<bool> ProjectAccounts::may_impersonate(const std::string& ns, const std::string& name,
                                                    const std::stop_token& stop) {
  const auto ask = [&](const std::string& in, const std::string& what) -> util::Result<bool> {
    KUBIST_TRY(
        const auto answer,
        m_home->can_i(
            {.verb = "impersonate", .resource = "serviceaccounts", .ns = in, .name = what}, stop));
    return answer.allowed;
  };
  KUBIST_TRY(const bool all, m_all.get(m_run, [&] { return ask("", ""); }));
  return all ? util::Result<bool>(true) : ask(ns, name);
}

util::Result<bool> ProjectAccounts::acts_as(Account& as, const std::string& ns,
                                            const std::string& name, const std::stop_token& stop) {
  if (!m_home->impersonated_user().empty()) {
    return false;
  }
  return as.allowed.get(m_run, [&] { return may_impersonate(ns, name, stop); });
}

util::Result<bool> ProjectAccounts::impersonates(const engine::Node& project,
                                                 const std::stop_token& stop) {
  KUBIST_TRY(const bool allowed, acts_as(account(resources::project_user(*project.object)),
                                         resources::project_namespace(*project.object),
                                         resources::project_account(*project.object), stop));
  if (!allowed) {
    own(scope_of(project));
  }
  return allowed;
}

util::Error ProjectAccounts::not_yours(const std::string& ns, const std::string& name) {
  const std::string role = cat("act-as-", name);
  return util::make_error(
      util::ErrorKind::forbidden,
      cat("what it asks for is asked as ", resources::service_account_user(ns, name),
          ", and the caller may not impersonate it"),
      cat("An administrator can allow it: kubectl create role ", role, " -n ", ns,
          " --verb=impersonate --resource=serviceaccounts --resource-name=", name,
          " && kubectl create rolebinding ", role, " -n ", ns, " --role=", role, " --user=YOU"),
      k_account_not_yours);
}

util::Result<ProjectAccounts::Outside> ProjectAccounts::outside(const std::string& ns,
                                                                const std::string& name,
                                                                Fallback fallback,
                                                                const std::stop_token& stop) {
  Account& as = account(resources::service_account_user(ns, name));
  KUBIST_TRY(const bool allowed, acts_as(as, ns, name, stop));
  Outside found;
  if (allowed) {
    found.client = as.trial ? as.trial->client() : as.client;
  } else if (fallback == Fallback::none) {
    // Refused with the item's first request, so that its status says so, whoever reads it.
    found.client =
        m_home->routed([home = m_home, error = not_yours(ns, name)](
                           const kube::RequestInfo& info) -> util::Result<kube::Client*> {
          return info.resource.empty() ? util::Result<kube::Client*>(home.get())
                                       : util::fail(util::with_context(error, info.to_string()));
        });
  } else {
    found.client = own({cat("Namespace ", ns), "that namespace", {ns}}).client;
  }
  found.home =
      m_home->routed([home = m_home, client = found.client](const kube::RequestInfo& info) {
        const bool is_kubists =
            (info.group == resources::k_landscaper_group && info.resource == "deployitems") ||
            (info.group == "coordination.k8s.io" && info.resource == "leases");
        return util::Result<kube::Client*>(is_kubists ? home.get() : client.get());
      });
  return found;
}

std::string ProjectAccounts::shown(const std::string& text, const std::stop_token& stop) {
  constexpr std::uint64_t k_every_run = 0;
  if (!kube::names_denied_user(text)) {
    return text;
  }
  const auto caller = m_caller.get(k_every_run, [&]() -> util::Result<std::string> {
    KUBIST_TRY(const data::Json review, m_home->who_am_i(stop));
    return std::string(data::string_at(review, {"status", "userInfo", "username"}));
  });
  return caller && !caller->empty() ? kube::without_denied_user(text, *caller) : text;
}

util::Result<std::shared_ptr<kube::Client>> ProjectAccounts::client_as(
    const std::string& ns, const std::string& name, const std::stop_token& stop) {
  Account& as = account(resources::service_account_user(ns, name));
  KUBIST_TRY(const bool allowed, acts_as(as, ns, name, stop));
  if (!allowed) {
    return util::fail(not_yours(ns, name));
  }
  return as.trial ? as.trial->client() : as.client;
}

util::Result<std::shared_ptr<kube::Client>> ProjectAccounts::client_for(
    const engine::Node& project, const std::stop_token& stop) {
  KUBIST_TRY(const bool as_project, impersonates(project, stop));
  if (!as_project) {
    return own(scope_of(project)).client;
  }
  const Account& as = account(resources::project_user(*project.object));
  return as.trial ? as.trial->client() : as.client;
}

util::Result<std::shared_ptr<kube::Client>> ProjectAccounts::delete_client_for(
    const engine::Node& project, const std::stop_token& stop) {
  KUBIST_TRY(const bool as_project, impersonates(project, stop));
  if (!as_project || !m_own_rights) {
    return nullptr;
  }
  return deletions_of(account(resources::project_user(*project.object)).client);
}

std::shared_ptr<kube::Client> ProjectAccounts::deletions_of(
    std::shared_ptr<kube::Client> account) const {
  return m_own_rights && account != nullptr
             ? client_through(*m_home, std::make_shared<DeleteTransport>(m_home, account))
             : account;
}

util::Result<> ProjectAccounts::note_bound(const engine::Node& project, const std::string& ns,
                                           const std::string& role, const std::stop_token& stop) {
  Account& as = account(resources::project_user(*project.object));
  {
    const std::lock_guard lock(as.binding);
    as.bound[ns] = role;
  }
  {
    const std::lock_guard lock(m_mutex);
    if (m_proven.contains(role)) {
      return {};
    }
  }
  return await_rights(project, ns, stop);
}

util::Result<> ProjectAccounts::await_rights(const engine::Node& project, const std::string& ns,
                                             const std::stop_token& stop) {
  constexpr std::chrono::milliseconds k_pause{20};
  constexpr int k_tries = 250;
  const std::string user = resources::project_user(*project.object);
  Account& as = account(user);
  const std::lock_guard lock(as.binding);
  const auto bound = as.bound.extract(ns);
  for (int tries = 1; bound; ++tries) {
    KUBIST_TRY(const auto answer,
               as.client->can_i({.verb = "get", .resource = "configmaps", .ns = ns}, stop));
    if (answer.allowed) {
      const std::lock_guard proven(m_mutex);
      m_proven.insert(bound.mapped());
      return {};
    }
    if (tries == k_tries || !util::sleep_for(k_pause, stop)) {
      return util::fail(
          util::ErrorKind::forbidden,
          cat("the project's account ", user, " has no rights in namespace ", ns,
              ": it is bound to ClusterRole ", bound.mapped(), ", which gives it none"),
          "'kubist init' installs that ClusterRole.", k_role_not_bound);
    }
  }
  return {};
}

void ProjectAccounts::assume(const engine::Node& project, const std::string& ns,
                             const std::string& role) {
  if (const Account& as = account(resources::project_user(*project.object)); as.trial) {
    as.trial->assume(ns, role);
  }
}

std::vector<std::string> ProjectAccounts::denied() const {
  std::vector<std::string> lines;
  const std::lock_guard lock(m_mutex);
  for (const auto& [user, account] : m_accounts) {
    for (const std::string& line :
         account->trial ? account->trial->denied() : std::vector<std::string>{}) {
      lines.push_back(cat(user, " may not ", line));
    }
  }
  return lines;
}

util::Result<bool> ProjectAccounts::stops_before(const engine::Node& project, const std::string& ns,
                                                 const std::stop_token& stop) {
  KUBIST_TRY(const bool as_project, impersonates(project, stop));
  return !as_project && !m_own_rights && !own(scope_of(project)).namespaces->has(ns);
}

void ProjectAccounts::admit(const engine::Node& project, const std::string& ns) {
  own(scope_of(project)).namespaces->add(ns);
}

std::vector<std::string> ProjectAccounts::warnings() const {
  const std::string& as = m_home->impersonated_user();
  const std::string whose =
      as.empty() ? "your own rights, since you may not impersonate its ServiceAccount"
                 : cat("the rights of ", as, ", whom you impersonate");
  std::vector<std::string> lines;
  const std::lock_guard lock(m_mutex);
  for (const auto& [title, own] : m_own) {
    lines.push_back(cat(title, ": its objects are handled with ", whose,
                        m_own_rights ? "; by --own-rights also outside of its namespaces"
                                     : "; they end at its namespaces"));
  }
  return lines;
}

}  // namespace kubist::executors
