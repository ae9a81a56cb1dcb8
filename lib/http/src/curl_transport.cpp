#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include <kubist/http/curl_transport.hpp>
#include <kubist/http/url.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "curl_worker.hpp"

namespace kubist::http {
namespace {

/// Each event of one exchange makes libcurl ask the kernel about all that the worker has: 525
/// watches in one took 0.7 % of a core at rest.
constexpr std::size_t k_standing = 100;
constexpr std::size_t k_standing_workers = 8;

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
  /// A worker for long-running exchanges, and how many it has.
  struct Standing {
    explicit Standing(const AddressRule& rule) : worker(std::nullopt, rule) {}
    CurlWorker worker;
    std::shared_ptr<std::atomic<std::size_t>> count = std::make_shared<std::atomic<std::size_t>>();
  };

  Impl(const GovernorOptions& limits, const AddressRule& rule) : calls(limits, rule) {
    for (std::size_t i = 0; i < k_standing_workers; ++i) {
      standing.push_back(std::make_unique<Standing>(rule));
    }
  }

  /// The first one that has room, so that few exchanges take one thread and one connection.
  Standing& next() {
    const auto has_room = [](const auto& each) { return *each->count < k_standing; };
    const auto fewer = [](const auto& a, const auto& b) { return *a->count < *b->count; };
    const auto found = std::find_if(standing.begin(), standing.end(), has_room);
    return found != standing.end() ? **found
                                   : **std::min_element(standing.begin(), standing.end(), fewer);
  }

  CurlWorker calls;
  std::vector<std::unique_ptr<Standing>> standing;
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
  if (!request.long_running) {
    return engine->m_impl->calls.start(std::move(request), m_options, std::move(done));
  }
  CurlEngine::Impl::Standing& standing = engine->m_impl->next();
  ++*standing.count;
  return standing.worker.start(
      std::move(request), m_options,
      [count = standing.count, done = std::move(done)](auto outcome) mutable {
        if (const auto held = std::exchange(count, nullptr)) {
          --*held;  // once, also where `done` throws and is called again
        }
        done(std::move(outcome));
      });
}

}  // namespace kubist::http
