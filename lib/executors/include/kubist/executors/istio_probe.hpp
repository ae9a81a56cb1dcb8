#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/result.hpp>

namespace kubist::executors {

/// What was found of Istio on a cluster. `verdict` is CamelCase: Absent, Present, Unknown for now.
struct IstioFinding {
  std::string verdict = "Unknown";
  std::vector<std::string> reasons;  ///< codes, for programs
  std::string version;
  std::string revision;
  std::string message;  ///< the evidence, for people; stable while nothing changes
  bool healthy = false;
};

/// Looks at a cluster's Istio. Never Absent because of a 403.
class IstioProbe {
 public:
  virtual ~IstioProbe() = default;
  /// `expected`: the Cluster's spec.istio. Fails only when the cluster cannot be asked at all.
  virtual util::Result<IstioFinding> look(kube::Client& client, const data::Json& expected,
                                          const std::stop_token& stop) const = 0;
};

/// By discovery and the istiod Deployments: is it there or not.
class BasicIstioProbe final : public IstioProbe {
 public:
  util::Result<IstioFinding> look(kube::Client& client, const data::Json& expected,
                                  const std::stop_token& stop) const override;
};

}  // namespace kubist::executors
