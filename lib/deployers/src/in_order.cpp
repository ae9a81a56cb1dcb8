#include "in_order.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

namespace kubist::deployers {

void run_in_order(const Order& order, const std::function<void(std::size_t)>& run) {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> ended(order.size(), false);
  std::vector<std::jthread> threads;
  threads.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    threads.emplace_back([&, i] {
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] {
          return std::all_of(order[i].begin(), order[i].end(),
                             [&](std::size_t other) { return ended[other]; });
        });
      }
      run(i);
      const std::scoped_lock lock(mutex);
      ended[i] = true;
      changed.notify_all();
    });
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
