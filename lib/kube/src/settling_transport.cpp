#include "settling_transport.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include <kubist/data/compare.hpp>
#include <kubist/data/json_patch.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/request_info.hpp>
#include <kubist/util/backoff.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "answers.hpp"

namespace kubist::kube {
namespace {

using data::Json;
using Outcome = util::Result<http::Response>;

constexpr int k_tries = 4;  // of a write, the first one included

bool writes(const http::Request& request) {
  constexpr std::array<std::string_view, 4> k_methods{"POST", "PUT", "PATCH", "DELETE"};
  return std::find(k_methods.begin(), k_methods.end(), request.method) != k_methods.end() &&
         request.url.find("dryRun=All") == std::string::npos && request.body != nullptr;
}

bool is_internal_error(const Outcome& outcome) { return outcome && outcome->status == 500; }

/// Did it end in the middle of the object?
bool is_cut(const http::Response& response) {
  return response.status < 300 && !util::trim(response.body).ends_with('}');
}

/// May the server have acted? Where it says when to come back it has not.
bool is_unknown(const Outcome& outcome) {
  if (!outcome) {
    const util::Error& error = outcome.error();
    return error.kind == util::ErrorKind::timeout || error.reason == http::k_failure_lost ||
           error.reason == http::k_failure_protocol;
  }
  const int status = outcome->status;
  const bool failed = status == 500 || status == 502 || status == 503 || status == 504;
  return (failed && !http::find_header(outcome->headers, "Retry-After")) || is_cut(*outcome);
}

/// What a write says, and the object that it is about.
struct Written {
  enum class Kind { whole, merge, tested, deletion } kind = Kind::whole;
  std::string url;  ///< of the object
  Json body;
};

/// Nothing: it cannot be read back, or must not be sent twice.
std::optional<Written> written_by(const http::Request& request, const std::string& server) {
  auto body = parse_answer(*request.body);
  if (!body) {
    return {};
  }
  Written written;
  written.url = request.url.substr(0, request.url.find('?'));
  if (request_info(request, server).subresource == "status") {
    written.url.resize(written.url.rfind('/'));
  }
  written.body = std::move(*body);
  const auto type = http::find_header(request.headers, "Content-Type").value_or("");
  if (request.method == "POST") {
    const auto name = data::string_at(written.body, {"metadata", "name"});
    written.url += '/' + util::percent_encode(name);
    return name.empty() ? std::nullopt : std::optional(std::move(written));
  }
  if (request.method == "DELETE") {
    written.kind = Written::Kind::deletion;
    const auto uid = data::string_at(written.body, {"preconditions", "uid"});
    return uid.empty() ? std::nullopt : std::optional(std::move(written));
  }
  if (type == "application/json-patch+json") {
    written.kind = Written::Kind::tested;
    const bool tests = std::any_of(written.body.begin(), written.body.end(), [](const Json& each) {
      return data::string_at(each, {"op"}) == "test";
    });
    return tests ? std::optional(std::move(written)) : std::nullopt;
  }
  written.kind =
      type == "application/merge-patch+json" ? Written::Kind::merge : Written::Kind::whole;
  return written;
}

/// Servers do not keep what says nothing.
void drop_empty(Json& value) {
  if (!value.is_object()) {
    return;
  }
  for (auto entry = value.begin(); entry != value.end();) {
    drop_empty(*entry);
    entry = entry->empty() ? value.erase(entry) : std::next(entry);
  }
}

/// Does the object say what was written? Its version is another one then.
bool has_effect(const Json& live, Written written) {
  if (written.kind == Written::Kind::deletion) {
    return data::find_path(live, {"metadata", "deletionTimestamp"}) != nullptr;
  }
  if (auto metadata = written.body.find("metadata"); metadata != written.body.end()) {
    metadata->erase("resourceVersion");
  }
  switch (written.kind) {
    case Written::Kind::whole:
      drop_empty(written.body);
      return data::contains_all(live, written.body);
    case Written::Kind::merge:
      return data::apply_merge_patch(live, written.body) == live;
    default:
      return false;  // its test tells when it is sent again
  }
}

/// One write through all its attempts, and the reads between them.
class Settling : public std::enable_shared_from_this<Settling> {
 public:
  Settling(std::shared_ptr<http::Transport> inner, std::string server, http::Request request,
           http::Done done)
      : m_inner(std::move(inner)),
        m_server(std::move(server)),
        m_request(std::move(request)),
        m_done(std::move(done)) {
    if (m_request.method != "POST") {  // reviews are: retries see to them, there is nothing to read
      m_harmless = std::exchange(m_request.idempotent, false);
    }
  }

