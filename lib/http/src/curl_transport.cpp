#include <kubist/http/curl_transport.hpp>
#include <kubist/http/url.hpp>
#include <kubist/util/text.hpp>

#include "curl_worker.hpp"

namespace kubist::http {

struct CurlEngine::Impl {
  explicit Impl(std::shared_ptr<Governor> governor) : calls(std::move(governor)), long_running(nullptr) {}
  CurlWorker calls;
  CurlWorker long_running;
};

CurlEngine::CurlEngine(std::shared_ptr<Governor> governor)
    : m_impl(std::make_unique<Impl>(std::move(governor))) {}
CurlEngine::~CurlEngine() = default;

CurlTransport::CurlTransport(const std::shared_ptr<CurlEngine>& engine, EndpointOptions options)
    : m_engine(engine),
      m_options(std::make_shared<const EndpointOptions>(std::move(options))) {}
CurlTransport::~CurlTransport() = default;

Call CurlTransport::start(Request request, Done done) {
  const auto engine = m_engine.lock();
  if (!engine) {
    done(util::fail(util::ErrorKind::cancelled,
                    util::cat(request.method, ' ', redacted(request.url), ": cancelled")));
    return {};
  }
  CurlWorker& worker = request.long_running ? engine->m_impl->long_running : engine->m_impl->calls;
  return worker.start(std::move(request), m_options, std::move(done));
}

}  // namespace kubist::http
