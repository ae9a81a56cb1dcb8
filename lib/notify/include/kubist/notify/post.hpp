#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/http/request.hpp>
#include <kubist/notify/message.hpp>
#include <kubist/util/secret.hpp>

namespace kubist::notify {

/// What one run has to say to one sink.
struct Batch {
  std::string id;  ///< the receiver knows by it what it has seen already
  std::chrono::system_clock::time_point time;
  std::vector<Message> messages;
  std::string run = {};  ///< the run's id
};

/// {"text": ...} for a Slack-compatible incoming webhook: a line a message, the first 40.
/// Source: Slack, "Sending messages using incoming webhooks"; & < > are escaped as it asks.
http::Request slack_post(const std::string& url, const Batch& batch);

/// {"type": "kubist.notification", "timestamp", "data": {"run", "notifications": [...]}} (the
/// first 1,000, and how many "more" there are) with the headers
/// webhook-id, webhook-timestamp and, where there is a key, webhook-signature "v1,BASE64" of
/// HMAC-SHA256 over "ID.TIMESTAMP.BODY". A key that begins with whsec_ is base64.
/// Source: Standard Webhooks 1.0.0.
http::Request webhook_post(const std::string& url, const Batch& batch, const util::Secret& key);

/// webhook-signature of that body.
std::string webhook_signature(const util::Secret& key, std::string_view id,
                              std::string_view timestamp, std::string_view body);

}  // namespace kubist::notify
