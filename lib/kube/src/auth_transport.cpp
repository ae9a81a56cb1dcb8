#include "auth_transport.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <kubist/http/url.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "aside.hpp"

namespace kubist::kube {

struct AuthTransport::Shared {
  std::unique_ptr<CredentialSource> source;
  Factory factory;
  std::mutex mutex;  // guards what follows
  std::shared_ptr<http::Transport> inner;
  std::string inner_cert;
  Aside aside;

  std::shared_ptr<http::Transport> inner_for(const Credentials& credentials) {
    const std::lock_guard lock(mutex);
    if (!inner || inner_cert != credentials.client_cert_pem) {
      inner = factory(credentials);
      inner_cert = credentials.client_cert_pem;
    }
    return inner;
  }
};

namespace {

bool impersonates(const http::Request& request) {
  return std::any_of(request.headers.begin(), request.headers.end(),
                     [](const http::Header& header) {
                       return util::lower(header.name).starts_with("impersonate-");
                     });
}

/// One request, sent at most twice.
template <class Shared>
class AuthCall : public std::enable_shared_from_this<AuthCall<Shared>> {
 public:
  AuthCall(std::shared_ptr<Shared> shared, http::Request request, http::Done done)
      : m_shared(std::move(shared)), m_request(std::move(request)), m_done(std::move(done)) {}

  /// Sends it from the thread beside: a plugin may take its time.
  void send_aside(bool may_renew) {
    {
      const std::lock_guard lock(m_mutex);
      m_waits = true;
    }
    auto posted = m_shared->aside.post([self = this->shared_from_this(), may_renew] {
      if (!self->begin()) {
        return;
      }
      if (auto sent = util::guarded([&] { self->send(may_renew); }); !sent) {
        self->finish(util::fail(std::move(sent).error()));
      }
    });
    if (!posted) {
      finish(util::fail(std::move(posted).error()));
    }
  }

  void send(bool may_renew) {
    auto credentials = m_shared->source->get(m_stop.get_token());
    if (!credentials) {
      return finish(util::fail(std::move(credentials).error()));
    }
    http::Request request = m_request;
    if (!credentials->authorization.empty()) {
      http::set_header(request.headers, "Authorization", credentials->authorization.reveal());
    }
    if (!impersonates(request)) {
      request.headers.insert(request.headers.end(), credentials->headers.begin(),
                             credentials->headers.end());
    }
    const auto inner = m_shared->inner_for(*credentials);
    const http::Call call = inner->start(
        std::move(request), [self = this->shared_from_this(), may_renew,
                             used = std::move(*credentials)](util::Result<http::Response> outcome) {
          self->on_outcome(std::move(outcome), used, may_renew);
        });
    const std::lock_guard lock(m_mutex);
    if (may_renew && m_renewed) {
      return;  // the second one has been started already
    }
    m_current = call;
    if (m_stop.stop_requested()) {
      call.cancel();
    }
  }

  void cancel() {
    m_stop.request_stop();  // ends a plugin that runs for it
    http::Call current;
    bool waits = false;
    {
      const std::lock_guard lock(m_mutex);
      current = m_current;
      waits = m_waits;
    }
    current.cancel();
    if (waits) {  // not for the plugin that runs for another call
      finish(util::fail(
          util::ErrorKind::cancelled,
          util::cat(m_request.method, ' ', http::redacted(m_request.url), ": cancelled")));
    }
  }

 private:
  /// Its turn has come; false: it has ended while it waited.
  bool begin() {
    const std::lock_guard lock(m_mutex);
    m_waits = false;
    return m_done != nullptr;
  }

  void on_outcome(util::Result<http::Response> outcome, const Credentials& used, bool may_renew) {
    const bool refused = outcome && outcome->status == 401;
    if (!refused || !may_renew || m_stop.stop_requested() || !m_shared->source->renew(used)) {
      return finish(std::move(outcome));
    }
    {
      const std::lock_guard lock(m_mutex);
      m_renewed = true;
    }
    send_aside(false);
  }

  // Lets go of the handler: who waits holds this call, so the two would keep each other.
  void finish(util::Result<http::Response> outcome) {
    http::Done done;
    {
      const std::lock_guard lock(m_mutex);
      done = std::exchange(m_done, nullptr);
    }
    if (done) {
      done(std::move(outcome));
    }
  }

  std::shared_ptr<Shared> m_shared;
  http::Request m_request;
  std::stop_source m_stop;
  std::mutex m_mutex;  // guards what follows
  http::Done m_done;
  http::Call m_current;
  bool m_renewed = false;
  bool m_waits = false;  ///< for the thread beside
};

}  // namespace

AuthTransport::AuthTransport(std::unique_ptr<CredentialSource> source, Origin origin,
                             Factory factory)
    : m_shared(std::make_shared<Shared>()), m_origin(origin) {
  m_shared->source = std::move(source);
  m_shared->factory = std::move(factory);
}

http::Call AuthTransport::start(http::Request request, http::Done done) {
  const auto call =
      std::make_shared<AuthCall<Shared>>(m_shared, std::move(request), std::move(done));
  if (m_origin == Origin::plugin) {
    call->send_aside(true);
  } else {
    call->send(true);
  }
  return http::Call([call] { call->cancel(); });
}

}  // namespace kubist::kube
