#include "curl_worker.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>

#include <kubist/util/memory.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "server_queues.hpp"

namespace kubist::http {
namespace {

using Time = std::chrono::steady_clock::time_point;

constexpr int k_max_wait_ms = 1000;        // with transfers: a lost wakeup costs no more than this
constexpr int k_max_idle_wait_ms = 60000;  // without
constexpr std::size_t k_pooled_handles = 64;
constexpr long k_kept_connections = 128;

MultiHandle make_multi() {
  static const CURLcode global = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(global);
  MultiHandle multi(curl_multi_init());
  curl_multi_setopt(multi.get(), CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
  curl_multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS, k_kept_connections);
  return multi;
}

}  // namespace

/// What other threads leave for the worker. Shared, so that a late cancel() finds it.
struct CurlWorker::Inbox {
  std::mutex mutex;
  std::deque<std::unique_ptr<CurlExchange>> incoming;
  std::vector<std::uint64_t> cancelled;
  std::uint64_t next_id = 1;
  bool stop = false;
  MultiHandle multi;
  std::jthread thread;

  bool has_news() {
    const std::lock_guard lock(mutex);
    return stop || !incoming.empty() || !cancelled.empty();
  }
};

/// The thread's side. Everything here runs only on the worker's thread.
class CurlWorker::Loop {
 public:
  Loop(std::shared_ptr<Inbox> inbox, std::optional<GovernorOptions> limits)
      : m_inbox(std::move(inbox)), m_ready(limits), m_multi(m_inbox->multi.get()) {}

  void run() {
    util::keep_no_freed_memory();
    while (take_news()) {
      begin_due();
      int running = 0;
      curl_multi_perform(m_multi, &running);
      collect();
      end_overdue();  // after what came meanwhile was read
      // What ended made room, and its owner may have left more to do: look again before waiting.
      const bool at_once = m_ready.has_next() || m_inbox->has_news();
      curl_multi_poll(m_multi, nullptr, 0, at_once ? 0 : wait_ms(), nullptr);
    }
    cancel_all();
  }

 private:
  bool take_news() {
    std::deque<std::unique_ptr<CurlExchange>> incoming;
    std::vector<std::uint64_t> cancelled;
    bool stop = false;
    {
      const std::lock_guard lock(m_inbox->mutex);
      incoming.swap(m_inbox->incoming);
      cancelled.swap(m_inbox->cancelled);
      stop = m_inbox->stop;
    }
    for (auto& exchange : incoming) {
      const Time not_before = exchange->request().not_before;
      if (not_before > std::chrono::steady_clock::now()) {
        m_timers.emplace(not_before, std::move(exchange));
      } else {
        m_ready.push(std::move(exchange));
      }
    }
    for (const std::uint64_t id : cancelled) {
      cancel(id);
    }
    return !stop;
  }

  void begin_due() {
    const Time now = std::chrono::steady_clock::now();
    while (!m_timers.empty() && m_timers.begin()->first <= now) {
      m_ready.push(std::move(m_timers.begin()->second));
      m_timers.erase(m_timers.begin());
    }
    while (auto exchange = m_ready.pop()) {
      begin(std::move(exchange));
    }
  }

  void begin(std::unique_ptr<CurlExchange> exchange) {
    if (auto may = exchange->sendable(); !may) {
      m_ready.ended(*exchange, nullptr);
      return exchange->finish(util::fail(std::move(may).error()));
    }
    EasyHandle easy;
    if (m_pool.empty()) {
      easy.reset(curl_easy_init());
    } else {
      easy = std::move(m_pool.back());
      m_pool.pop_back();
    }
    exchange->prepare(std::move(easy));
    CurlExchange& added = *exchange;
    m_active.emplace(added.id(), std::move(exchange));
    curl_multi_add_handle(m_multi, added.easy());
  }

  /// Ends what may not stay on its way any more; looks once a second.
  void end_overdue() {
    const Time now = std::chrono::steady_clock::now();
    if (now < m_next_look) {
      return;
    }
    m_next_look = now + std::chrono::milliseconds(k_max_wait_ms);
    std::vector<std::pair<std::uint64_t, util::Error>> overdue;
    for (const auto& [id, exchange] : m_active) {
      if (auto may = exchange->may_stay(now); !may) {
        overdue.emplace_back(id, std::move(may).error());
      }
    }
    for (auto& [id, why] : overdue) {
      release(id, nullptr)->finish(util::fail(std::move(why)));
    }
  }

