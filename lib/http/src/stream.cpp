#include <condition_variable>
#include <mutex>
#include <optional>

#include <kubist/http/transport.hpp>
#include <kubist/http/url.hpp>
#include <kubist/util/text.hpp>

namespace kubist::http {
namespace {

constexpr std::size_t k_max_waiting = std::size_t{64} << 20U;

/// What the worker has received and the reader has not taken yet.
struct Pipe {
  std::mutex mutex;
  std::condition_variable changed;
  std::string waiting;
  bool overflow = false;
  bool closed = false;  // the reader has gone
  std::optional<util::Result<Response>> outcome;

  bool push(std::string_view bytes) {
    const std::lock_guard lock(mutex);
    overflow = waiting.size() + bytes.size() > k_max_waiting;
    if (overflow || closed) {
      return false;
    }
    waiting += bytes;
    changed.notify_one();
    return true;
  }
  void finish(util::Result<Response> result) {
    const std::lock_guard lock(mutex);
    outcome = std::move(result);
    changed.notify_one();
  }
};

}  // namespace

util::Result<Response> stream(Transport& transport, Request request,
                              const std::function<bool(std::string_view)>& on_chunk,
                              std::stop_token stop) {
  const std::string what = util::cat(request.method, ' ', redacted(request.url));
  if (stop.stop_requested()) {
    return util::fail(util::ErrorKind::cancelled, what + ": cancelled");
  }
  auto pipe = std::make_shared<Pipe>();
  request.on_chunk = [pipe](std::string_view bytes) { return pipe->push(bytes); };
  const Call call = transport.start(std::move(request), [pipe](util::Result<Response> outcome) {
    pipe->finish(std::move(outcome));
  });
  const std::stop_callback on_stop(stop, [&call] { call.cancel(); });

  std::string chunk;
  std::unique_lock lock(pipe->mutex);
  while (true) {
    pipe->changed.wait(lock, [&] { return !pipe->waiting.empty() || pipe->outcome; });
    if (!pipe->waiting.empty() && !pipe->closed) {
      chunk.clear();
      chunk.swap(pipe->waiting);
      lock.unlock();
      const bool go_on = on_chunk(chunk);
      lock.lock();
      pipe->closed = !go_on;
      if (pipe->closed) {
        lock.unlock();
        call.cancel();
        lock.lock();
      }
    } else if (pipe->outcome) {
      break;
    }
    if (pipe->closed) {
      pipe->waiting.clear();
    }
  }
  if (pipe->overflow && !pipe->closed) {
    return util::fail(util::ErrorKind::unavailable, what + ": the receiver is too slow", "",
                      std::string(k_failure_lost));
  }
  return std::move(*pipe->outcome);
}

}  // namespace kubist::http
