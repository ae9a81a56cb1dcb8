#pragma once
#include <chrono>
#include <memory>
#include <string>

#include <kubist/http/address.hpp>
#include <kubist/http/governor.hpp>
#include <kubist/http/transport.hpp>
#include <kubist/util/secret.hpp>

namespace kubist::http {

/// How connections of one endpoint are made.
struct EndpointOptions {
  std::string ca_pem;           ///< trusted CAs instead of the system's; empty: the system's
  std::string client_cert_pem;  ///< with its chain
  util::Secret client_key_pem;
  std::string server_name;  ///< TLS name to send and to verify instead of the URL's host
  bool insecure = false;    ///< accept any certificate
  std::string proxy;        ///< http, https or socks5 URL; empty: as HTTPS_PROXY, NO_PROXY say
  bool compression = true;  ///< gzip for GET off loopback
  /// Of a request that has no timeout and is not long_running; 0: none.
  std::chrono::milliseconds request_timeout{0};
};

/// The worker threads that endpoints share (one for calls, one more for each hundred long-running
/// exchanges, eight at most), and connections of their own: where `rule` is given, each of them
/// leads where it allows, whatever name led there (behind a proxy of the environment it is the
/// proxy that knows where names lead). Threads start with the first exchange of their sort and end
/// with the last owner; what is in flight then ends as cancelled. Any thread.
class CurlEngine {
 public:
  /// `limits`: of the calls in flight at each server.
  explicit CurlEngine(const GovernorOptions& limits = {}, const AddressRule& rule = nullptr);
  ~CurlEngine();
  CurlEngine(const CurlEngine&) = delete;
  CurlEngine& operator=(const CurlEngine&) = delete;

  struct Impl;

 private:
  friend class CurlTransport;
  std::unique_ptr<Impl> m_impl;
};

/// HTTP/1.1 and HTTP/2 over libcurl to one endpoint. Connections are kept and shared; endpoints
/// with other options (so other credentials) never share one. Tokens go into the request's headers.
/// The engine is not kept alive: without it every call is cancelled.
class CurlTransport : public Transport {
 public:
  CurlTransport(const std::shared_ptr<CurlEngine>& engine, EndpointOptions options);
  ~CurlTransport() override;
  Call start(Request request, Done done) override;

 private:
  // Weak: a call's leftovers on the worker's thread must not be the engine's last owner.
  std::weak_ptr<CurlEngine> m_engine;
  std::shared_ptr<const EndpointOptions> m_options;
};

}  // namespace kubist::http
