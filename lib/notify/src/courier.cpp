#include <condition_variable>
#include <mutex>

#include <kubist/http/retry.hpp>
#include <kubist/http/url.hpp>
#include <kubist/notify/courier.hpp>
#include <kubist/util/text.hpp>

namespace kubist::notify {

using util::cat;

namespace {

constexpr int k_most = 200;

/// Of a URL whose path may be a secret (Slack's are).
std::string host_of(const std::string& url) {
  const auto parsed = http::parse_url(url);
  return parsed ? cat(parsed->scheme, "://", parsed->host) : "an address that is no URL";
}

std::string why(const util::Result<http::Response>& outcome) {
  if (!outcome) {
    return outcome.error().reason.empty() ? "no answer in time" : outcome.error().reason;
  }
  return cat("status ", outcome->status);
}

}  // namespace

struct Courier::State {
  std::function<void(const std::string&)> trouble;
  std::mutex mutex;  ///< guards under_way
  std::condition_variable changed;
  int under_way = 0;
};

Courier::Courier(std::function<void(const std::string&)> trouble)
    : m_state(std::make_shared<State>()) {
  m_state->trouble = std::move(trouble);
  m_transport = std::make_shared<http::RetryTransport>(m_engine.transport());
}

Courier::~Courier() {
  std::unique_lock lock(m_state->mutex);
  m_state->changed.wait_for(lock, k_last_wait, [&] { return m_state->under_way == 0; });
}

Courier::Ended Courier::track(const std::string& what) {
  {
    const std::lock_guard lock(m_state->mutex);
    if (m_state->under_way < k_most) {
      ++m_state->under_way;
      return [state = m_state, what](const std::string& problem) {
        if (!problem.empty()) {
          state->trouble(cat(what, " did not arrive: ", problem));
        }
        const std::lock_guard ended(state->mutex);
        --state->under_way;
        state->changed.notify_all();
      };
    }
  }
  m_state->trouble(cat(what, " was dropped: ", k_most, " are under way"));
  return nullptr;
}

void Courier::send(const std::string& what, http::Request request) {
  const std::string host = host_of(request.url);
  if (const Ended ended = track(what)) {
    m_transport->start(std::move(request), [ended, host](util::Result<http::Response> outcome) {
      ended(outcome && outcome->status / 100 == 2 ? "" : cat(host, ": ", why(outcome)));
    });
  }
}

}  // namespace kubist::notify
