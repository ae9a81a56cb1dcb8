#include <kubist/http/address.hpp>
#include <kubist/http/guarded_transport.hpp>
#include <kubist/http/url.hpp>
#include <kubist/util/text.hpp>

#include "curl_worker.hpp"

namespace kubist::http {

namespace {

class GuardedTransport : public Transport {
 public:
  explicit GuardedTransport(std::weak_ptr<CurlWorker> worker) : m_worker(std::move(worker)) {}

  Call start(Request request, Done done) override {
    static const auto k_options = std::make_shared<const EndpointOptions>();
    if (const auto worker = m_worker.lock()) {
      return worker->start(std::move(request), k_options, std::move(done));
    }
    done(util::fail(util::ErrorKind::cancelled,
                    util::cat(request.method, ' ', redacted(request.url), ": cancelled")));
    return {};
  }

 private:
  // Weak: a call's leftovers on the worker's thread must not be its last owner.
  std::weak_ptr<CurlWorker> m_worker;
};

}  // namespace

GuardedEngine::GuardedEngine()
    : m_worker(std::make_shared<CurlWorker>(std::nullopt, refuse_link_local)) {}
GuardedEngine::~GuardedEngine() = default;

std::shared_ptr<Transport> GuardedEngine::transport() const {
  return std::make_shared<GuardedTransport>(m_worker);
}

}  // namespace kubist::http
