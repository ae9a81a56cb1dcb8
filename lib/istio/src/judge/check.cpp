#include <kubist/istio/check.hpp>

namespace kubist::istio {

util::Result<Report> check(kube::Client& client, const Scope& scope, const SupportTable& support,
                           const GatherOptions& options, const std::stop_token& stop) {
  KUBIST_TRY(const Evidence evidence, gather(client, options, stop));
  return judge(evidence, scope, support);
}

}  // namespace kubist::istio
