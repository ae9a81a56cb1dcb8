#include <kubist/http/line_stream.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/util/backoff.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "client_impl.hpp"

namespace kubist::kube {
namespace {

constexpr int k_max_resumes = 8;  // in a row, without a line in between

/// Remembers where a log stood, so that a resumed one repeats nothing. Lines begin with an RFC 3339
/// time of nine fraction digits; sinceTime has whole seconds, so the server repeats part of one.
class LogPosition {
 public:
  /// Has this line been seen before the break?
  bool is_repeated(std::string_view time) {
    if (m_skip_until.empty() || time > m_skip_until) {
      m_skip_until.clear();
      return false;
    }
    return time < m_skip_until || m_skip_equal-- > 0;
  }
  void seen(std::string_view time) {
    m_equal = time == m_last ? m_equal + 1 : 1;
    m_last = time;
  }
  void broken() {
    m_skip_until = m_last;
    m_skip_equal = m_equal;
  }
  const std::string& last() const { return m_last; }

 private:
  std::string m_last;
  int m_equal = 0;  // lines with that time
  std::string m_skip_until;
  int m_skip_equal = 0;
};

}  // namespace

util::Result<> Client::follow_log(std::string_view ns, std::string_view pod,
                                  const LogOptions& options,
                                  const std::function<bool(std::string_view line)>& on_line,
                                  std::stop_token stop) {
  LogPosition position;
  LogOptions asked = options;
  asked.timestamps = options.timestamps || options.follow;
  bool wanted = true;
  int failures = 0;
  const auto take = [&](std::string_view line) {
    const auto space = line.find(' ');
    if (options.follow && space != std::string_view::npos) {
      const std::string_view time = line.substr(0, space);
      if (position.is_repeated(time)) {
        return true;
      }
      position.seen(time);
      failures = 0;
      if (!options.timestamps) {
        line.remove_prefix(space + 1);
      }
    }
    wanted = on_line(line);
    return wanted;
  };
  while (true) {
    http::Request request = request_of(pod_log(ns, pod, asked));
    request.long_running = options.follow;
    if (options.follow) {
      request.silence = {};  // so may a workload be
    }
    request.max_body = 0;  // a line at a time
    const std::string url = request.url;
    http::LineStream lines(take);
    std::optional<util::Error> fault;
    auto outcome = http::stream(
        *m_impl->transport, std::move(request),
        [&](std::string_view bytes) {
          auto more = lines.feed(bytes);
          if (!more) {
            fault = std::move(more).error();
            return false;
          }
          return *more;
        },
        stop);
    if (fault) {
      return util::fail(std::move(*fault));
    }
    if (!wanted) {
      return {};
    }
    if (outcome) {
      if (outcome->status >= 400) {
        return util::fail(api_error("GET", url, *outcome));
      }
      lines.finish();
      return {};
    }
    if (!options.follow || outcome.error().kind != util::ErrorKind::unavailable ||
        ++failures > k_max_resumes) {
      return util::fail(std::move(outcome).error());
    }
    position.broken();
    if (!position.last().empty()) {
      asked.since_time = position.last();
      asked.since_seconds.reset();
      asked.tail_lines.reset();
    }
    if (!util::sleep_for(util::backoff_delay({}, failures, util::random_unit()), stop)) {
      return util::fail(util::ErrorKind::cancelled,
                        util::cat("log of ", ns, '/', pod, ": cancelled"));
    }
  }
}

}  // namespace kubist::kube
