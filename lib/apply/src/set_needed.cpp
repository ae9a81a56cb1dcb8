#include <kubist/kube/writer.hpp>

#include "set_run.hpp"

namespace kubist::apply {

using data::Json;
using resources::ObjectView;

bool SetRun::make_needed() {
  auto needed = m_options.needs(m_client, m_objects, m_stop);
  if (!needed) {
    m_report.errors.push_back(needed.error());
    // Who may not ask for them sees what a dry run says of all others.
    return m_options.dry_run != kube::DryRun::none &&
           needed.error().kind == util::ErrorKind::forbidden;
  }
  m_needed = *std::move(needed);
  bool all_made = true;
  for (const Needed& each : m_needed) {
    if (m_stop.stop_requested()) {
      break;  // what else is to be done stops, too
    }
    const ObjectView view(each.object);
    ObjectResult result;
    result.ref = view.ref();
    result.api_version = view.api_version();
    result.outcome = Outcome::created;
    if (auto made = make(each, result); !made) {
      result.outcome = Outcome::failed;
      result.error = std::move(made).error();
      all_made = false;
    }
    report_result(std::move(result));
  }
  return all_made || m_options.dry_run != kube::DryRun::none;
}

util::Result<> SetRun::make(const Needed& needed, ObjectResult& result) {
  KUBIST_TRY(const auto resource,
             m_client.discovery().find_kind(result.api_version, result.ref.kind, m_stop));
  KUBIST_TRY(
      Json made,
      writer_for(result).with_manager(needed.manager).apply({m_client}, resource, needed.object));
  if (m_options.dry_run == kube::DryRun::none) {
    result.uid = ObjectView(made).uid();
    result.resource_version = ObjectView(made).resource_version();
  }
  if (m_keep_before || m_options.keep_objects) {
    result.live = std::move(made);
  }
  return {};
}

/// One whose writes become the result's.
kube::Writer SetRun::writer_for(ObjectResult& result) const {
  kube::Writer::Rules rules{
      .field_manager = m_options.manager, .dry_run = m_options.dry_run, .permit = m_options.permit};
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
