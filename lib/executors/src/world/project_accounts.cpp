#include "world/project_accounts.hpp"

#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using util::cat;

ProjectAccounts::ProjectAccounts(std::shared_ptr<kube::Client> home) : m_home(std::move(home)) {}

void ProjectAccounts::begin_run() {
  ++m_run;
  const std::lock_guard lock(m_mutex);
  m_own.clear();
}

ProjectAccounts::Account& ProjectAccounts::account(const std::string& user) {
  const std::lock_guard lock(m_mutex);
  auto& slot = m_accounts[user];
  if (!slot) {
    slot = std::make_unique<Account>();
    slot->client = m_home->as(user);
  }
  return *slot;
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

util::Result<bool> ProjectAccounts::impersonates(const engine::Node& project,
                                                 const std::stop_token& stop) {
  const std::string ns = resources::project_namespace(*project.object);
  const std::string name = resources::project_account(*project.object);
  bool allowed = false;
  if (m_home->impersonated_user().empty()) {
    Account& as = account(resources::project_user(*project.object));
    KUBIST_TRY(allowed, as.allowed.get(m_run, [&] { return may_impersonate(ns, name, stop); }));
  }
  if (!allowed) {
    const std::lock_guard lock(m_mutex);
    m_own.insert(project.key.name);
  }
  return allowed;
}

util::Result<std::shared_ptr<kube::Client>> ProjectAccounts::client_for(
    const engine::Node& project, const std::stop_token& stop) {
  KUBIST_TRY(const bool as_project, impersonates(project, stop));
  if (!as_project) {
    return m_home;
  }
  return account(resources::project_user(*project.object)).client;
}

std::vector<std::string> ProjectAccounts::warnings() const {
  std::vector<std::string> lines;
  const std::lock_guard lock(m_mutex);
  for (const std::string& project : m_own) {
    lines.push_back(
        cat("Project ", project, ": its objects are handled with ",
            m_home->impersonated_user().empty()
                ? "your own rights, since you may not impersonate its ServiceAccount"
                : "the rights of " + m_home->impersonated_user() + ", whom you impersonate"));
  }
  return lines;
}

}  // namespace kubist::executors
