#pragma once
#include <map>
#include <string>

#include "world/work.hpp"

namespace kubist::executors {

/// Of a pod template: the mesh labels for which its pods were last rolled out.
inline constexpr std::string_view k_mesh_annotation = "kubist.io/mesh";

/// What a run wants to know of the Deployments of one namespace.
struct Workloads {
  data::Json applications = data::Json::array();  ///< grouped by label app, for status.applications
  /// By name: the mesh labels for which its pods were last rolled out; empty: never.
  std::map<std::string, std::string> rolled_out_for;
};

/// Gathers the Deployments of a namespace one by one.
class WorkloadReader {
 public:
  void add(const data::Json& deployment);
  Workloads finish() &&;

 private:
  std::map<std::string, data::Json> m_by_app;
  std::map<std::string, std::string> m_rolled_out_for;
};

/// The Deployments of a namespace, read now.
util::Result<Workloads> list_workloads(kube::Client& client, const std::string& ns,
                                       const std::stop_token& stop);

}  // namespace kubist::executors
