// What servers and proxies say when they say no. The first byte picks the status.
#include <kubist/data/document.hpp>
#include <kubist/kube/api_error.hpp>

#include "harness.hpp"

using namespace kubist;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  http::Response response;
  response.status = 400 + bytes[0] % 112;
  response.body = testing::text_of(bytes + 1, size - 1);
  const util::Error error = kube::api_error("PUT", "https://h/api", response);
  testing::require(!error.message.empty(), "every refusal has a message");
  static_cast<void>(error.to_string());
  static_cast<void>(kube::field_conflicts(error));
  static_cast<void>(kube::field_conflicts(response.body));
  static_cast<void>(kube::is_expired(error));
  static_cast<void>(kube::parse_warnings({{"Warning", response.body}}));
  if (const auto status = data::parse_json(response.body, "status")) {
    static_cast<void>(kube::status_error("watch", *status).to_string());
  }
  return 0;
}
