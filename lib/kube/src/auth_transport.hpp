#pragma once
#include <functional>
#include <memory>

#include <kubist/http/transport.hpp>
#include <kubist/kube/credentials.hpp>

namespace kubist::kube {

/// Adds credentials to every request, and after a 401 tries once more with renewed ones (a 401 is
/// decided before anything is done, so any request may be repeated). Renewing runs in a thread of its
/// own: it may start a plugin, which must not hold up the worker.
class AuthTransport : public http::Transport {
 public:
  /// Makes the transport for a client certificate (other certificates need other connections).
  using Factory = std::function<std::shared_ptr<http::Transport>(const Credentials&)>;

  AuthTransport(std::unique_ptr<CredentialSource> source, Factory factory);
  http::Call start(http::Request request, http::Done done) override;

 private:
  struct Shared;
  std::shared_ptr<Shared> m_shared;
};

}  // namespace kubist::kube
