#include "world/project_trial.hpp"

#include <algorithm>
#include <mutex>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/setup/install.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using kube::RequestInfo;
using util::cat;

namespace {

bool names(const Json& list, const std::string& word) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Json& each) { return each == "*" || each == word; });
}

/// Does one of kubist's ClusterRoles allow it, as `kubist init` installs them?
bool allows(const std::string& role, const RequestInfo& info) {
  static const std::vector<Json> roles = setup::project_roles();
  const auto found = std::find_if(roles.begin(), roles.end(), [&](const Json& each) {
    return data::string_at(each, {"metadata", "name"}) == role;
  });
  if (found == roles.end()) {
    return false;
  }
  const std::string resource =
      cat(info.resource, info.subresource.empty() ? "" : "/", info.subresource);
  const Json& rules = (*found)["rules"];
  return std::any_of(rules.begin(), rules.end(), [&](const Json& rule) {
    return names(rule["apiGroups"], info.group) && names(rule["resources"], resource) &&
           names(rule["verbs"], info.verb);
  });
}

bool is_read(const RequestInfo& info) {
  return info.verb == "get" || info.verb == "list" || info.verb == "watch";
}

/// What a write takes: an object is read before, and applying one that is new takes two verbs. The
/// API server names one at a time.
std::string verbs_for(const std::string& verb) {
  return verb == "patch" ? "get,create,patch" : verb == "delete" ? "get,delete" : verb;
}

/// Is it one that changes nothing, whoever sends it?
bool is_dry(const http::Request& request, const RequestInfo& info) {
  if (is_read(info)) {
    return info.verb == "get" && info.subresource.empty();
  }
  const bool in_body =
      request.method == "DELETE" && request.body != nullptr &&
      data::array_at(Json::parse(*request.body, nullptr, false), {"dryRun"}) == Json{"All"};
  return in_body || request.url.find("dryRun=All") != std::string::npos;
}

}  // namespace

class ProjectTrial::Transport final : public FallbackTransport {
 public:
  Transport(const std::shared_ptr<kube::Client>& home, const std::shared_ptr<kube::Client>& account)
      : FallbackTransport(home, account), m_user(account->impersonated_user()) {}

  void assume(const std::string& ns, const std::string& role) {
    const std::lock_guard lock(m_mutex);
    m_assumed.insert({ns, role});
  }

  std::vector<std::string> denied() const {
    const std::lock_guard lock(m_mutex);
    return {m_denied.begin(), m_denied.end()};
  }

 private:
  bool is_callers(const RequestInfo& info) const override {
    const std::lock_guard lock(m_mutex);
    return std::any_of(m_assumed.begin(), m_assumed.end(), [&](const auto& each) {
      return each.first == info.ns && allows(each.second, info);
    });
  }

  bool may_ask_again(const http::Request& request, const RequestInfo& info) const override {
    return is_dry(request, info);
  }

  /// Admission says 403 as well, but not to that user: then the caller gets the same answer.
  void denied(const RequestInfo& info, const util::Error& error) override {
    if (is_read(info) || error.message.find(m_user) == std::string::npos) {
      return;
    }
    const std::string grant =
        util::replace_all(error.hint, "--verb=" + info.verb, "--verb=" + verbs_for(info.verb));
    const std::lock_guard lock(m_mutex);
    m_denied.insert(cat(info.to_string(), ": ", grant.empty() ? error.message : grant));
  }

  std::string m_user;
  mutable std::mutex m_mutex;
  std::set<std::pair<std::string, std::string>> m_assumed;  ///< namespace, role
  std::set<std::string> m_denied;
};

ProjectTrial::ProjectTrial(const std::shared_ptr<kube::Client>& home,
                           const std::shared_ptr<kube::Client>& account)
    : m_transport(std::make_shared<Transport>(home, account)),
      m_client(client_through(*home, m_transport)) {}

void ProjectTrial::assume(const std::string& ns, const std::string& role) {
  m_transport->assume(ns, role);
}

std::vector<std::string> ProjectTrial::denied() const { return m_transport->denied(); }

}  // namespace kubist::executors
