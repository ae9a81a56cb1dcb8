#include "item/in_order.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>

#include <kubist/util/threads.hpp>

namespace kubist::deployers {

void run_in_order(const Order& order,
                  const std::function<void(std::size_t, const util::Error&)>& failed,
                  const std::function<void(std::size_t)>& run) {
  const Order after = reversed(order);
  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  std::deque<std::size_t> ready;
  std::vector<std::size_t> waits(order.size());
  std::size_t left = order.size();
  for (std::size_t i = 0; i < order.size(); ++i) {
    waits[i] = order[i].size();
    if (waits[i] == 0) {
      ready.push_back(i);
    }
  }
  const auto work = [&] {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return !ready.empty() || left == 0; });
      if (ready.empty()) {
        return;
      }
      const std::size_t i = ready.front();
      ready.pop_front();
      lock.unlock();
      if (const auto done = util::guarded([&] { run(i); }); !done) {
        failed(i, done.error());
      }
      lock.lock();
      --left;
      for (const std::size_t next : after[i]) {
        if (--waits[next] == 0) {
          ready.push_back(next);
        }
      }
      changed.notify_all();
    }
  };
  if (!order.empty()) {
    util::share_work(order.size() - 1, work);
  }
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
