#include <condition_variable>
#include <map>
#include <mutex>

#include <kubist/http/retry.hpp>
#include <kubist/http/url.hpp>
#include <kubist/notify/courier.hpp>
#include <kubist/util/text.hpp>

namespace kubist::notify {

using util::cat;

namespace {

constexpr int k_of_project = 150;
constexpr int k_most = 300;  // and one more of each project that has none

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
  std::mutex mutex;  ///< guards what follows
  std::condition_variable changed;
  int under_way = 0;
  std::map<std::string, int> by_project;  ///< those that have some

  bool take(const std::string& project) {
    const std::lock_guard lock(mutex);
    const auto own = by_project.find(project);
    const bool first = own == by_project.end();
    if (under_way >= (first ? 2 * k_most - 1 : k_most) || (!first && own->second >= k_of_project)) {
      return false;
    }
    ++under_way;
    ++by_project[project];
    return true;
  }

  void give_back(const std::string& project) {
    const std::lock_guard lock(mutex);
    --under_way;
    if (const auto own = by_project.find(project); --own->second == 0) {
      by_project.erase(own);
    }
    changed.notify_all();
  }
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

Courier::Ended Courier::track(const std::string& project, const std::string& what) {
  if (!m_state->take(project)) {
    m_state->trouble(cat(what, " was dropped: too many are under way"));
    return nullptr;
  }
  return [state = m_state, project, what](const std::string& problem) {
    if (!problem.empty()) {
      state->trouble(cat(what, " did not arrive: ", problem));
    }
    state->give_back(project);
  };
}

void Courier::send(const std::string& project, const std::string& what, http::Request request) {
  const std::string host = host_of(request.url);
  if (const Ended ended = track(project, what)) {
    m_transport->start(std::move(request), [ended, host](util::Result<http::Response> outcome) {
      ended(outcome && outcome->status / 100 == 2 ? "" : cat(host, ": ", why(outcome)));
    });
  }
}

}  // namespace kubist::notify
