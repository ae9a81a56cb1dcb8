#pragma once
#include "namespaces.hpp"

namespace kubist::executors {

/// The Deployments of a namespace, grouped by their label app, as status.applications has them.
class Applications {
 public:
  void add(const data::Json& deployment);
  data::Json to_json() &&;

 private:
  std::map<std::string, data::Json> m_by_app;
};

/// The applications of a namespace, read now.
util::Result<data::Json> list_applications(kube::Client& client, const std::string& ns,
                                           const std::stop_token& stop);

/// Rolls out anew the Deployments whose pod template does not yet carry the mesh labels that the
/// namespace has: an annotation on the template names them, so this happens once for each change.
util::Result<> restart_workloads(Work& work, kube::Client& client, const std::string& cluster,
                                 const NamespaceWish& wish);

}  // namespace kubist::executors
