#pragma once
#include <memory>
#include <utility>

#include <kubist/http/transport.hpp>
#include <kubist/kube/client.hpp>

namespace kubist::kube {

/// May the server keep anything of this request? Not of reads, reviews and dry runs. Pure.
bool may_change(const http::Request& request);

/// Asks before each request that may change something. A refused one gets that error inside
/// start(); nothing is sent.
class WriteGuard : public http::Transport {
 public:
  WriteGuard(std::shared_ptr<http::Transport> inner, BeforeWrite ask)
      : m_inner(std::move(inner)), m_ask(std::move(ask)) {}
  http::Call start(http::Request request, http::Done done) override;

 private:
  std::shared_ptr<http::Transport> m_inner;
  BeforeWrite m_ask;
};

}  // namespace kubist::kube
