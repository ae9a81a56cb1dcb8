#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include <kubist/http/transport.hpp>
#include <kubist/util/backoff.hpp>
#include <kubist/util/clock.hpp>

namespace kubist::http {

struct RetryPolicy {
  util::BackoffPolicy backoff;
  int max_attempts = 4;        ///< of one request, the first one included
  int max_attempts_told = 11;  ///< where the server sends Retry-After (as client-go: 10 retries)
  std::chrono::milliseconds budget{
      90000};  ///< no retry starts later than this after the first attempt
};

/// What may be done about an outcome.
struct Retry {
  enum class Verdict {
    no,    ///< final
    may,   ///< trying again is safe and may help
    told,  ///< the server says when to come back
  } verdict = Verdict::no;
  std::optional<std::chrono::milliseconds> after;  ///< the server's floor (Retry-After)
};

/// Classifies one outcome of one request; pure. `streamed`: chunks have been delivered already.
///   429 and 5xx with Retry-After                       told, any method: the server did not act
///   429 without it; 500, 502, 503, 504 of GET, HEAD    may
///   502, 503, 504 of idempotent writes                 may
///   refused connection, REFUSED_STREAM                 may, any method: nothing was processed
///   lost connection, nothing for 75 s                  may, if idempotent
///   anything else (4xx, TLS, DNS, timeout, cancelled)  no
Retry classify(const Request& request, const util::Result<Response>& outcome,
               bool streamed = false);

/// Seconds or an HTTP date (RFC 9110 10.2.3), as a delay from `now`.
std::optional<std::chrono::milliseconds> parse_retry_after(
    std::string_view value, std::chrono::system_clock::time_point now);

/// Repeats calls as classify() allows, with full jitter. Long-running exchanges pass through: their
/// owners resume them.
class RetryTransport : public Transport {
 public:
  /// `unit` gives uniform numbers in [0, 1).
  RetryTransport(std::shared_ptr<Transport> inner, RetryPolicy policy = {},
                 const util::Clock& clock = util::system_clock(),
                 std::function<double()> unit = nullptr);
  Call start(Request request, Done done) override;

 private:
  struct Shared;
  std::shared_ptr<Shared> m_shared;
};

}  // namespace kubist::http
