#pragma once
#include <string>
#include <utility>

#include <kubist/http/transport.hpp>

namespace kubist::testing {

/// Hands an answer over as a transport does: in pieces to a receiver of pieces, where it has one.
inline void deliver(const http::Request& request, util::Result<http::Response> outcome,
                    const http::Done& done) {
  if (outcome && request.on_chunk && outcome->status / 100 == 2) {
    const std::string body = std::exchange(outcome->body, {});
    if (request.on_head) {
      request.on_head(*outcome);
    }
    if (!body.empty() && !request.on_chunk(body)) {
      outcome = util::fail(util::ErrorKind::cancelled, "stopped by its receiver");
    }
  }
  done(std::move(outcome));
}

}  // namespace kubist::testing
