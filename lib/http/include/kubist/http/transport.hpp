#pragma once
#include <functional>
#include <stop_token>
#include <string_view>
#include <utility>

#include <kubist/http/request.hpp>
#include <kubist/http/response.hpp>
#include <kubist/util/result.hpp>

namespace kubist::http {

/// Takes the outcome of one exchange. Called exactly once, on the worker's thread (or, where
/// nothing had to be sent, inside start()): be quick, never block, do not throw (one that does is
/// called again, with the exception as an Error of kind internal). It may start further calls.
using Done = std::function<void(util::Result<Response>)>;

/// A handle on a call in progress. Cheap to copy; dropping it lets the call go on.
class Call {
 public:
  Call() = default;
  explicit Call(std::function<void()> cancel) : m_cancel(std::move(cancel)) {}
  /// Ends the call soon: its Done gets kind cancelled, unless it has been called already. Any
  /// thread.
  void cancel() const {
    if (m_cancel) {
      m_cancel();
    }
  }

 private:
  std::function<void()> m_cancel;
};

/// Where HTTP leaves the program: curl_transport.hpp in programs, tests/support/fake_transport.hpp
/// in tests, and decorators (retry.hpp, logging.hpp) in between. start() may be called from any
/// thread.
///
/// An answer of any status is a Response. An Error means that there was none: kind timeout,
/// cancelled or unavailable, the message names method, URL (without user info) and cause, `reason`
/// is one of the k_failure_* below.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual Call start(Request request, Done done) = 0;
};

// Error::reason of an exchange without an answer.
inline constexpr std::string_view k_failure_resolve = "Unresolvable";  ///< no such host name
inline constexpr std::string_view k_failure_refused =
    "ConnectionRefused";  ///< nobody listens there
inline constexpr std::string_view k_failure_connect =
    "ConnectFailed";                                            ///< no route, no answer in time
inline constexpr std::string_view k_failure_tls = "TlsFailed";  ///< handshake or certificate
inline constexpr std::string_view k_failure_lost = "ConnectionLost";  ///< broke after it stood
inline constexpr std::string_view k_failure_not_processed = "NotProcessed";  ///< REFUSED_STREAM
inline constexpr std::string_view k_failure_protocol = "ProtocolError";  ///< the answer is not HTTP
inline constexpr std::string_view k_failure_too_large =
    "TooLarge";  ///< longer than docs/reference/limits.md
/// It leads to an address that must not be asked (address.hpp): kind forbidden.
inline constexpr std::string_view k_failure_address = "AddressNotAllowed";

/// Sends the request and waits for its outcome. Stop cancels it. Not from a Done callback.
util::Result<Response> send(Transport& transport, Request request, std::stop_token stop = {});

/// Sends the request and hands the body of a 2xx answer to `on_chunk` on this thread, piece by
/// piece, so that the receiver may take its time. False from it ends the exchange: kind cancelled,
/// as with stop. More than 64 MB waiting for a slow receiver break the connection off as
/// k_failure_lost. `request` must not have an on_chunk of its own. Not from a Done callback.
util::Result<Response> stream(Transport& transport, Request request,
                              const std::function<bool(std::string_view)>& on_chunk,
                              std::stop_token stop = {});

}  // namespace kubist::http
