#pragma once
#include <chrono>
#include <string>

#include <kubist/http/headers.hpp>

namespace kubist::http {

/// What the server answered. Any status is a successful exchange; see transport.hpp.
struct Response {
  int status = 0;
  Headers headers;
  /// Its server is another's: what it says must not become advice.
  bool foreign = false;
  std::string body;                      ///< decoded; empty when it went to on_chunk
  std::chrono::microseconds elapsed{0};  ///< from the start of the transfer to its end
  std::chrono::microseconds latency{0};  ///< from the request sent to the first byte
};

}  // namespace kubist::http
