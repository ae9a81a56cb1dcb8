#include <atomic>
#include <ctime>
#include <limits>
#include <mutex>
#include <utility>

#include <kubist/http/retry.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

namespace kubist::http {
namespace {

using Verdict = Retry::Verdict;

bool is_read(const Request& request) { return request.method == "GET" || request.method == "HEAD"; }

Retry classify_status(const Request& request, const Response& response) {
  const int status = response.status;
  const auto header = find_header(response.headers, "Retry-After");
  const auto after =
      header ? parse_retry_after(*header, std::chrono::system_clock::now()) : std::nullopt;
  if (after && (status == 429 || status >= 500)) {
    return {Verdict::told, after};
  }
  const bool gateway = status == 502 || status == 503 || status == 504;
  if (status == 429 || (is_read(request) && (status == 500 || gateway)) ||
      (request.idempotent && gateway)) {
    return {Verdict::may, {}};
  }
  return {};
}

Retry classify_error(const Request& request, const util::Error& error) {
  if (error.reason == k_failure_refused || error.reason == k_failure_not_processed ||
      (error.reason == k_failure_lost && request.repeatable())) {
    return {Verdict::may, {}};
  }
  return {};
}

}  // namespace

Retry classify(const Request& request, const util::Result<Response>& outcome, bool streamed) {
  if (streamed && (!request.on_head || request.long_running)) {
    return {};
  }
  return outcome ? classify_status(request, *outcome) : classify_error(request, outcome.error());
}

std::optional<std::chrono::milliseconds> parse_retry_after(
    std::string_view value, std::chrono::system_clock::time_point now) {
  if (const auto seconds = util::parse_int(util::trim(value))) {
    return std::chrono::seconds(std::clamp(*seconds, 0LL, 86400LL));
  }
  std::tm parts{};
  if (strptime(std::string(value).c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts) == nullptr) {
    return {};
  }
  const auto when = std::chrono::system_clock::from_time_t(timegm(&parts));
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(when - now),
                  std::chrono::milliseconds(0));
}

struct RetryTransport::Shared {
  std::shared_ptr<Transport> inner;
  RetryPolicy policy;
  const util::Clock& clock;
  std::function<double()> unit;
};

namespace {

/// One call through all its attempts.
template <class Shared>
class Attempts : public std::enable_shared_from_this<Attempts<Shared>> {
 public:
  Attempts(std::shared_ptr<Shared> shared, Request request, Done done)
      : m_shared(std::move(shared)),
        m_request(std::move(request)),
        m_done(std::move(done)),
        m_began(m_shared->clock.monotonic()) {}

  void next() {
    const int attempt = ++m_attempt;
    m_streamed = false;
    Request request = m_request;
    if (m_request.on_chunk) {
      request.on_chunk = [self = this->shared_from_this()](std::string_view bytes) {
        self->m_streamed = true;
        return self->m_request.on_chunk(bytes);
      };
    }
    const Call call = m_shared->inner->start(
        std::move(request), [self = this->shared_from_this()](util::Result<Response> outcome) {
          self->on_outcome(std::move(outcome));
        });
    const std::lock_guard lock(m_mutex);
    if (attempt >= m_current_of) {  // else a later attempt has begun inside start() already
      m_current_of = attempt;
      m_current = call;
    }
    if (m_cancelled) {
      call.cancel();
    }
  }

  void cancel() {
    Call current;
    {
      const std::lock_guard lock(m_mutex);
      m_cancelled = true;
      current = m_current;
    }
    current.cancel();
  }

 private:
  void on_outcome(util::Result<Response> outcome) {
    const Retry retry = classify(m_request, outcome, m_streamed);
    const RetryPolicy& policy = m_shared->policy;
    const int limit =
        retry.verdict == Verdict::told ? policy.max_attempts_told : policy.max_attempts;
    if (retry.verdict == Verdict::no || m_attempt >= limit || is_cancelled()) {
      return finish(std::move(outcome));
    }
    const auto delay =
        util::backoff_delay(policy.backoff, m_attempt, m_shared->unit(), retry.after);
    const auto now = m_shared->clock.monotonic();
    if (now + delay - m_began > policy.budget) {
      return finish(std::move(outcome));
    }
    m_request.not_before = now + delay;
    next();
  }

  // Lets go of the last attempt: its handlers hold this, so the two would keep each other.
  void finish(util::Result<Response> outcome) {
    {
      const std::lock_guard lock(m_mutex);
      m_current = Call();
      m_current_of = std::numeric_limits<int>::max();
    }
    const Done done = std::exchange(m_done, nullptr);
    done(std::move(outcome));
  }

  bool is_cancelled() {
    const std::lock_guard lock(m_mutex);
    return m_cancelled;
  }

  std::shared_ptr<Shared> m_shared;
  Request m_request;
  Done m_done;
  const std::chrono::steady_clock::time_point m_began;
  std::atomic<int> m_attempt = 0;
  std::atomic<bool> m_streamed = false;
  std::mutex m_mutex;  // guards what follows
  Call m_current;
  int m_current_of = 0;
  bool m_cancelled = false;
};

}  // namespace

RetryTransport::RetryTransport(std::shared_ptr<Transport> inner, RetryPolicy policy,
                               const util::Clock& clock, std::function<double()> unit)
    : m_shared(std::make_shared<Shared>(
          Shared{std::move(inner), policy, clock, unit ? std::move(unit) : util::random_unit})) {}

Call RetryTransport::start(Request request, Done done) {
  if (request.long_running) {
    return m_shared->inner->start(std::move(request), std::move(done));
  }
  const auto attempts =
      std::make_shared<Attempts<Shared>>(m_shared, std::move(request), std::move(done));
  attempts->next();
  return Call([attempts] { attempts->cancel(); });
}

}  // namespace kubist::http
