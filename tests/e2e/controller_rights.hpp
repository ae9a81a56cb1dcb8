#pragma once
#include <string>
#include <vector>

#include "integration/executors/printed_roles.hpp"

/// What makes use of the controller's rights, and whether each is made use of.
namespace kubist::e2e {

/// Something of all that a project may hold. Istio is not here, its kinds are: what counts are the
/// requests.
std::vector<it::Json> content(const std::string& project);

/// Changes something of it when it is Ready: a failure is told, Deployments restart for Istio, and
/// the replica that has it, in namespace `system`, is taken for a dead one.
void make_uses(const std::string& project, const std::string& system);

/// Deletes it while the namespace of its virtual cluster is going, in which its account has no
/// rights any more.
void end_namespace(const std::string& project);

/// What a check of Istio looks at, in a namespace of its own: a control plane that tells its
/// version, a webhook and a CNI plugin. Gone with this, but for the namespace.
class PlayedIstio {
 public:
  explicit PlayedIstio(const std::string& ns);
  ~PlayedIstio();
  PlayedIstio(const PlayedIstio&) = delete;
  PlayedIstio& operator=(const PlayedIstio&) = delete;

 private:
  std::string m_webhook;
};

/// Those that it did not send for another account, without the looks at a StatefulSet and a
/// Deployment that went with their namespace, which nobody may take by then.
std::vector<it::Json> of_itself(std::vector<it::Json> requests);

/// Each request of the controller was by one of these rights, and each right was used, or another
/// test shows that it is needed.
void check_rights(const std::vector<it::roles::Right>& rights,
                  const std::vector<it::Json>& requests);

}  // namespace kubist::e2e
