#include "denied_right.hpp"

#include <re2/re2.h>

#include <kubist/kube/api_error.hpp>
#include <kubist/util/text.hpp>

namespace kubist::kube {

// The words of apiserver's ForbiddenMessage and forbiddenMessage
// (endpoints/handlers/responsewriters).
std::string grant_for(std::string_view message) {
  static const re2::RE2 pattern(
      R"re(User "system:serviceaccount:([a-z0-9.-]+):([a-z0-9.-]+)" cannot ([a-z]+) resource "([a-z0-9./-]+)" in API group "([a-z0-9.-]*)" (?:in the namespace "([a-z0-9-]+)"|at the cluster scope))re");
  std::string ns, account, verb, resource, group, where;
  if (!re2::RE2::PartialMatch(re2::StringPiece(message.data(), message.size()), pattern, &ns,
                              &account, &verb, &resource, &group, &where)) {
    return {};
  }
  const std::string role = util::cat(account, '-', resource.substr(0, resource.find('/')));
  const auto slash = resource.find('/');
  const std::string what = util::cat(resource.substr(0, slash), group.empty() ? "" : ".", group,
                                     slash == std::string::npos ? "" : resource.substr(slash));
  const std::string scope = where.empty() ? "" : util::cat(" -n ", where);
  const char* cluster = where.empty() ? "cluster" : "";
  return util::cat("An administrator grants it: kubectl create ", cluster, "role ", role,
                   " --verb=", verb, " --resource=", what, scope, " && kubectl create ", cluster,
                   "rolebinding ", role, " --", cluster, "role=", role, " --serviceaccount=", ns,
                   ':', account, scope);
}

bool names_denied_user(std::string_view text) {
  return text.find("User \"") != std::string_view::npos ||
         text.find("user \"") != std::string_view::npos;
}

// RBAC's refusal to give rights that the user does not have (rbac/validation's rule.go) has its
// groups, too.
std::string without_denied_user(std::string_view text, std::string_view user) {
  const re2::StringPiece name(user.data(), user.size());
  const re2::RE2 pattern(
      util::cat("[Uu]ser \"", re2::RE2::QuoteMeta(name), R"re("(?: \(groups=\[[^\]]*\]\))?)re"));
  std::string shown(text);
  if (re2::RE2::GlobalReplace(&shown, pattern, "the caller") == 0) {
    return shown;
  }
  const std::string grant = grant_for(text);
  return grant.empty() ? shown : util::replace_all(shown, grant, k_ask_for_the_right);
}

}  // namespace kubist::kube
