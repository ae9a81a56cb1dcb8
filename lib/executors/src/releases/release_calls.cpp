#include "releases/release_calls.hpp"

#include <kubist/metrics/json_source.hpp>
#include <kubist/notify/hook.hpp>
#include <kubist/release/window.hpp>
#include <kubist/util/text.hpp>

#include "releases/release_jobs.hpp"
#include "releases/release_metrics.hpp"
#include "world/addresses.hpp"

namespace kubist::executors {

using data::Json;
using util::cat;

namespace {

Json nothing(std::string_view reason, std::string_view message) {
  return {{"reason", reason}, {"message", message}};
}

Json refusal(const util::Error& error) {
  return nothing(error.reason, cat(error.message, ". ", error.hint));
}

notify::HookCaller caller_of(const engine::Node& node, const release::Snapshot& snapshot) {
  const release::Progress& before = snapshot.before;
  return {
      node.key.name, node.key.ns, std::string(to_string(before.state)),
      cat(node.uid, '/', before.attempt, '/', before.wave, '/', before.target, '/', before.weight)};
}

}  // namespace

Json ReleaseCalls::answer(const engine::Node& node, const release::Snapshot& snapshot,
                          const engine::RequestedCall& requested,
                          const std::stop_token& stop) const {
  if (snapshot.seen.target != snapshot.before.target) {
    return nothing(engine::k_reason_not_due, "there is another target");
  }
  if (m_world.dry_run != kube::DryRun::none) {
    return nothing("DryRun", "it is not called in a dry run");
  }
  if (const auto* webhook = std::get_if<engine::WebhookCall>(&requested.call.what)) {
    const auto allowed = check_address(m_graph, node, "webhooks", webhook->url, "its address");
    return allowed ? notify::call_hook(*m_engine.transport(), requested.call,
                                       caller_of(node, snapshot), stop)
                   : refusal(allowed.error());
  }
  return run_job(m_world, m_graph, node, snapshot, requested, stop);
}

Json ReleaseCalls::read(const engine::Node& node, const release::Snapshot& snapshot,
                        const engine::WebQuery& query, const std::stop_token& stop) const {
  if (!release::is_measured(snapshot.before)) {
    return nothing("NotObserved", "no weight is under way");
  }
  if (const auto allowed = check_address(m_graph, node, "metrics", query.url, "its address");
      !allowed) {
    return refusal(allowed.error());
  }
  const auto number = metrics::read_json_source(*m_engine.transport(),
                                                {query.url, {}, query.path, query.timeout}, stop);
  return number ? Json{{"value", *number}} : nothing(number.error().reason, number.error().message);
}

}  // namespace kubist::executors
