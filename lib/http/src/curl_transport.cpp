#include <kubist/http/curl_transport.hpp>
#include <kubist/http/url.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "curl_worker.hpp"

namespace kubist::http {
namespace {

/// libcurl 7.88 tells connections apart by the certificate, not by its key. What stands behind a
/// PEM block is read by nobody, but compared.
EndpointOptions apart_by_key(EndpointOptions options) {
  if (!options.client_cert_pem.empty()) {
    options.client_cert_pem +=
        util::cat('\n', util::sha256_hex(options.client_key_pem.reveal()), '\n');
  }
  return options;
}

}  // namespace

struct CurlEngine::Impl {
  Impl(const GovernorOptions& limits, const AddressRule& rule)
      : calls(limits, rule), long_running(std::nullopt, rule) {}
  CurlWorker calls;
  CurlWorker long_running;
};

CurlEngine::CurlEngine(const GovernorOptions& limits, const AddressRule& rule)
    : m_impl(std::make_unique<Impl>(limits, rule)) {}
CurlEngine::~CurlEngine() = default;

CurlTransport::CurlTransport(const std::shared_ptr<CurlEngine>& engine, EndpointOptions options)
    : m_engine(engine),
      m_options(std::make_shared<const EndpointOptions>(apart_by_key(std::move(options)))) {}
CurlTransport::~CurlTransport() = default;

Call CurlTransport::start(Request request, Done done) {
  const auto engine = m_engine.lock();
  if (!engine) {
    done(util::fail(util::ErrorKind::cancelled,
                    util::cat(request.method, ' ', redacted(request.url), ": cancelled")));
    return {};
  }
  if (!request.long_running && request.timeout.count() == 0) {
    request.timeout = m_options->request_timeout;
  }
  CurlWorker& worker = request.long_running ? engine->m_impl->long_running : engine->m_impl->calls;
  return worker.start(std::move(request), m_options, std::move(done));
}

}  // namespace kubist::http
