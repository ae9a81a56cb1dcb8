#include <kubist/data/json_text.hpp>
#include <kubist/notify/hook.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::notify {

using engine::Json;
using engine::WebhookCall;
using util::cat;

namespace {

constexpr std::size_t k_max_body = 64U << 10U;
constexpr std::size_t k_shown_answer = 200;  // of an answer

http::Request request_of(const engine::PolicyCall& call, const WebhookCall& webhook,
                         const HookCaller& caller) {
  const Json what{call.name, webhook.url, webhook.metadata};
  const std::string checksum =
      util::sha256_hex(cat(caller.occasion, '/', call.step, '/', data::to_json(what)))
          .substr(0, 16);
  const Json body{{"name", caller.name},
                  {"namespace", caller.ns},
                  {"phase", caller.phase},
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

Json call_hook(http::Transport& transport, const engine::PolicyCall& call, const HookCaller& caller,
               const std::stop_token& stop) {
  const auto& webhook = std::get<WebhookCall>(call.what);
  const auto answer = http::send(transport, request_of(call, webhook, caller), stop);
  if (answer) {
    const std::string_view text = util::trim(answer->body);
    return {{"status", answer->status},
            {"message", util::printable(text.substr(0, k_shown_answer))}};
  }
  if (answer.error().kind == util::ErrorKind::timeout) {
    return {{"reason", "Timeout"},
            {"message", cat("no answer within ", webhook.timeout.count(), " s")}};
  }
  return {{"reason", answer.error().reason.empty() ? "Unreachable" : answer.error().reason},
          {"message", "it could not be reached"}};
}

}  // namespace kubist::notify
