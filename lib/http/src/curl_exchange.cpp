#include "curl_exchange.hpp"

#include <algorithm>
#include <limits>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "arriving.hpp"

namespace kubist::http {
namespace {

constexpr long k_connect_timeout_ms = 30000;
constexpr unsigned k_dead_peer_ms = 30000;
constexpr long k_keepalive_idle_s = 15;
constexpr long k_keepalive_interval_s = 5;
constexpr long k_max_redirects = 10;
constexpr std::size_t k_max_reserve = std::size_t{64} << 20U;
constexpr std::size_t k_max_headers = std::size_t{256} << 10U;  // libcurl itself ends at 300 KiB
constexpr std::size_t k_max_refusal = std::size_t{16} << 20U;   // the body of an answer but 2xx
template <class T>
void set(CURL* easy, CURLoption option, T value) {
  curl_easy_setopt(easy, option, value);
}

/// Unacknowledged data on a connection whose peer is gone ends it (RFC 5482), where TCP by itself
/// would go on for a quarter of an hour and HTTP/2 would hang all streams.
int socket_callback(void*, curl_socket_t socket, curlsocktype) {
  const unsigned timeout = k_dead_peer_ms;
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof timeout);
  return CURL_SOCKOPT_OK;
}

curl_blob blob_of(const std::string& text) {
  // Not copied: the exchange keeps the options alive while the handle has them.
  return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};
}

std::string host_port(const std::string& host, std::uint16_t port) {
  const bool ipv6 = host.find(':') != std::string::npos;
  return util::cat(ipv6 ? "[" : "", host, ipv6 ? "]" : "", ':', port);
}

bool carries_body(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

/// May libcurl go through a proxy?
bool has_proxy(const EndpointOptions& options) {
  constexpr std::array<const char*, 5> k_variables{"http_proxy", "https_proxy", "HTTPS_PROXY",
                                                   "all_proxy", "ALL_PROXY"};
  return !options.proxy.empty() ||
         std::any_of(k_variables.begin(), k_variables.end(),
                     [](const char* name) { return !util::environment(name).empty(); });
}

std::chrono::microseconds time_info(CURL* easy, CURLINFO info) {
  curl_off_t value = 0;
  curl_easy_getinfo(easy, info, &value);
  return std::chrono::microseconds(value);
}

}  // namespace

CurlExchange::CurlExchange(std::uint64_t id, Request request,
                           std::shared_ptr<const EndpointOptions> options, AddressRule rule,
                           Done done)
    : m_id(id),
      m_request(std::move(request)),
      m_options(std::move(options)),
      m_rule(std::move(rule)),
      m_done(std::move(done)) {
  if (auto url = parse_url(m_request.url)) {
    m_url = std::move(*url);
    m_origin = util::cat(m_url.scheme, "://", host_port(m_url.host, m_url.port));
  }
}

util::Result<> CurlExchange::permitted() const {
  return m_request.permit ? util::guarded(m_request.permit) : util::Result<>{};
}

util::Result<> CurlExchange::sendable() const {
  constexpr std::string_view k_ends("\r\n\0", 3);
  for (const Header& header : m_request.headers) {
    if (header.name.find_first_of(k_ends) != header.name.npos ||
        header.value.find_first_of(k_ends) != header.value.npos) {
      return util::fail(util::ErrorKind::invalid,
                        util::cat(m_request.method, ' ', redacted(m_request.url), ": the header ",
                                  util::printable(header.name), " has a line's end in it"));
    }
  }
  return permitted();
}

util::Result<> CurlExchange::may_stay(std::chrono::steady_clock::time_point now) {
  curl_off_t sent = 0;
  curl_easy_getinfo(easy(), CURLINFO_SIZE_UPLOAD_T, &sent);
  if (std::exchange(m_sent, sent) != sent) {
    m_heard = now;
  }
  if (m_request.silence.count() > 0 && now - m_heard > m_request.silence) {
    return util::fail(silent_error());
  }
  return permitted();
}

