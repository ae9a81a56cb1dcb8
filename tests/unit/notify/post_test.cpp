#include <doctest/doctest.h>

#include <kubist/http/headers.hpp>
#include <kubist/notify/post.hpp>

using namespace kubist;
using data::Json;

namespace {

notify::Batch batch(int count) {
  notify::Batch made{"run-1", std::chrono::system_clock::from_time_t(1614265330), {}};
  for (int at = 0; at < count; ++at) {
    notify::Message message;
    message.node = {"kubist.io", "Cluster", "shop", "c" + std::to_string(at)};
    message.reason = "Aligned";
    message.text = "a < b & c";
    made.messages.push_back(message);
  }
  return made;
}

}  // namespace

// The values of the Standard Webhooks libraries' own tests.
TEST_CASE("webhook: is signed as Standard Webhooks says") {
  CHECK(notify::webhook_signature(util::Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
                                  "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330",
                                  R"({"test": 2432232314})") ==
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST_CASE("webhook: carries the changes as data") {
  const auto request = notify::webhook_post("https://x/y", batch(2), util::Secret("key"));
  CHECK(request.method == "POST");
  const Json body = Json::parse(*request.body);
  CHECK(body["type"] == "kubist.notification");
  CHECK(body["timestamp"] == "2021-02-25T15:02:10Z");
  CHECK(body["data"]["notifications"].size() == 2);
  CHECK(body["data"]["notifications"][1] == Json{{"level", "INFO"},
                                                 {"kind", "Cluster"},
                                                 {"namespace", "shop"},
                                                 {"name", "c1"},
                                                 {"ready", ""},
                                                 {"reason", "Aligned"},
                                                 {"message", "a < b & c"}});
  CHECK(http::find_header(request.headers, "webhook-id") == "run-1");
  CHECK(http::find_header(request.headers, "webhook-signature"));
  CHECK(!http::find_header(notify::webhook_post("https://x", batch(1), {}).headers,
                           "webhook-signature"));
}

TEST_CASE("webhook: of very many changes the first, and how many more there are") {
  const Json body = Json::parse(*notify::webhook_post("https://x", batch(1002), {}).body);
  CHECK(body["data"]["notifications"].size() == 1000);
  CHECK(body["data"]["more"] == 2);
}

TEST_CASE("webhook: a body takes 1 MiB, of which control characters fill more than their length") {
  auto much = batch(1000);
  for (auto& message : much.messages) {
    message.text = std::string(1024, '\1');
  }
  const auto request = notify::webhook_post("https://x", much, {});
  CHECK(request.body->size() <= std::size_t{1} << 20U);
  const Json body = Json::parse(*request.body);
  const std::size_t shown = body["data"]["notifications"].size();
  CHECK(shown > 100);
  CHECK(body["data"]["more"] == 1000 - shown);
}

TEST_CASE("slack: one text, not too long, escaped") {
  const Json body = Json::parse(*notify::slack_post("https://x", batch(42)).body);
  const auto text = body["text"].get<std::string>();
  CHECK(text.starts_with("INFO Cluster shop/c0: Aligned: a &lt; b &amp; c\n"));
  CHECK(text.ends_with("\nand 2 more"));
}

TEST_CASE("slack: a line for each message, whatever its text has") {
  auto two = batch(2);
  two.messages[0].text = "bad\nERROR Cluster bank/home: Gone";
  const Json body = Json::parse(*notify::slack_post("https://x", two).body);
  CHECK(body["text"] ==
        "INFO Cluster shop/c0: Aligned: bad ERROR Cluster bank/home: Gone\n"
        "INFO Cluster shop/c1: Aligned: a &lt; b &amp; c");
}
