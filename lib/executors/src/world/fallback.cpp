#include "world/fallback.hpp"

#include <utility>

#include <kubist/kube/api_error.hpp>

namespace kubist::executors {

http::Call FallbackTransport::start(http::Request request, http::Done done) {
  const kube::RequestInfo info = kube::request_info(request, m_home->server());
  if (info.resource.empty() || is_callers(info)) {  // discovery is the caller's, as elsewhere
    return m_home->transport().start(std::move(request), std::move(done));
  }
  if (!may_ask_again(request, info)) {
    return m_account->transport().start(std::move(request), std::move(done));
  }
  http::Request again = request;
  return m_account->transport().start(
      std::move(request), [self = shared_from_this(), again = std::move(again), info,
                           done = std::move(done)](util::Result<http::Response> answer) mutable {
        if (!answer || answer->status != 403) {
          done(std::move(answer));
          return;
        }
        self->denied(info, kube::api_error(again.method, again.url, *answer));
        self->m_home->transport().start(std::move(again), std::move(done));
      });
}

std::shared_ptr<kube::Client> client_through(const kube::Client& home,
                                             std::shared_ptr<http::Transport> transport) {
  kube::ClusterAccess access;
  access.server = home.server();
  kube::ClientOptions options;
  options.transport = std::move(transport);
  return kube::Client::connect(std::move(access), std::move(options)).value();
}

}  // namespace kubist::executors
