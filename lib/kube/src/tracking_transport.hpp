#pragma once
#include <cstdint>
#include <memory>

#include <kubist/http/transport.hpp>

namespace kubist::kube {

/// Knows every call in progress, so that its owner can end them all and wait for their handlers.
class TrackingTransport : public http::Transport {
 public:
  explicit TrackingTransport(std::shared_ptr<http::Transport> inner);
  /// Cancels all calls and waits until every Done has returned. Not from a Done.
  ~TrackingTransport() override;
  http::Call start(http::Request request, http::Done done) override;

 private:
  struct Shared;
  std::shared_ptr<http::Transport> m_inner;
  std::shared_ptr<Shared> m_shared;
};

}  // namespace kubist::kube
