#include "calls.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

namespace kubist::apply {
namespace {

using Clock = std::chrono::steady_clock;

/// Calls handed to the client and not answered yet; above the governor's limit, so that it never
/// waits for this thread, unless answers are long.
constexpr std::size_t k_window = 128;
constexpr std::size_t k_least_window = 4;
/// After a stop, until writes end without their answers: a controller has 30 s for its end.
constexpr std::chrono::seconds k_last_writes{15};
/// Of all their answers, once one has told how long they are.
constexpr std::size_t k_window_bytes = std::size_t{64} << 20U;

/// Outcomes on their way from the worker's thread to the caller's. Shared with the handlers.
struct Mailbox {
  std::mutex mutex;
  std::condition_variable_any arrived;
  std::deque<std::pair<std::size_t, util::Result<kube::Reply>>> letters;

  void put(std::size_t tag, util::Result<kube::Reply> reply) {
    const std::lock_guard lock(mutex);
    letters.emplace_back(tag, std::move(reply));
    arrived.notify_one();
  }
};

struct Flight {
  bool is_read = false;
  http::Call call;
};

}  // namespace

std::vector<std::size_t> run_calls(kube::Client& client, const std::vector<std::size_t>& tags,
                                   const MakeCall& make, const TakeReply& take,
                                   const std::stop_token& stop) {
  const auto mailbox = std::make_shared<Mailbox>();
  std::multimap<Clock::time_point, std::size_t> later;
  std::size_t next = 0;
  std::map<std::size_t, Flight> in_flight;
  std::optional<Clock::time_point> last_writes;  // once it is stopped
  std::size_t window = k_window;
  const auto send = [&](std::size_t tag) {
    const kube::ApiCall call = make(tag);
    Flight& flight = in_flight[tag];
    flight.is_read = call.method == "GET";
    flight.call = client.start(call, [mailbox, tag](util::Result<kube::Reply> reply) {
      mailbox->put(tag, std::move(reply));
    });
  };
  const auto cancel = [&](bool reads_alone) {
    for (const auto& [tag, flight] : in_flight) {
      if (flight.is_read || !reads_alone) {
        flight.call.cancel();
      }
    }
  };
  while (!in_flight.empty() || (!stop.stop_requested() && (next < tags.size() || !later.empty()))) {
    while (!stop.stop_requested() && in_flight.size() < window) {
      if (!later.empty() && later.begin()->first <= Clock::now()) {
        const std::size_t tag = later.begin()->second;
        later.erase(later.begin());
        send(tag);
      } else if (next < tags.size()) {
        send(tags[next++]);
      } else {
        break;
      }
    }
    if (stop.stop_requested() && !last_writes) {
      last_writes = Clock::now() + k_last_writes;
      cancel(true);
    }
    if (last_writes && in_flight.empty()) {
      break;
    }
    std::deque<std::pair<std::size_t, util::Result<kube::Reply>>> letters;
    {
      std::unique_lock lock(mailbox->mutex);
      const auto ready = [&] { return !mailbox->letters.empty(); };
      if (last_writes) {
        if (!mailbox->arrived.wait_until(lock, *last_writes, ready)) {
          lock.unlock();
          cancel(false);
          lock.lock();
          mailbox->arrived.wait(lock, ready);
        }
      } else if (!later.empty() && in_flight.size() < window) {
        mailbox->arrived.wait_until(lock, stop, later.begin()->first, ready);
      } else {
        mailbox->arrived.wait(lock, stop, ready);
      }
      letters.swap(mailbox->letters);
    }
    for (auto& [tag, reply] : letters) {
      in_flight.erase(tag);
      if (reply && !reply->body.empty()) {
        window = std::min(window, std::max(k_least_window, k_window_bytes / reply->body.size()));
      }
      if (const auto delay = take(tag, std::move(reply))) {
        later.emplace(Clock::now() + *delay, tag);
      }
    }
  }
  std::vector<std::size_t> rest(tags.begin() + static_cast<std::ptrdiff_t>(next), tags.end());
  for (const auto& [time, tag] : later) {
    rest.push_back(tag);
  }
  return rest;
}

}  // namespace kubist::apply
