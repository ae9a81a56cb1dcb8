#include <kubist/http/inflow.hpp>
#include <kubist/http/url.hpp>
#include <kubist/util/text.hpp>

namespace kubist::http {
namespace {

constexpr std::size_t k_max_waiting = std::size_t{64} << 20U;

}  // namespace

struct Inflow::Pipe {
  std::string what;  ///< "GET URL"
  std::mutex
      mutex;  ///< guards what follows; held while callbacks run, so that the end of it is theirs
  std::function<void()> on_news;
  std::function<void(const Response&)> on_head;
  News news;
  bool overflow = false;
  bool closed = false;

  void begin(const Response& head) {
    const std::lock_guard lock(mutex);
    if (!closed) {
      on_head(head);
    }
  }
  bool push(std::string_view bytes) {
    const std::lock_guard lock(mutex);
    overflow = news.bytes.size() + bytes.size() > k_max_waiting;
    if (overflow || closed) {
      return false;
    }
    news.bytes += bytes;
    on_news();
    return true;
  }
  void finish(util::Result<Response> outcome) {
    const std::lock_guard lock(mutex);
    if (closed) {
      return;
    }
    if (overflow) {
      outcome = util::fail(util::ErrorKind::unavailable, what + ": the receiver is too slow", "",
                           std::string(k_failure_lost));
    }
    news.outcome = std::move(outcome);
    on_news();
  }
};

Inflow::Inflow(Transport& transport, Request request, std::function<void()> on_news)
    : m_pipe(std::make_shared<Pipe>()) {
  m_pipe->what = util::cat(request.method, ' ', redacted(request.url));
  m_pipe->on_news = std::move(on_news);
  m_pipe->on_head = std::move(request.on_head);
  if (m_pipe->on_head) {
    request.on_head = [pipe = m_pipe](const Response& head) { pipe->begin(head); };
  }
  request.on_chunk = [pipe = m_pipe](std::string_view bytes) { return pipe->push(bytes); };
  m_call = transport.start(std::move(request), [pipe = m_pipe](util::Result<Response> outcome) {
    pipe->finish(std::move(outcome));
  });
}

Inflow::~Inflow() {
  m_call.cancel();
  const std::lock_guard lock(m_pipe->mutex);
  m_pipe->closed = true;
  m_pipe->news = News();
}

Inflow::News Inflow::take() {
  const std::lock_guard lock(m_pipe->mutex);
  News news;
  news.bytes.swap(m_pipe->news.bytes);
  news.outcome.swap(m_pipe->news.outcome);
  return news;
}

void Inflow::cancel() const { m_call.cancel(); }

}  // namespace kubist::http
