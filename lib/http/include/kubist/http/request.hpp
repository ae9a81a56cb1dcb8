#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <kubist/http/headers.hpp>
#include <kubist/http/response.hpp>
#include <kubist/util/result.hpp>

namespace kubist::http {

/// May a request be sent now, and stay on its way? An error says why not. Any thread; never blocks.
using Permit = std::function<util::Result<>()>;

/// One request. Copies are cheap (the body is shared) and may be sent again.
struct Request {
  std::string method = "GET";
  std::string url;  ///< absolute
  Headers headers;
  std::shared_ptr<const std::string> body;  ///< null: none

  /// For the whole exchange; 0: none, but a connection must stand within 30 s.
  std::chrono::milliseconds timeout{0};
  /// The connection counts as lost when no byte came for so long; 0: never. API servers give up
  /// after 60 s.
  std::chrono::seconds silence{75};
  /// Not sent before this moment: a retry waits in the worker's timer queue, not in a thread.
  std::chrono::steady_clock::time_point not_before{};
  /// Sent before all others that wait for the same server: the renewal of a lock.
  bool urgent = false;
  /// A watch or a followed log: own connections, never compressed; dead peers are found by TCP
  /// (keepalive and TCP_USER_TIMEOUT, 30 s).
  bool long_running = false;
  /// Sending it twice does what sending it once does, though its method does not say so
  /// (server-side apply, DELETE with a uid precondition). GET and HEAD always are.
  bool idempotent = false;
  /// May it be sent again where nobody knows whether the server has acted?
  bool repeatable() const { return idempotent || method == "GET" || method == "HEAD"; }
  /// Asked before each attempt, however long it waited, and each second while one is on its way.
  /// Its error ends the exchange. Null: always.
  Permit permit;
  bool follow_redirects = false;  ///< http and https only, at most 10
  /// A longer answer is an error, streamed or not; counted unpacked. 0: no limit, but 16 MiB for
  /// the body of an answer other than 2xx.
  std::size_t max_body = 0;

  /// When set, the body of a 2xx answer comes here in pieces as it arrives (on the worker's thread:
  /// be quick) and Response::body stays empty; other answers are collected as usual. False ends the
  /// exchange with kind cancelled.
  std::function<bool(std::string_view)> on_chunk;
  /// Called before the first chunk of each attempt with status and headers: forget what an earlier
  /// attempt brought. Without it, an exchange that failed after its first chunk is not retried, and
  /// a long_running one never is.
  std::function<void(const Response&)> on_head;
};

}  // namespace kubist::http
