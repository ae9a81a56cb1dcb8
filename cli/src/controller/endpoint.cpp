#include "controller/endpoint.hpp"

#include <atomic>
#include <thread>

#include <httplib.h>

#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::cli {

using util::cat;
using util::ErrorKind;

namespace {

constexpr std::size_t k_threads = 8;
constexpr std::chrono::seconds k_patience{2};

struct Address {
  std::string host;  ///< without brackets
  int port = 0;
};

util::Result<Address> read_address(const std::string& text) {
  const auto colon = text.rfind(':');
  const auto port =
      colon == std::string::npos ? std::nullopt : util::parse_int(text.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535) {
    return util::fail(ErrorKind::usage, cat("\"", text, "\" is no address to listen on"),
                      "Give HOST:PORT, or :PORT for all addresses of the machine.");
  }
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  return Address{std::move(host), static_cast<int>(*port)};
}

}  // namespace

struct Endpoint::State {
  httplib::Server server;
  std::string address;
  std::atomic<bool> ended = false;  ///< it does not listen any more
  std::jthread thread;
};

Endpoint::Endpoint(std::unique_ptr<State> state) : m_state(std::move(state)) {}

Endpoint::~Endpoint() { m_state->server.stop(); }

const std::string& Endpoint::address() const { return m_state->address; }

util::Result<std::unique_ptr<Endpoint>> Endpoint::listen(const std::string& address, Pages pages) {
  KUBIST_TRY(const Address at, read_address(address));
  auto state = std::make_unique<State>();
  httplib::Server& server = state->server;
  server.new_task_queue = [] { return new httplib::ThreadPool(k_threads); };
  // By default another process may listen on the same port (SO_REUSEPORT).
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.set_read_timeout(k_patience);
  server.set_write_timeout(k_patience);
  server.set_keep_alive_max_count(1);
  server.set_payload_max_length(0);
  for (auto& [path, page] : pages) {
    server.Get(path,
               [page = std::move(page)](const httplib::Request&, httplib::Response& response) {
                 Page made = page();
                 response.status = made.status;
                 response.set_content(std::move(made.body), made.type.c_str());
               });
  }
  const auto bind = [&](const char* host) {
    return at.port == 0                         ? server.bind_to_any_port(host)
           : server.bind_to_port(host, at.port) ? at.port
                                                : -1;
  };
  int port = bind(at.host.empty() ? "::" : at.host.c_str());
  if (port < 0 && at.host.empty()) {
    port = bind("0.0.0.0");  // a machine without IPv6
  }
  if (port < 0) {
    return util::fail(ErrorKind::unavailable, cat("cannot listen on ", address),
                      "Is the port taken? Give another one by --bind-address.");
  }
  state->address = cat(address.substr(0, address.rfind(':')), ':', port);
  KUBIST_TRY(state->thread, util::start_thread([&server, &ended = state->ended](auto) {
               static_cast<void>(util::guarded([&] { server.listen_after_bind(); }));
               ended = true;
             }));
  // A stop before that would be lost.
  while (!server.is_running() && !state->ended) {
    std::this_thread::yield();
  }
  return std::unique_ptr<Endpoint>(new Endpoint(std::move(state)));
}

}  // namespace kubist::cli
