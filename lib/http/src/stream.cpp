#include <condition_variable>
#include <mutex>

#include <kubist/http/inflow.hpp>
#include <kubist/http/url.hpp>
#include <kubist/util/text.hpp>

namespace kubist::http {

util::Result<Response> stream(Transport& transport, Request request,
                              const std::function<bool(std::string_view)>& on_chunk,
                              std::stop_token stop) {
  if (stop.stop_requested()) {
    return util::fail(util::ErrorKind::cancelled,
                      util::cat(request.method, ' ', redacted(request.url), ": cancelled"));
  }
  std::mutex mutex;
  std::condition_variable changed;
  bool is_news = false;  // guarded
  Inflow inflow(transport, std::move(request), [&] {
    const std::lock_guard lock(mutex);
    is_news = true;
    changed.notify_one();
  });
  const std::stop_callback on_stop(stop, [&inflow] { inflow.cancel(); });
  bool goes_on = true;
  while (true) {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return is_news; });
      is_news = false;
    }
    Inflow::News news = inflow.take();
    if (!news.bytes.empty() && goes_on) {
      goes_on = on_chunk(news.bytes);
      if (!goes_on) {
        inflow.cancel();
      }
    }
    if (news.outcome) {
      return *std::move(news.outcome);
    }
  }
}

}  // namespace kubist::http
