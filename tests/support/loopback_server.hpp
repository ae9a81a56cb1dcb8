#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <kubist/util/text.hpp>

namespace kubist::testing {

/// What a client sent: the request line and header block as text, and the body.
struct ReceivedRequest {
  std::string head;
  std::string body;
  std::string header(std::string_view name) const {
    for (const std::string& line : util::split(head, '\n')) {
      const auto colon = line.find(':');
      if (colon != std::string::npos && util::iequals(line.substr(0, colon), name)) {
        return std::string(util::trim(std::string_view(line).substr(colon + 1)));
      }
    }
    return {};
  }
};

/// PEM files for a TLS server; with `client_ca` it demands client certificates of that CA.
struct TlsFiles {
  std::string certificate;
  std::string key;
  std::string client_ca;
};

/// The server's side of one connection.
class Connection {
 public:
  Connection(int socket, SSL* ssl) : m_socket(socket), m_ssl(ssl) {}
  ~Connection() {
    if (m_ssl != nullptr) {
      SSL_free(m_ssl);
    }
    close(m_socket);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      const long sent = m_ssl != nullptr
                            ? SSL_write(m_ssl, text.data(), static_cast<int>(text.size()))
                            : send(m_socket, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        return;
      }
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  void reply(int status, std::string_view body, std::string_view headers = {}) {
    write(util::cat("HTTP/1.1 ", status, " X\r\nContent-Length: ", body.size(), "\r\n", headers,
                    "\r\n", body));
  }
  /// Ends it with a reset instead of an orderly close.
  void reset() {
    const linger at_once{1, 0};
    setsockopt(m_socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    m_over = true;
  }
  void end() { m_over = true; }
  bool is_over() const { return m_over; }

  bool read_request(ReceivedRequest& request) {
    std::size_t end = 0;
    while ((end = m_buffer.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more()) {
        return false;
      }
    }
    request.head = util::replace_all(m_buffer.substr(0, end), "\r", "");
    m_buffer.erase(0, end + 4);
    const auto length = util::parse_int(request.header("Content-Length")).value_or(0);
    while (m_buffer.size() < static_cast<std::size_t>(length)) {
      if (!read_more()) {
        return false;
      }
    }
    request.body = m_buffer.substr(0, static_cast<std::size_t>(length));
    m_buffer.erase(0, static_cast<std::size_t>(length));
    return true;
  }
  /// Blocks until the client closes.
  void wait_for_close() {
    while (read_more()) {
    }
  }

 private:
  bool read_more() {
    char bytes[4096];
    const long count = m_ssl != nullptr ? SSL_read(m_ssl, bytes, sizeof bytes)
                                        : recv(m_socket, bytes, sizeof bytes, 0);
    if (count <= 0) {
      return false;
    }
    m_buffer.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  int m_socket;
  SSL* m_ssl;
  std::string m_buffer;
  bool m_over = false;
};

/// An HTTP/1.1 server on 127.0.0.1, a port of its own, a thread a connection. `handler` answers
/// each request by writing to the connection.
class LoopbackServer {
 public:
  using Handler = std::function<void(const ReceivedRequest&, Connection&)>;

  explicit LoopbackServer(Handler handler, const TlsFiles* tls = nullptr)
      : m_handler(std::move(handler)) {
    if (tls != nullptr) {
      m_context.reset(SSL_CTX_new(TLS_server_method()));
      if (SSL_CTX_use_certificate_chain_file(m_context.get(), tls->certificate.c_str()) != 1 ||
          SSL_CTX_use_PrivateKey_file(m_context.get(), tls->key.c_str(), SSL_FILETYPE_PEM) != 1) {
        throw std::runtime_error("the test's certificate does not load");
      }
      if (!tls->client_ca.empty()) {
        SSL_CTX_load_verify_locations(m_context.get(), tls->client_ca.c_str(), nullptr);
        SSL_CTX_set_verify(m_context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                           nullptr);
      }
    }
    m_listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(m_listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        listen(m_listener, 64) != 0 ||
        getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("no loopback listener");
    }
    m_port = ntohs(address.sin_port);
    m_acceptor = std::thread([this] { accept_all(); });
  }
  ~LoopbackServer() {
    m_stopping = true;
    shutdown(m_listener, SHUT_RDWR);
    m_acceptor.join();
    {
      const std::lock_guard lock(m_mutex);
      for (const int open : m_open) {
        shutdown(open, SHUT_RDWR);
      }
    }
    for (std::thread& thread : m_threads) {
      thread.join();
    }
    close(m_listener);
  }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  int port() const { return m_port; }
  std::string url(std::string_view path = "/") const {
    return util::cat(m_context ? "https" : "http", "://127.0.0.1:", m_port, path);
  }
  int requests() const { return m_requests; }
  int connections() const { return m_connections; }

 private:
  struct ContextDeleter {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };

  void accept_all() {
    while (true) {
      const int client = accept(m_listener, nullptr, nullptr);
      if (client < 0) {
        return;
      }
      const std::lock_guard lock(m_mutex);
      ++m_connections;
      m_open.push_back(client);
      m_threads.emplace_back([this, client] { serve(client); });
    }
  }
  void serve(int client) {
    SSL* ssl = nullptr;
    if (m_context) {
      ssl = SSL_new(m_context.get());
      SSL_set_fd(ssl, client);
    }
    {
      Connection connection(client, ssl);
      ReceivedRequest request;
      if (ssl == nullptr || SSL_accept(ssl) == 1) {
        while (!m_stopping && !connection.is_over() && connection.read_request(request)) {
          ++m_requests;
          m_handler(request, connection);
        }
      }
      const std::lock_guard lock(m_mutex);
      std::erase(m_open, client);
    }
  }

  Handler m_handler;
  std::unique_ptr<SSL_CTX, ContextDeleter> m_context;
  int m_listener = -1;
  int m_port = 0;
  std::atomic<bool> m_stopping = false;
  std::atomic<int> m_requests = 0;
  std::atomic<int> m_connections = 0;
  std::mutex m_mutex;  // guards what follows
  std::vector<int> m_open;
  std::vector<std::thread> m_threads;
  std::thread m_acceptor;
};

}  // namespace kubist::testing
