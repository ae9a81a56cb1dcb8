#include <algorithm>

#include <kubist/istio/check.hpp>

#include "judge/model.hpp"

namespace kubist::istio {

util::Result<Report> check(kube::Client& client, const Scope& scope, const SupportTable& support,
                           const GatherOptions& options, const std::stop_token& stop) {
  KUBIST_TRY(const Evidence evidence, gather(client, options, stop));
  return judge(evidence, scope, support);
}

Report judge_for(const Evidence& evidence, std::string_view ns, const Scope& scope) {
  const Model model = make_model(evidence, scope, built_in_support());
  for (const RevisionView& each : model.revisions) {
    if (each.in_scope && std::ranges::find(each.namespaces, ns) != each.namespaces.end()) {
      return judge(evidence, {each.ns, each.name});
    }
  }
  return judge(evidence, scope);
}

}  // namespace kubist::istio
