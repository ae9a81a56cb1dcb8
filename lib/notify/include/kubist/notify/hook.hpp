#pragma once
#include <stop_token>
#include <string>

#include <kubist/engine/call.hpp>
#include <kubist/http/transport.hpp>

namespace kubist::notify {

/// The release that calls a webhook.
struct HookCaller {
  std::string name, ns;
  std::string phase;     ///< its state
  std::string occasion;  ///< the attempt, and where in it; every call of one step has the same
};

/// Posts what Flagger posts, {name, namespace, phase, checksum, metadata}, and waits for the answer
/// as long as the call's timeout: {status, message}. The checksum, also the header webhook-id, is
/// the same for every call of one step and occasion. {reason, message}: nobody answered; the
/// message does not have the address, whose path may be a secret. Whether that is allowed is for
/// the caller to judge; redirects are not followed.
/// REQUIRES: the call is a WebhookCall.
engine::Json call_hook(http::Transport& transport, const engine::PolicyCall& call,
                       const HookCaller& caller, const std::stop_token& stop);

}  // namespace kubist::notify
