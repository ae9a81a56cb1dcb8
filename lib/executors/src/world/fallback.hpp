#pragma once
#include <memory>

#include <kubist/kube/client.hpp>

namespace kubist::executors {

/// Sends requests as a project's account; what the API server denies the account and
/// may_ask_again() takes is sent once more with the caller's own rights. Any thread.
class FallbackTransport : public http::Transport,
                          public std::enable_shared_from_this<FallbackTransport> {
 public:
  FallbackTransport(std::shared_ptr<kube::Client> home, std::shared_ptr<kube::Client> account)
      : m_home(std::move(home)), m_account(std::move(account)) {}
  http::Call start(http::Request request, http::Done done) override;

 protected:
  /// Is it the caller's from the first?
  virtual bool is_callers(const kube::RequestInfo& /*info*/) const { return false; }
  virtual bool may_ask_again(const http::Request& request, const kube::RequestInfo& info) const = 0;
  /// Told of each that is sent once more.
  virtual void denied(const kube::RequestInfo& /*info*/, const util::Error& /*error*/) {}

 private:
  std::shared_ptr<kube::Client> m_home;
  std::shared_ptr<kube::Client> m_account;
};

/// A client of the home cluster's whose requests go through that transport.
std::shared_ptr<kube::Client> client_through(const kube::Client& home,
                                             std::shared_ptr<http::Transport> transport);

}  // namespace kubist::executors
