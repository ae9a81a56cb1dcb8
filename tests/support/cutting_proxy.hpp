#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kubist::testing {

/// Forwards TCP connections to one server, until cut() breaks those that stand; new ones are
/// forwarded again. Knows addresses of the form https://IPV4:PORT.
class CuttingProxy {
 public:
  explicit CuttingProxy(const std::string& url) {
    const std::size_t colon = url.rfind(':');
    const std::size_t host = url.find("//") + 2;
    m_server = address(url.substr(host, colon - host), std::stoi(url.substr(colon + 1)));
    m_listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in own = address("127.0.0.1", 0);
    socklen_t size = sizeof own;
    ::bind(m_listener, as_address(own), size);
    ::listen(m_listener, 16);
    ::getsockname(m_listener, as_address(own), &size);
    m_port = ntohs(own.sin_port);
    m_acceptor = std::jthread([this](const std::stop_token& stop) { accept_all(stop); });
  }
  ~CuttingProxy() {
    m_acceptor.request_stop();
    m_acceptor.join();
    cut();
    m_forwarders.clear();
    ::close(m_listener);
  }
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  int port() const { return m_port; }

  void cut() {
    const std::lock_guard lock(m_mutex);
    for (const int socket : m_sockets) {
      ::shutdown(socket, SHUT_RDWR);
    }
  }

 private:
  static sockaddr_in address(const std::string& host, int port) {
    sockaddr_in result{};
    result.sin_family = AF_INET;
    result.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, host.c_str(), &result.sin_addr);
    return result;
  }
  static sockaddr* as_address(sockaddr_in& in) { return reinterpret_cast<sockaddr*>(&in); }

  void accept_all(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd ready{m_listener, POLLIN, 0};
      if (::poll(&ready, 1, 50) <= 0) {
        continue;
      }
      const int client = ::accept(m_listener, nullptr, nullptr);
      const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (::connect(server, as_address(m_server), sizeof m_server) != 0) {
        ::close(client);
        ::close(server);
        continue;
      }
      const std::lock_guard lock(m_mutex);
      m_sockets.insert(m_sockets.end(), {client, server});
      m_forwarders.emplace_back([this, client, server] { forward(client, server); });
    }
  }

  void forward(int client, int server) {
    std::array<pollfd, 2> both{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
    while (::poll(both.data(), both.size(), -1) > 0) {
      if ((both[0].revents != 0 && !copy(client, server)) ||
          (both[1].revents != 0 && !copy(server, client))) {
        break;
      }
    }
    const std::lock_guard lock(m_mutex);
    std::erase(m_sockets, client);
    std::erase(m_sockets, server);
    ::close(client);
    ::close(server);
  }

  static bool copy(int from, int to) {
    std::array<char, 16384> buffer;
    const ssize_t count = ::recv(from, buffer.data(), buffer.size(), 0);
    for (ssize_t sent = 0; sent < count;) {
      const ssize_t more = ::send(to, buffer.data() + sent, static_cast<std::size_t>(count - sent),
                                  MSG_NOSIGNAL);
      if (more <= 0) {
        return false;
      }
      sent += more;
    }
    return count > 0;
  }

  sockaddr_in m_server{};
  int m_listener = -1;
  int m_port = 0;
  std::mutex m_mutex;
  std::vector<int> m_sockets;
  std::vector<std::jthread> m_forwarders;
  std::jthread m_acceptor;
};

}  // namespace kubist::testing
