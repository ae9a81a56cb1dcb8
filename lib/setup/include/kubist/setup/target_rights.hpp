#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/result.hpp>

/// Which rights an account lacks.
namespace kubist::setup {

/// A resource, and the verbs on it that are not granted.
struct MissingRight {
  std::string group;     ///< empty: core
  std::string resource;  ///< "pods", "pods/log"; "*": all of the group
  std::vector<std::string> verbs;
  bool operator==(const MissingRight&) const = default;
};

/// "create, delete on deployments.apps".
std::string to_string(const MissingRight& right);
/// kubectl's commands, for a shell, that grant it in the whole cluster to that user, a
/// ServiceAccount's too. Empty: the user, which the cluster tells, has control characters.
std::string grant_command(const MissingRight& right, const std::string& user);

/// What `wanted`, rules of a ClusterRole without names of objects, has beyond `granted`. Pure.
std::vector<MissingRight> beyond(const data::Json& wanted, const data::Json& granted);

/// What the client's user lacks of these rules in the whole cluster: a SelfSubjectRulesReview;
/// where the server cannot list all rules, a SelfSubjectAccessReview for each that it does not
/// list. Errors are those of these requests (kube/api_error.hpp): the first one ends it.
util::Result<std::vector<MissingRight>> missing_rights(kube::Client& client,
                                                       const data::Json& wanted,
                                                       const std::stop_token& stop);

}  // namespace kubist::setup
