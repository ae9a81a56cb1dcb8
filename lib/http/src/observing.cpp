#include <kubist/http/observing.hpp>

namespace kubist::http {

Call ObservingTransport::start(Request request, Done done) {
  auto told = [sink = m_sink, method = request.method, url = request.url,
               done = std::move(done)](util::Result<Response> outcome) {
    sink(method, url, outcome ? outcome->status : 0);
    done(std::move(outcome));
  };
  return m_inner->start(std::move(request), std::move(told));
}

}  // namespace kubist::http
