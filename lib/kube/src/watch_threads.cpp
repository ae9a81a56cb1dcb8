#include "watch_threads.hpp"

#include <algorithm>
#include <utility>

#include <kubist/util/memory.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::kube {
namespace {

constexpr std::size_t k_idle_threads = 2;

}  // namespace

WatchThreads::~WatchThreads() {
  {
    const std::lock_guard lock(m_mutex);
    m_stop = true;
  }
  m_changed.notify_all();
}

util::Result<> WatchThreads::start() {
  const std::lock_guard lock(m_mutex);
  return m_threads.empty() ? add_thread() : util::Result<>{};
}

util::Result<> WatchThreads::add_thread() {
  KUBIST_TRY(auto thread, util::start_thread([this](const std::stop_token&) { work(); }));
  m_threads.push_back(std::move(thread));
  ++m_idle;
  return {};
}

/// Where there can be no more threads, what waits is run later.
void WatchThreads::keep_one_idle() {
  if (m_idle == 0 && !m_queue.empty()) {
    static_cast<void>(add_thread());
  }
}

void WatchThreads::wake(Job& job, Time when) {
  const std::lock_guard lock(m_mutex);
  if (job.m_removed) {
    return;
  }
  if (job.m_runs) {
    job.m_again = std::min(job.m_again.value_or(when), when);
    return;
  }
  queue(job, when);
}

void WatchThreads::queue(Job& job, Time when) {
  const auto place =
      m_queue.emplace(job.m_place ? std::min(when, Time((*job.m_place)->first)) : when, &job);
  if (job.m_place) {
    m_queue.erase(*job.m_place);
  }
  job.m_place = place;
  keep_one_idle();
  m_changed.notify_one();
}

void WatchThreads::remove(Job& job) {
  std::unique_lock lock(m_mutex);
  job.m_removed = true;
  job.m_again.reset();
  if (job.m_place) {
    m_queue.erase(*std::exchange(job.m_place, std::nullopt));
  }
  m_done.wait(lock, [&] { return !job.m_runs; });
}

void WatchThreads::work() {
  util::keep_no_freed_memory();
  std::unique_lock lock(m_mutex);
  while (!m_stop) {
    if (join_ended(lock)) {
      continue;
    }
    if (m_queue.empty()) {
      m_changed.wait(lock);
      continue;
    }
    const auto next = m_queue.begin();
    if (next->first > Clock::now()) {
      m_changed.wait_until(lock, Time(next->first));
      continue;
    }
    Job& job = *next->second;
    m_queue.erase(next);
    job.m_place.reset();
    job.m_runs = true;
    --m_idle;
    keep_one_idle();
    lock.unlock();
    job.run();
    lock.lock();
    job.m_runs = false;
    if (const auto again = std::exchange(job.m_again, std::nullopt)) {
      queue(job, *again);
    }
    m_done.notify_all();
    if (m_idle >= k_idle_threads && !m_stop) {
      const auto self = std::find_if(m_threads.begin(), m_threads.end(), [](const auto& each) {
        return each.get_id() == std::this_thread::get_id();
      });
      m_ended.splice(m_ended.end(), m_threads, self);
      m_changed.notify_one();
      return;
    }
    ++m_idle;
  }
}

/// Their stacks are kept until then. False: there were none.
bool WatchThreads::join_ended(std::unique_lock<std::mutex>& lock) {
  std::list<std::jthread> ended = std::exchange(m_ended, {});
  if (ended.empty()) {
    return false;
  }
  lock.unlock();
  ended.clear();
  lock.lock();
  return true;
}

}  // namespace kubist::kube
