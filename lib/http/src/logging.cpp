#include <kubist/http/logging.hpp>
#include <kubist/http/url.hpp>
#include <kubist/util/text.hpp>

namespace kubist::http {
namespace {

constexpr int k_level_calls = 6;
constexpr int k_level_headers = 7;
constexpr int k_level_bodies = 8;
constexpr int k_level_long_bodies = 9;
constexpr std::size_t k_short_body = 1024;
constexpr std::size_t k_long_body = 10240;

bool is_about_secrets(std::string_view url) {
  const std::string_view path = url.substr(0, url.find('?'));
  return path.find("/secrets/") != std::string_view::npos || path.ends_with("/secrets");
}

void trace_headers(const util::Log& log, std::string_view title, const Headers& headers) {
  if (!log.enabled(k_level_headers)) {
    return;
  }
  log.trace(k_level_headers, title);
  for (const Header& header : headers) {
    log.trace(k_level_headers, util::cat("    ", header.name, ": ",
                                         is_secret_header(header.name) ? "***" : header.value));
  }
}

void trace_body(const util::Log& log, std::string_view title, std::string_view body,
                const Headers& headers, std::string_view url) {
  if (!log.enabled(k_level_bodies) || body.empty()) {
    return;
  }
  std::string text =
      redacted_body(body, find_header(headers, "Content-Type").value_or(""), is_about_secrets(url));
  const std::size_t limit = log.enabled(k_level_long_bodies) ? k_long_body : k_short_body;
  if (text.size() > limit) {
    const std::size_t left = text.size() - limit;
    text.resize(limit);
    text += util::cat(" [", left, " more bytes]");
  }
  log.trace(k_level_bodies, util::cat(title, text));
}

}  // namespace

LoggingTransport::LoggingTransport(std::shared_ptr<Transport> inner, const util::Log& log)
    : m_inner(std::move(inner)), m_log(log) {}

Call LoggingTransport::start(Request request, Done done) {
  if (!m_log.enabled(k_level_calls)) {
    return m_inner->start(std::move(request), std::move(done));
  }
  const std::string url = redacted(request.url);
  const std::string what = util::cat(request.method, ' ', url);
  trace_headers(m_log, what + "\n  request headers:", request.headers);
  if (request.body) {
    trace_body(m_log, "  request body: ", *request.body, request.headers, url);
  }
  return m_inner->start(std::move(request), [&log = m_log, url, what, done = std::move(done)](
                                                util::Result<Response> outcome) {
    if (outcome) {
      const auto ms =
          std::chrono::duration_cast<std::chrono::milliseconds>(outcome->elapsed).count();
      log.trace(k_level_calls, util::cat(what, ' ', outcome->status, " in ", ms, " milliseconds"));
      trace_headers(log, "  response headers:", outcome->headers);
      trace_body(log, "  response body: ", outcome->body, outcome->headers, url);
    } else {
      log.trace(k_level_calls, outcome.error().message);
    }
    done(std::move(outcome));
  });
}

}  // namespace kubist::http
