#pragma once
#include <memory>
#include <utility>

#include <kubist/http/transport.hpp>

namespace kubist::kube {

/// Adds Impersonate-* headers to every request. AuthTransport, below, leaves out those of the
/// credentials where a request has some.
class ImpersonatingTransport : public http::Transport {
 public:
  ImpersonatingTransport(std::shared_ptr<http::Transport> inner, http::Headers headers)
      : m_inner(std::move(inner)), m_headers(std::move(headers)) {}

  http::Call start(http::Request request, http::Done done) override {
    request.headers.insert(request.headers.end(), m_headers.begin(), m_headers.end());
    return m_inner->start(std::move(request), std::move(done));
  }

 private:
  std::shared_ptr<http::Transport> m_inner;
  http::Headers m_headers;
};

}  // namespace kubist::kube
