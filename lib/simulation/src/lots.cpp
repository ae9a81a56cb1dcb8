#include "lots.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include <kubist/util/threads.hpp>

namespace kubist::simulation {

void in_lots(const Lots& lots, const std::stop_token& stop,
             const std::function<bool(int begin, int end)>& work) {
  std::atomic<int> next = 0;
  std::atomic<bool> over = false;
  const auto take = [&] {
    while (!over && !stop.stop_requested()) {
      const int begin = next.fetch_add(lots.size);
      if (begin >= lots.runs) {
        return;
      }
      if (!work(begin, std::min(begin + lots.size, lots.runs))) {
        over = true;
      }
    }
  };
  const unsigned wanted =
      lots.threads > 0 ? lots.threads : std::max(1U, std::thread::hardware_concurrency());
  util::share_work(wanted - 1, take);
}

}  // namespace kubist::simulation
