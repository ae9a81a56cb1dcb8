#pragma once
#include <string>

#include "keep/namespaces.hpp"

/// The rights of a project's account on the home cluster: kubist makes the account, and binds it to
/// the ClusterRoles that `kubist init` installs.
namespace kubist::executors {

/// Of a Project: its ServiceAccount, where it names none, and that account's rights in the
/// project's own namespace. Nothing is made where the caller does not act as that account. Errors:
/// forbidden, reason RoleNotBound.
util::Result<> keep_project_account(Work& work);

/// Of a VirtualCluster on the home cluster: its project's rights in namespace `ns`. In one that
/// kubist did not make it binds only where the Project names it exactly, so that a pattern gives
/// nobody rights over what is there; an administrator's binding of that name will do. The caller's
/// own rights, where these are used, reach it under the same condition. Errors: forbidden, reason
/// RoleNotBound, with the command, or OwnRights.
util::Result<> keep_project_binding(Work& work, const std::string& ns, const NamespaceFact& fact);

/// Of a VirtualCluster on the home cluster, before it writes to a namespace that kubist did not
/// make: the errors of keep_project_binding(), so that what is refused has changed nothing.
util::Result<> check_adoption(Work& work, const std::string& ns);

/// Takes away what of this the node made in a namespace that stays.
util::Result<> drop_project_rights(Work& work, const std::string& ns);

}  // namespace kubist::executors
