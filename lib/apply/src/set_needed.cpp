#include <kubist/kube/writer.hpp>

#include "set_run.hpp"

namespace kubist::apply {

using data::Json;
using resources::ObjectView;

util::Result<> SetRun::make_needed() {
  KUBIST_TRY(m_needed, m_options.needs(m_client, m_objects, m_stop));
  for (const Needed& each : m_needed) {
    const ObjectView view(each.object);
    ObjectResult result;
    result.ref = view.ref();
    result.api_version = view.api_version();
    result.outcome = Outcome::created;
    KUBIST_TRY(const auto resource,
               m_client.discovery().find_kind(view.api_version(), view.kind(), m_stop));
    KUBIST_TRY(Json made,
               writer_for(result).with_manager(each.manager).apply({m_client}, resource, each.object));
    if (m_options.dry_run == kube::DryRun::none) {
      result.uid = ObjectView(made).uid();
      result.resource_version = ObjectView(made).resource_version();
    }
    if (m_keep_before) {
      result.live = std::move(made);
    }
    report_result(std::move(result));
  }
  return {};
}

/// One whose writes become the result's.
kube::Writer SetRun::writer_for(ObjectResult& result) const {
  kube::Writer::Rules rules{.field_manager = m_options.manager,
                            .dry_run = m_options.dry_run,
                            .permit = m_options.permit};
  rules.told = [this, &result](const kube::Write& write) {
    result.written = m_options.dry_run == kube::DryRun::none;
    if (m_options.keep_calls) {
      result.calls.push_back(write.call);
    }
  };
  return kube::Writer(std::move(rules));
}

void SetRun::report_result(ObjectResult result) {
  m_report.results.push_back(std::move(result));
  if (m_options.on_result) {
    m_options.on_result(m_report.results.back());
  }
}

}  // namespace kubist::apply
