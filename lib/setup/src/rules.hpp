#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>

/// What the printed and installed roles are made of.
namespace kubist::setup {

inline const data::Json k_read{"get", "list", "watch"};
inline const data::Json k_manage{"get", "list", "watch", "create", "patch", "delete"};
inline const data::Json k_keep{"get", "create", "patch", "delete"};

data::Json rule(data::Json groups, data::Json resources, data::Json verbs);
/// The rule, for objects of these names.
data::Json named(data::Json rule, data::Json names);
/// A Role, or a ClusterRole where `ns` is empty.
data::Json role(std::string_view kind, std::string_view ns, std::string_view name,
                data::Json rules);
/// The binding of a role to ServiceAccounts of one namespace; a ClusterRoleBinding where `ns` is
/// empty.
data::Json binding(std::string_view kind, std::string_view ns, std::string_view name,
                   std::string_view role_kind, std::string_view role, std::string_view account_ns,
                   const std::vector<std::string>& accounts);
/// Is Istio there, and does it work? What its gateways count.
data::Json istio_check_rules();
/// What pods of DeployItems need where they run. kubist may give an item's account no more than it
/// has itself, hence the update of Secrets.
data::Json pod_rules();

}  // namespace kubist::setup
