#pragma once
#include <functional>
#include <memory>

#include <kubist/http/transport.hpp>
#include <kubist/kube/credentials.hpp>

namespace kubist::kube {

/// Adds credentials to every request, and after a 401 tries once more with renewed ones (a 401 is
/// decided before anything is done, so any request may be repeated). What may start a plugin runs
/// in one thread beside: it must hold up neither the worker nor whoever may want to cancel.
class AuthTransport : public http::Transport {
 public:
  /// Makes the transport for a client certificate (other certificates need other connections).
  using Factory = std::function<std::shared_ptr<http::Transport>(const Credentials&)>;

  /// Where credentials come from: out of memory or a file, or perhaps from a program.
  enum class Origin { at_hand, plugin };

  AuthTransport(std::unique_ptr<CredentialSource> source, Origin origin, Factory factory);
  http::Call start(http::Request request, http::Done done) override;

 private:
  struct Shared;
  std::shared_ptr<Shared> m_shared;
  Origin m_origin;
};

}  // namespace kubist::kube