  void send() {
    ++m_attempt;
    go(m_request, &Settling::on_sent);
  }

  void cancel() {
    http::Call current;
    {
      const std::lock_guard lock(m_mutex);
      m_cancelled = true;
      current = m_current;
    }
    current.cancel();
  }

 private:
  void go(http::Request request, void (Settling::*then)(Outcome)) {
    const int step = ++m_step;
    const http::Call call =
        m_inner->start(std::move(request), [self = shared_from_this(), then](Outcome outcome) {
          ((*self).*then)(std::move(outcome));
        });
    const std::lock_guard lock(m_mutex);
    if (step == m_step && m_done) {  // else another one has begun inside start() already
      m_current = call;
    }
    if (m_cancelled) {
      call.cancel();
    }
  }

  void on_sent(Outcome outcome) {
    // The server may have been at the first one still when it was asked, and refuses the second.
    m_conflicts = m_attempt > 1 && outcome && outcome->status == 409;
    if (!m_conflicts && (m_attempt == k_tries || !is_unknown(outcome))) {
      return finish(std::move(outcome));
    }
    if (!m_written && !(m_written = written_by(m_request, m_server))) {
      return finish(std::move(outcome));
    }
    m_lost = std::move(outcome);
    http::Request read = m_request;
    read.method = "GET";
    read.url = m_written->url;
    read.body = nullptr;
    read.permit = nullptr;
    read.not_before = {};
    std::erase_if(read.headers, [](const http::Header& header) {
      return util::iequals(header.name, "Content-Type");
    });
    go(std::move(read), &Settling::on_read);
  }

  void on_read(Outcome outcome) {
    const bool there = outcome && outcome->status == 200;
    const bool gone = outcome && outcome->status == 404;
    const bool deletion = m_written->kind == Written::Kind::deletion;
    const auto live = parse_answer(there ? outcome->body : "", k_max_object_values);
    if ((live && has_effect(*live, *m_written)) || (gone && deletion)) {
      outcome->status = 200;
      return finish(std::move(outcome));
    }
    const bool may_repeat =
        !m_conflicts && (live || gone || m_harmless) && !is_internal_error(*m_lost);
    if (!may_repeat) {
      return finish(*std::exchange(m_lost, {}));
    }
    m_request.not_before =
        std::chrono::steady_clock::now() + util::backoff_delay({}, m_attempt, util::random_unit());
    send();
  }

  // Lets go of the last call: its handlers hold this, so the two would keep each other.
  void finish(Outcome outcome) {
    http::Done done;
    {
      const std::lock_guard lock(m_mutex);
      m_current = http::Call();
      done = std::exchange(m_done, nullptr);
    }
    done(std::move(outcome));
  }

  std::shared_ptr<http::Transport> m_inner;
  std::string m_server;
  http::Request m_request;
  bool m_harmless = false;
  int m_attempt = 0;
  std::optional<Written> m_written;
  std::optional<Outcome> m_lost;  ///< or the conflict
  bool m_conflicts = false;
  std::atomic<int> m_step = 0;
  std::mutex m_mutex;  // guards what follows
  http::Done m_done;
  http::Call m_current;
  bool m_cancelled = false;
};

}  // namespace

http::Call SettlingTransport::start(http::Request request, http::Done done) {
  if (!writes(request)) {
    return m_inner->start(std::move(request), std::move(done));
  }
  const auto settling =
      std::make_shared<Settling>(m_inner, m_server, std::move(request), std::move(done));
  settling->send();
  return http::Call([settling] { settling->cancel(); });
}

}  // namespace kubist::kube
