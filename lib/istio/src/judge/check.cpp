#include <algorithm>

#include <kubist/istio/check.hpp>

namespace kubist::istio {

util::Result<Report> check(kube::Client& client, const Scope& scope, const SupportTable& support,
                           const GatherOptions& options, const std::stop_token& stop) {
  KUBIST_TRY(const Evidence evidence, gather(client, options, stop));
  return judge(evidence, scope, support);
}

Report judge_for(const Evidence& evidence, std::string_view ns, const Scope& scope) {
  Report whole = judge(evidence, scope);
  for (const RevisionReport& each : whole.revisions) {
    if (std::ranges::find(each.namespaces, ns) != each.namespaces.end()) {
      return judge(evidence, {each.ns, each.name});
    }
  }
  return whole;
}

}  // namespace kubist::istio
