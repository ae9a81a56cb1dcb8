#pragma once
#include <string>
#include <utility>

#include <kubist/kube/client.hpp>

namespace kubist::kube {

/// Hands each request to the client that the route names for it.
class RoutedTransport : public http::Transport {
 public:
  RoutedTransport(std::string server, Client::Route route)
      : m_server(std::move(server)), m_route(std::move(route)) {}

  http::Call start(http::Request request, http::Done done) override {
    const auto client = m_route(request_info(request, m_server));
    if (!client) {
      done(util::fail(client.error()));
      return {};
    }
    return (*client)->transport().start(std::move(request), std::move(done));
  }

 private:
  std::string m_server;
  Client::Route m_route;
};

}  // namespace kubist::kube
