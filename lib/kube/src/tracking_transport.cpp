#include "tracking_transport.hpp"

#include <condition_variable>
#include <mutex>
#include <unordered_map>

namespace kubist::kube {

struct TrackingTransport::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::unordered_map<std::uint64_t, http::Call> calls;  // in progress; empty Call: not started yet
  std::uint64_t next_id = 1;

  void end(std::uint64_t id) {
    const std::lock_guard lock(mutex);
    calls.erase(id);
    changed.notify_all();
  }
};

TrackingTransport::TrackingTransport(std::shared_ptr<http::Transport> inner)
    : m_inner(std::move(inner)), m_shared(std::make_shared<Shared>()) {}

TrackingTransport::~TrackingTransport() {
  std::unique_lock lock(m_shared->mutex);
  const auto calls = m_shared->calls;
  lock.unlock();
  for (const auto& entry : calls) {
    entry.second.cancel();
  }
  lock.lock();
  m_shared->changed.wait(lock, [this] { return m_shared->calls.empty(); });
}

http::Call TrackingTransport::start(http::Request request, http::Done done) {
  std::uint64_t id = 0;
  {
    const std::lock_guard lock(m_shared->mutex);
    id = m_shared->next_id++;
    m_shared->calls.emplace(id, http::Call());
  }
  http::Call call;
  try {
    call = m_inner->start(std::move(request), [shared = m_shared, id, done = std::move(done)](
                                                  util::Result<http::Response> outcome) {
      done(std::move(outcome));
      shared->end(id);
    });
  } catch (...) {
    m_shared->end(id);  // else the destructor waits for what never began
    throw;
  }
  const std::lock_guard lock(m_shared->mutex);
  if (const auto entry = m_shared->calls.find(id); entry != m_shared->calls.end()) {
    entry->second = call;
  }
  return call;
}

}  // namespace kubist::kube
