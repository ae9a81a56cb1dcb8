#include <kubist/notify/post.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::notify {

using data::Json;
using util::cat;

namespace {

constexpr std::chrono::seconds k_timeout{10};

std::string body_of(const Json& body) {
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

http::Request post(const std::string& url, const Json& body) {
  http::Request request;
  request.method = "POST";
  request.url = url;
  request.headers.push_back({"Content-Type", "application/json"});
  request.body = std::make_shared<const std::string>(body_of(body));
  request.timeout = k_timeout;
  request.idempotent = true;  // the id tells the receiver
  request.max_body = 64 << 10U;
  return request;
}

std::string escaped(std::string_view text) {
  return util::replace_all(
      util::replace_all(util::replace_all(std::string(text), "&", "&amp;"), "<", "&lt;"), ">",
      "&gt;");
}

}  // namespace

http::Request slack_post(const std::string& url, const Batch& batch) {
  constexpr std::size_t k_max_lines = 40;
  std::string text;
  const std::size_t shown = std::min(batch.messages.size(), k_max_lines);
  for (std::size_t at = 0; at < shown; ++at) {
    text += cat(at == 0 ? "" : "\n", escaped(to_line(batch.messages[at])));
  }
  if (shown < batch.messages.size()) {
    text += cat("\nand ", batch.messages.size() - shown, " more");
  }
  return post(url, {{"text", text}});
}

http::Request webhook_post(const std::string& url, const Batch& batch, const util::Secret& key) {
  constexpr std::size_t k_max_messages = 1000;
  constexpr std::size_t k_max_bytes = std::size_t{1000} << 10U;  // of these; some more around them
  Json data{{"run", batch.run}, {"notifications", Json::array()}};
  std::size_t shown = 0;
  std::size_t bytes = 0;
  for (; shown < std::min(batch.messages.size(), k_max_messages); ++shown) {
    Json each = to_json(batch.messages[shown]);
    bytes += body_of(each).size();
    if (bytes > k_max_bytes) {
      break;
    }
    data["notifications"].push_back(std::move(each));
  }
  if (shown < batch.messages.size()) {
    data["more"] = batch.messages.size() - shown;
  }
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(batch.time.time_since_epoch()).count();
  const std::string timestamp = std::to_string(seconds);
  http::Request request = post(url, {{"type", "kubist.notification"},
                                     {"timestamp", util::format_time(batch.time)},
                                     {"data", std::move(data)}});
  request.headers.push_back({"webhook-id", batch.id});
  request.headers.push_back({"webhook-timestamp", timestamp});
  if (!key.empty()) {
    request.headers.push_back(
        {"webhook-signature", webhook_signature(key, batch.id, timestamp, *request.body)});
  }
  return request;
}

std::string webhook_signature(const util::Secret& key, std::string_view id,
                              std::string_view timestamp, std::string_view body) {
  constexpr std::string_view k_encoded = "whsec_";
  const std::string& text = key.reveal();
  const auto decoded = text.starts_with(k_encoded)
                           ? util::base64_decode(std::string_view(text).substr(k_encoded.size()))
                           : std::nullopt;
  return cat("v1,", util::base64_encode(util::hmac_sha256_raw(decoded ? *decoded : text,
                                                              cat(id, '.', timestamp, '.', body))));
}

}  // namespace kubist::notify