  /// Finishes what libcurl reports as done.
  void collect() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(m_multi, &left)) {
      if (message->msg != CURLMSG_DONE) {
        continue;
      }
      const CURLcode code = message->data.result;
      CurlExchange* exchange = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &exchange);
      auto outcome = exchange->take_outcome(code);
      release(exchange->id(), outcome ? &*outcome : nullptr)->finish(std::move(outcome));
    }
  }

  /// Takes an active exchange out of libcurl; its handle goes back to the pool.
  std::unique_ptr<CurlExchange> release(std::uint64_t id, const Response* answer) {
    auto node = m_active.extract(id);
    std::unique_ptr<CurlExchange> exchange = std::move(node.mapped());
    m_ready.ended(*exchange, answer);
    EasyHandle easy = exchange->take_handle();
    curl_multi_remove_handle(m_multi, easy.get());
    if (m_pool.size() < k_pooled_handles) {
      curl_easy_reset(easy.get());
      m_pool.push_back(std::move(easy));
    }
    return exchange;
  }

  void cancel(std::uint64_t id) {
    std::unique_ptr<CurlExchange> exchange;
    if (m_active.contains(id)) {
      exchange = release(id, nullptr);
    } else if (auto waiting = m_ready.take(id)) {
      exchange = std::move(waiting);
    } else {
      const auto timer = std::find_if(m_timers.begin(), m_timers.end(),
                                      [&](const auto& entry) { return entry.second->id() == id; });
      if (timer == m_timers.end()) {
        return;  // over already
      }
      exchange = std::move(timer->second);
      m_timers.erase(timer);
    }
    exchange->finish(util::fail(exchange->cancelled_error()));
  }

  void cancel_all() {
    // A Done may start another call: until nothing is left.
    do {
      std::vector<std::uint64_t> ids = m_ready.ids();
      for (const auto& entry : m_active) {
        ids.push_back(entry.first);
      }
      for (const auto& entry : m_timers) {
        ids.push_back(entry.second->id());
      }
      for (const std::uint64_t id : ids) {
        cancel(id);
      }
      take_news();
    } while (!m_active.empty() || !m_ready.ids().empty() || !m_timers.empty());
    m_pool.clear();
  }

  int wait_ms() const {
    int limit = m_active.empty() ? k_max_idle_wait_ms : k_max_wait_ms;
    if (!m_timers.empty()) {
      const auto until = std::chrono::ceil<std::chrono::milliseconds>(
          m_timers.begin()->first - std::chrono::steady_clock::now());
      limit = static_cast<int>(std::clamp<long long>(until.count(), 0, limit));
    }
    return limit;
  }

  std::shared_ptr<Inbox> m_inbox;
  ServerQueues m_ready;
  CURLM* m_multi;
  std::multimap<Time, std::unique_ptr<CurlExchange>> m_timers;
  std::unordered_map<std::uint64_t, std::unique_ptr<CurlExchange>> m_active;
  std::vector<EasyHandle> m_pool;
  Time m_next_look;
};

CurlWorker::CurlWorker(std::optional<GovernorOptions> limits, AddressRule rule)
    : m_limits(limits), m_rule(std::move(rule)), m_inbox(std::make_shared<Inbox>()) {}

CurlWorker::~CurlWorker() {
  {
    const std::lock_guard lock(m_inbox->mutex);
    m_inbox->stop = true;
    if (m_inbox->multi) {
      curl_multi_wakeup(m_inbox->multi.get());
    }
  }
  if (!m_inbox->thread.joinable()) {
    return;
  }
  if (m_inbox->thread.get_id() == std::this_thread::get_id()) {
    m_inbox->thread.detach();  // the last owner let go inside a Done: the loop ends after it
  } else {
    m_inbox->thread.join();
  }
}

Call CurlWorker::start(Request request, std::shared_ptr<const EndpointOptions> options, Done done) {
  std::uint64_t id = 0;
  {
    std::unique_lock lock(m_inbox->mutex);
    if (!m_inbox->multi) {
      m_inbox->multi = make_multi();
    }
    if (!m_inbox->thread.joinable()) {
      auto thread = util::start_thread([inbox = m_inbox, limits = m_limits](
                                           const std::stop_token&) { Loop(inbox, limits).run(); });
      if (!thread) {
        lock.unlock();
        done(util::fail(thread.error()));
        return {};
      }
      m_inbox->thread = *std::move(thread);
    }
    id = m_inbox->next_id++;
    m_inbox->incoming.push_back(std::make_unique<CurlExchange>(
        id, std::move(request), std::move(options), m_rule, std::move(done)));
    curl_multi_wakeup(m_inbox->multi.get());
  }
  return Call([weak = std::weak_ptr<Inbox>(m_inbox), id] {
    if (const auto inbox = weak.lock()) {
      const std::lock_guard lock(inbox->mutex);
      inbox->cancelled.push_back(id);
      curl_multi_wakeup(inbox->multi.get());
    }
  });
}

}  // namespace kubist::http
