#include "item/in_order.hpp"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>

#include <kubist/util/fair_places.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::deployers {
namespace {

/// Threads besides those that call: an item may hold its thread for good, and groups nest.
constexpr util::Shares k_helpers{256, 1023};

util::FairPlaces& helpers() {
  static util::FairPlaces places(k_helpers);
  return places;
}

class OrderedRun {
 public:
  OrderedRun(const Order& order, const std::string& project,
             const std::function<void(std::size_t, const util::Error&)>& failed,
             const std::function<void(std::size_t)>& run)
      : m_after(reversed(order)),
        m_project(project),
        m_failed(failed),
        m_run(run),
        m_left(order.size()) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      m_waits.push_back(order[i].size());
      if (order[i].empty()) {
        m_ready.push_back(i);
      }
    }
  }

  void run_all() {
    std::unique_lock lock(m_mutex);
    while (m_left > 0) {
      m_caller_waits = true;
      m_changed.wait(lock, [this] { return !m_ready.empty() || m_left == 0; });
      m_caller_waits = false;
      if (!m_ready.empty()) {
        run_from(take_ready(), lock);
      }
    }
    const auto threads = std::move(m_threads);  // joined when the lock is free
    lock.unlock();
  }

 private:
  std::size_t take_ready() {
    const std::size_t i = m_ready.front();
    m_ready.pop_front();
    return i;
  }

  /// That one, then others, until none is ready.
  void run_from(std::size_t i, std::unique_lock<std::mutex>& lock) {
    while (true) {
      start_helpers();
      lock.unlock();
      if (const auto done = util::guarded([&] { m_run(i); }); !done) {
        static_cast<void>(util::guarded([&] { m_failed(i, done.error()); }));
      }
      lock.lock();
      --m_left;
      for (const std::size_t next : m_after[i]) {
        if (--m_waits[next] == 0) {
          m_ready.push_back(next);
        }
      }
      m_changed.notify_one();
      if (m_ready.empty()) {
        return;
      }
      i = take_ready();
    }
  }

  /// For what is ready, but one where the caller waits for it.
  void start_helpers() {
    while (m_ready.size() > (m_caller_waits ? 1 : 0)) {
      auto place = helpers().try_take(m_project);
      if (!place) {
        return;
      }
      auto held = std::make_shared<util::FairPlaces::Place>(*std::move(place));
      auto thread = util::start_thread(
          [this, i = m_ready.front(), held = std::move(held)](const std::stop_token&) {
            std::unique_lock lock(m_mutex);
            run_from(i, lock);
          });
      if (!thread) {
        return;
      }
      m_ready.pop_front();
      m_threads.push_back(*std::move(thread));
    }
  }

  const Order m_after;
  const std::string& m_project;
  const std::function<void(std::size_t, const util::Error&)>& m_failed;
  const std::function<void(std::size_t)>& m_run;
  std::mutex m_mutex;  // guards what follows
  std::condition_variable m_changed;
  std::vector<std::size_t> m_waits;
  std::deque<std::size_t> m_ready;
  std::size_t m_left;
  bool m_caller_waits = false;
  std::vector<std::jthread> m_threads;
};

}  // namespace

void run_in_order(const Order& order, const std::string& project,
                  const std::function<void(std::size_t, const util::Error&)>& failed,
                  const std::function<void(std::size_t)>& run) {
  OrderedRun(order, project, failed, run).run_all();
}

Order reversed(const Order& order) {
  Order result(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::size_t before : order[i]) {
      result[before].push_back(i);
    }
  }
  return result;
}

bool has_cycle(const Order& order) {
  const Order after = reversed(order);
  std::vector<std::size_t> waits, ready;
  for (std::size_t i = 0; i < order.size(); ++i) {
    waits.push_back(order[i].size());
    if (order[i].empty()) {
      ready.push_back(i);
    }
  }
  for (std::size_t at = 0; at < ready.size(); ++at) {
    for (const std::size_t next : after[ready[at]]) {
      if (--waits[next] == 0) {
        ready.push_back(next);
      }
    }
  }
  return ready.size() < order.size();
}

Order closure(const Order& order) {
  Order result(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::set<std::size_t> seen;
    std::vector<std::size_t> open = order[i];
    while (!open.empty()) {
      const std::size_t next = open.back();
      open.pop_back();
      if (seen.insert(next).second) {
        open.insert(open.end(), order[next].begin(), order[next].end());
      }
    }
    result[i].assign(seen.begin(), seen.end());
  }
  return result;
}

}  // namespace kubist::deployers