void CurlExchange::prepare(EasyHandle easy) {
  m_heard = std::chrono::steady_clock::now();
  m_easy = std::move(easy);
  CURL* const handle = m_easy.get();
  set(handle, CURLOPT_PRIVATE, static_cast<void*>(this));
  set(handle, CURLOPT_ERRORBUFFER, m_error_text.data());
  set(handle, CURLOPT_NOSIGNAL, 1L);
  set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  set(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  set(handle, CURLOPT_HEADERFUNCTION, &CurlExchange::header_callback);
  set(handle, CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(handle, CURLOPT_WRITEFUNCTION, &CurlExchange::write_callback);
  set(handle, CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (!m_request.repeatable()) {
    set(handle, CURLOPT_PREREQFUNCTION, &CurlExchange::begin_callback);
    set(handle, CURLOPT_PREREQDATA, static_cast<void*>(this));
  }
  if (m_request.follow_redirects) {
    set(handle, CURLOPT_FOLLOWLOCATION, 1L);
    set(handle, CURLOPT_MAXREDIRS, k_max_redirects);
    set(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  }
  set_address();
  // Where HTTP/2 may come. Else all would wait for the first answer, to learn that it does not.
  set(handle, CURLOPT_PIPEWAIT, m_url.scheme == "https" ? 1L : 0L);
  set_tls();
  set_headers();
  set_body();
  set_limits();
  if (m_rule) {
    set(handle, CURLOPT_OPENSOCKETFUNCTION, &CurlExchange::open_callback);
    set(handle, CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
  }
}

/// Where a connection that was used before ends without an answer, libcurl sends the request again
/// on a new one. The server may have acted, so that is up to whoever knows what it means.
int CurlExchange::begin_callback(void* self, char* /*to*/, char* /*from*/, int /*to_port*/,
                                 int /*from_port*/) {
  auto& exchange = *static_cast<CurlExchange*>(self);
  return ++exchange.m_sendings == 1 ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

/// Called for each address that a name has, of redirects too, before anything is sent there.
curl_socket_t CurlExchange::open_callback(void* self, curlsocktype /*purpose*/,
                                          curl_sockaddr* address) {
  auto& exchange = *static_cast<CurlExchange*>(self);
  std::array<char, NI_MAXHOST> text{};
  std::array<char, NI_MAXSERV> port{};
  const auto refused = util::guarded([&] {
    const bool known = getnameinfo(&address->addr, address->addrlen, text.data(), text.size(),
                                   port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV) == 0;
    const std::string what =
        known ? exchange.refusal(text.data(), port.data()) : "an address of another sort";
    if (!what.empty()) {
      exchange.m_refused = util::cat(text.data(), ", ", what);
    }
    return !what.empty();
  });
  if (!refused || *refused) {
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/// What an address is that nothing may be sent to. Where a proxy is named, which is up to whoever
/// runs kubist, another port than the URL's is the proxy's.
std::string CurlExchange::refusal(std::string_view address, std::string_view port) const {
  const bool of_proxy =
      has_proxy(*m_options) && !m_request.follow_redirects && util::parse_int(port) != m_url.port;
  return of_proxy ? refuse_link_local(address) : m_rule(address);
}

void CurlExchange::set_address() {
  // Else libcurl takes `..` out of the path together with the part before it.
  set(easy(), CURLOPT_PATH_AS_IS, 1L);
  if (m_options->server_name.empty()) {
    set(easy(), CURLOPT_URL, m_request.url.c_str());
  } else {
    // The certificate is verified against the URL's host, so the name goes there, the connection to
    // the real host.
    Url named = m_url;
    named.host = m_options->server_name;
    set(easy(), CURLOPT_URL, to_string(named).c_str());
    m_connect_to.append(
        util::cat(host_port(named.host, m_url.port), ':', host_port(m_url.host, m_url.port)));
    set(easy(), CURLOPT_CONNECT_TO, m_connect_to.get());
  }
  if (!m_options->proxy.empty()) {
    // Go's socks5 lets the proxy resolve the name: socks5h in curl's words.
    const bool socks = m_options->proxy.starts_with("socks5://");
    set(easy(), CURLOPT_PROXY,
        (socks ? "socks5h://" + m_options->proxy.substr(9) : m_options->proxy).c_str());
    set(easy(), CURLOPT_NOPROXY, "");
  } else if (is_loopback(m_url.host)) {
    set(easy(), CURLOPT_NOPROXY, "*");  // as Go: no proxy of the environment for loopback
  }
}

void CurlExchange::set_tls() {
  set(easy(), CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (m_options->insecure) {
    set(easy(), CURLOPT_SSL_VERIFYPEER, 0L);
    set(easy(), CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (!m_options->ca_pem.empty()) {
    curl_blob blob = blob_of(m_options->ca_pem);
    set(easy(), CURLOPT_CAINFO_BLOB, &blob);
    set(easy(), CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
  if (!m_options->client_cert_pem.empty()) {
    curl_blob certificate = blob_of(m_options->client_cert_pem);
    curl_blob key = blob_of(m_options->client_key_pem.reveal());
    set(easy(), CURLOPT_SSLCERTTYPE, "PEM");
    set(easy(), CURLOPT_SSLCERT_BLOB, &certificate);
    set(easy(), CURLOPT_SSLKEYTYPE, "PEM");
    set(easy(), CURLOPT_SSLKEY_BLOB, &key);
  }
}

void CurlExchange::set_headers() {
  for (const Header& header : m_request.headers) {
    m_headers.append(header.value.empty() ? header.name + ';'
                                          : util::cat(header.name, ": ", header.value));
  }
  if (!m_options->server_name.empty()) {
    const bool usual = m_url.port == (m_url.scheme == "https" ? 443 : 80);
    m_headers.append("Host: " + (usual ? m_url.host : host_port(m_url.host, m_url.port)));
  }
  if (m_request.long_running) {
    // From 1.37 servers gzip watches with a new member a flush, at which libcurl's decoder stops.
    m_headers.append("Accept-Encoding: identity");
  } else if (m_request.method == "GET" && m_options->compression && !is_loopback(m_url.host)) {
    set(easy(), CURLOPT_ACCEPT_ENCODING, "gzip");
  }
  m_headers.append("Expect:");  // no extra round trip for large bodies
  if (!find_header(m_request.headers, "Content-Type")) {
    m_headers.append("Content-Type:");
  }
  set(easy(), CURLOPT_HTTPHEADER, m_headers.get());
}

void CurlExchange::set_body() {
  if (m_request.method == "HEAD") {
    set(easy(), CURLOPT_NOBODY, 1L);
    return;
  }
  if (m_request.body || carries_body(m_request.method)) {
    const std::size_t size = m_request.body ? m_request.body->size() : 0;
    set(easy(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(size));
    set(easy(), CURLOPT_POSTFIELDS, size > 0 ? m_request.body->data() : "");
  } else {
    set(easy(), CURLOPT_HTTPGET, 1L);
  }
  if (m_request.body || m_request.method != "GET") {
    set(easy(), CURLOPT_CUSTOMREQUEST, m_request.method.c_str());
  }
}

void CurlExchange::set_limits() {
  set(easy(), CURLOPT_CONNECTTIMEOUT_MS, k_connect_timeout_ms);
  set(easy(), CURLOPT_SOCKOPTFUNCTION, &socket_callback);
  set(easy(), CURLOPT_TCP_KEEPALIVE, 1L);
  set(easy(), CURLOPT_TCP_KEEPIDLE, k_keepalive_idle_s);
  set(easy(), CURLOPT_TCP_KEEPINTVL, k_keepalive_interval_s);
  if (m_request.timeout.count() > 0) {
    set(easy(), CURLOPT_TIMEOUT_MS, static_cast<long>(m_request.timeout.count()));
  }
}

// No exception may cross libcurl, which is C: it ends the transfer and is the outcome.
template <class Receive>
std::size_t CurlExchange::receive(Receive&& take) {
  m_heard = std::chrono::steady_clock::now();
  auto taken = util::guarded(take);
  if (!taken) {
    m_thrown = std::move(taken).error();
    return 0;
  }
  return *taken;
}

std::size_t CurlExchange::header_callback(char* data, std::size_t size, std::size_t count,
                                          void* self) {
  auto& exchange = *static_cast<CurlExchange*>(self);
  return exchange.receive([&] { return exchange.on_header({data, size * count}); });
}

std::size_t CurlExchange::write_callback(char* data, std::size_t size, std::size_t count,
                                         void* self) {
  auto& exchange = *static_cast<CurlExchange*>(self);
  return exchange.receive([&] { return exchange.on_body({data, size * count}); });
}

std::size_t CurlExchange::on_header(std::string_view line) {
  const std::size_t size = line.size();
  m_header_bytes += size;
  if (m_header_bytes > k_max_headers) {
    m_too_large = util::cat("the answer's headers have more than ", k_max_headers, " bytes");
    return 0;
  }
  line = util::trim(line);
  if (line.starts_with("HTTP/")) {
    m_response.headers.clear();
    m_response.body.clear();
    m_body_bytes = 0;
    long status = 0;
    curl_easy_getinfo(easy(), CURLINFO_RESPONSE_CODE, &status);
    m_response.status = static_cast<int>(status);
  } else if (line.empty()) {
    if (m_response.status / 100 == 2 && m_request.on_head && !m_head_given) {
      m_head_given = true;
      m_request.on_head(m_response);
    }
  } else if (const auto colon = line.find(':'); colon != std::string_view::npos && !m_head_given) {
    m_response.headers.push_back(
        {std::string(line.substr(0, colon)), std::string(util::trim(line.substr(colon + 1)))});
    if (util::iequals(line.substr(0, colon), "Content-Length") && !m_request.on_chunk) {
      const auto length = util::parse_int(m_response.headers.back().value);
      m_response.body.reserve(std::min({static_cast<std::size_t>(std::max(length.value_or(0), 0LL)),
                                        max_body(), k_max_reserve}));
    }
  }
  return size;
}

std::size_t CurlExchange::max_body() const {
  const std::size_t given =
      m_request.max_body > 0 ? m_request.max_body : std::numeric_limits<std::size_t>::max();
  return m_response.status / 100 == 2 ? given : std::min(given, k_max_refusal);
}

/// What comes is counted as libcurl has unpacked it.
std::size_t CurlExchange::on_body(std::string_view bytes) {
  m_body_bytes += bytes.size();
  if (m_body_bytes > max_body()) {
    m_too_large = util::cat("the answer is longer than ", max_body(), " bytes");
    return 0;
  }
  // What may be of any length is handed on line by line, not kept: watches and logs.
  if (m_rule && m_request.max_body > 0 && !m_request.long_running) {
    m_counted += bytes.size();
    arriving().add(m_origin, bytes.size());
    if (!arriving().has_room(m_origin, m_body_bytes)) {
      m_crowded = true;
      m_too_large = util::cat("the answers that arrive at the same time from servers of Clusters ",
                              "are longer than ", Arriving::k_most, " bytes");
      return 0;
    }
  }
  if (m_request.on_chunk && m_response.status / 100 == 2) {
    m_receiver_stopped = !m_request.on_chunk(bytes);
    return m_receiver_stopped ? 0 : bytes.size();
  }
  m_response.body += bytes;
  return bytes.size();
}

CurlExchange::~CurlExchange() {
  if (m_counted > 0) {
    arriving().end(m_origin, m_counted);
  }
}

util::Result<Response> CurlExchange::take_outcome(CURLcode code) {
  m_response.elapsed = time_info(easy(), CURLINFO_TOTAL_TIME_T);
  m_response.latency = time_info(easy(), CURLINFO_STARTTRANSFER_TIME_T) -
                       time_info(easy(), CURLINFO_PRETRANSFER_TIME_T);
  if (m_thrown) {
    return util::fail(util::with_context(
        *std::move(m_thrown), util::cat(m_request.method, ' ', redacted(m_request.url))));
  }
  if (code != CURLE_OK) {
    return util::fail(failure(code));
  }
  return std::move(m_response);
}

// A Done that throws may not have told who waits: it is called once more, with what it threw.
void CurlExchange::finish(util::Result<Response> outcome) {
  auto told = util::guarded([&] { m_done(std::move(outcome)); });
  if (!told) {
    static_cast<void>(util::guarded([&] { m_done(util::fail(std::move(told).error())); }));
  }
}

}  // namespace kubist::http
