#include "releases/release_calls.hpp"

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/metrics/json_source.hpp>
#include <kubist/release/window.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "releases/release_jobs.hpp"
#include "releases/release_metrics.hpp"
#include "world/addresses.hpp"

namespace kubist::executors {

using data::Json;
using engine::PolicyCall;
using engine::WebhookCall;
using util::cat;

namespace {

constexpr std::size_t k_max_body = 64U << 10U;
constexpr std::size_t k_shown_answer = 200;  // of an answer

Json nothing(std::string_view reason, std::string_view message) {
  return {{"reason", reason}, {"message", message}};
}

Json refusal(const util::Error& error) {
  return nothing(error.reason, cat(error.message, ". ", error.hint));
}

http::Request request_for(const engine::Node& node, const release::Snapshot& snapshot,
                          const PolicyCall& call, const WebhookCall& webhook) {
  const Json what{call.name, webhook.url, webhook.metadata};
  const std::string checksum =
      util::sha256_hex(cat(node.uid, '/', snapshot.before.attempt, '/', snapshot.before.wave, '/',
                           snapshot.before.target, '/', snapshot.before.weight, '/', call.step, '/',
                           data::to_json(what)))
          .substr(0, 16);
  const Json body{{"name", node.key.name},
                  {"namespace", node.key.ns},
                  {"phase", to_string(snapshot.before.state)},
                  {"checksum", checksum},
                  {"metadata", webhook.metadata}};
  http::Request request;
  request.method = "POST";
  request.url = webhook.url;
  request.headers = {{"Content-Type", "application/json"}, {"webhook-id", checksum}};
  request.body = std::make_shared<const std::string>(data::to_json(body));
  request.timeout = webhook.timeout;
  request.max_body = k_max_body;
  return request;
}

}  // namespace

Json ReleaseCalls::answer(const engine::Node& node, const release::Snapshot& snapshot,
                          const PolicyCall& call, const std::stop_token& stop) const {
  if (snapshot.seen.target != snapshot.before.target) {
    return nothing(engine::k_reason_not_due, "there is another target");
  }
  if (m_world.dry_run != kube::DryRun::none) {
    return nothing("DryRun", "it is not called in a dry run");
  }
  if (const auto* webhook = std::get_if<WebhookCall>(&call.what)) {
    return post(node, request_for(node, snapshot, call, *webhook), stop);
  }
  return run_job(m_world, m_graph, node, snapshot, call, stop);
}

// Messages do not have the address, whose path may be a secret.
Json ReleaseCalls::post(const engine::Node& node, http::Request request,
                        const std::stop_token& stop) const {
  if (const auto allowed = check_address(m_graph, node, "webhooks", request.url, "its address");
      !allowed) {
    return refusal(allowed.error());
  }
  const auto seconds = request.timeout.count() / 1000;
  const auto answer = http::send(*m_engine.transport(), std::move(request), stop);
  if (!answer) {
    const bool late = answer.error().kind == util::ErrorKind::timeout;
    return late ? nothing("Timeout", cat("no answer within ", seconds, " s"))
                : nothing(answer.error().reason.empty() ? "Unreachable" : answer.error().reason,
                          "it could not be reached");
  }
  const std::string_view text = util::trim(answer->body);
  return {{"status", answer->status}, {"message", util::printable(text.substr(0, k_shown_answer))}};
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
