#include <cerrno>
#include <cstring>

#include <kubist/util/text.hpp>

#include "curl_exchange.hpp"

// What libcurl's codes mean to a user, and to the retry rules.
namespace kubist::http {
namespace {

struct Cause {
  util::ErrorKind kind = util::ErrorKind::unavailable;
  std::string_view reason;
  std::string text;
  std::string hint;
};

constexpr const char* k_try_again =
    "Run the command again; if that does not help, check the server and what is before it.";

Cause connect_cause(CURL* easy, const Url& url) {
  long os_error = 0;
  curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os_error);
  if (os_error == ECONNREFUSED) {
    return {
        .reason = k_failure_refused,
        .text = util::cat("connection to ", url.host, ':', url.port, " refused"),
        .hint = "Is the API server running there? Check the server and port in the kubeconfig."};
  }
  const std::string why =
      os_error == 0 ? "no connection" : std::string(strerror(static_cast<int>(os_error)));
  return {.reason = k_failure_connect,
          .text = util::cat("cannot connect to ", url.host, ':', url.port, ": ", why),
          .hint = "Check that this machine can reach the server (network, VPN, firewall, proxy)."};
}

Cause timeout_cause(CURL* easy, const Request& request, const Url& url) {
  curl_off_t connected = 0;
  curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
  if (connected == 0) {
    return {
        .reason = k_failure_connect,
        .text = util::cat("no connection to ", url.host, ':', url.port, " in time"),
        .hint = "Check that this machine can reach the server (network, VPN, firewall, proxy)."};
  }
  return {.kind = util::ErrorKind::timeout,
          .reason = {},
          .text = util::cat("no complete answer within ", request.timeout.count(), " ms"),
          .hint = "Try again, or give it more time (--request-timeout)."};
}

Cause tls_cause(CURLcode code, std::string detail) {
  std::string hint = "Check the cluster's CA data and tls-server-name in the kubeconfig.";
  if (code == CURLE_SSL_CERTPROBLEM) {
    hint =
        "Check the user's client certificate and key in the kubeconfig: they must be a PEM pair.";
  } else if (detail.find("alert") != std::string::npos) {
    hint = "The server refused the handshake: check the user's client certificate.";
  } else if (detail.find("has expired") != std::string::npos ||
             detail.find("not yet valid") != std::string::npos) {
    hint =
        "Have the server's certificate renewed; if it is not over, this machine's clock is wrong.";
  } else if (detail.find("wrong version number") != std::string::npos) {
    hint = "The server does not speak TLS on that port: is the URL's scheme right?";
  }
  return {.reason = k_failure_tls, .text = "TLS: " + std::move(detail), .hint = std::move(hint)};
}

Cause cause_of(CURLcode code, CURL* easy, const Request& request, const Url& url,
               std::string detail) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return {.reason = k_failure_resolve,
              .text = util::cat("the host name ", url.host, " cannot be resolved"),
              .hint = "Check the server in the kubeconfig, and DNS on this machine."};
    case CURLE_COULDNT_RESOLVE_PROXY:
      return {.reason = k_failure_resolve,
              .text = "the proxy's host name cannot be resolved",
              .hint = "Check proxy-url in the kubeconfig and HTTPS_PROXY."};
    case CURLE_COULDNT_CONNECT:
      return connect_cause(easy, url);
    case CURLE_PROXY:
      return {.reason = k_failure_connect,
              .text = "the proxy refused: " + detail,
              .hint = "Check proxy-url in the kubeconfig and HTTPS_PROXY."};
    case CURLE_OPERATION_TIMEDOUT:
      return timeout_cause(easy, request, url);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_USE_SSL_FAILED:
      return tls_cause(code, std::move(detail));
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      if (detail.find("REFUSED_STREAM") != std::string::npos) {
        return {
            .reason = k_failure_not_processed, .text = "the server refused the stream", .hint = {}};
      }
      return {.reason = k_failure_lost, .text = "connection lost: " + detail, .hint = k_try_again};
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
      return {.reason = k_failure_lost, .text = "connection lost: " + detail, .hint = k_try_again};
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
      return {
          .kind = util::ErrorKind::invalid, .reason = {}, .text = std::move(detail), .hint = {}};
    default:
      return {.reason = k_failure_protocol, .text = std::move(detail), .hint = {}};
  }
}

}  // namespace

util::Error CurlExchange::cancelled_error() const {
  return util::make_error(util::ErrorKind::cancelled,
                          util::cat(m_request.method, ' ', redacted(m_request.url), ": cancelled"));
}

// Servers say something earlier: the connection is dead, something between swallows what they say,
// or libcurl 7.88 has lost the stream (seen once, of 30 side by side, though the server had
// answered in 40 ms). Its own check of that (CURLOPT_LOW_SPEED_TIME) wakes the thread once a second
// for each of its transfers: 500 watches at rest took a fifth of a processor.
util::Error CurlExchange::silent_error() const {
  return util::make_error(util::ErrorKind::timeout,
                          util::cat(m_request.method, ' ', redacted(m_request.url),
                                    ": nothing came for ", m_request.silence.count(), " s"),
                          k_try_again, std::string(k_failure_lost));
}

util::Error CurlExchange::failure(CURLcode code) const {
  if (m_receiver_stopped) {
    return cancelled_error();
  }
  Cause cause;
  if (!m_too_large.empty()) {
    // What others bring at the same time is no fault of this one.
    cause = {.kind = m_crowded ? util::ErrorKind::unavailable : util::ErrorKind::invalid,
             .reason = k_failure_too_large,
             .text = m_too_large,
             .hint = {}};
  } else if (m_sendings > 1) {
    cause = {
        .reason = k_failure_lost, .text = "connection lost before the answer", .hint = k_try_again};
  } else if (code == CURLE_COULDNT_CONNECT && !m_refused.empty()) {
    cause = {.kind = util::ErrorKind::forbidden,
             .reason = k_failure_address,
             .text = util::cat("it leads to ", m_refused, ", which is not asked"),
             .hint = "Give another address."};
  } else {
    std::string detail =
        m_error_text.front() != '\0' ? m_error_text.data() : curl_easy_strerror(code);
    cause = cause_of(code, easy(), m_request, m_url, std::move(detail));
  }
  return util::make_error(
      cause.kind, util::cat(m_request.method, ' ', redacted(m_request.url), ": ", cause.text),
      std::move(cause.hint), std::string(cause.reason));
}

}  // namespace kubist::http
