#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <kubist/http/address.hpp>
#include <kubist/http/curl_transport.hpp>
#include <kubist/http/fetch.hpp>
#include <kubist/http/guarded_transport.hpp>
#include <kubist/util/text.hpp>

#include "support/fake_resolver.hpp"
#include "support/loopback_server.hpp"

using namespace kubist;
using namespace kubist::http;
using namespace kubist::testing;
using util::cat;

namespace {

/// A client that sends nothing to link-local addresses, and a server on this machine.
struct LinkLocalSetup {
  util::Result<Response> get(const std::string& url) {
    Request request;
    request.url = url;
    request.follow_redirects = true;
    request.timeout = std::chrono::seconds(20);
    return send(*engine.transport(), std::move(request));
  }
  std::string at(const std::string& host) const { return cat("http://", host, ':', server.port()); }

  GuardedEngine engine;
  LoopbackServer server{[this](const ReceivedRequest& request, Connection& connection) {
    if (request.head.find("GET /to/") == 0) {
      const std::string to = util::split(request.head, '/')[2];
      connection.reply(302, "", cat("Location: ", at(to.substr(0, to.find(' '))), "\r\n"));
    } else {
      connection.reply(200, "here");
    }
  }};
};

}  // namespace

TEST_CASE("link-local: a name that leads there is refused, and who it is is said") {
  struct Case {
    std::string host, address;
  };
  for (const Case& each : {Case{"link-local.test", "169.254.7.7"},
                           {"link-local-6.test", "fe80::7"},
                           {"unspecified.test", "0.0.0.0"},
                           {"metadata-6.test", "fd00:ec2::254"},
                           {"mapped.test", "::ffff:169.254.7.7"},
                           {"169.254.7.7", "169.254.7.7"},
                           {"0xa9fe0707", "169.254.7.7"},
                           {"2851997447", "169.254.7.7"},
                           {"[::ffff:a9fe:707]", "::ffff:169.254.7.7"}}) {
    CAPTURE(each.host);
    LinkLocalSetup setup;
    const auto answer = setup.get(setup.at(each.host));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().kind == util::ErrorKind::forbidden);
    CHECK(answer.error().reason == k_failure_address);
    CHECK_MESSAGE(answer.error().message.find(each.address) != std::string::npos,
                  answer.error().message);
    CHECK(setup.server.connections() == 0);
  }
}

TEST_CASE("link-local: a redirect leads there no more than the URL does") {
  LinkLocalSetup setup;
  const auto elsewhere = setup.get(setup.at("loopback.test") + "/to/loopback.test");
  REQUIRE_MESSAGE(elsewhere, elsewhere.error().to_string());
  CHECK(elsewhere->body == "here");
  const auto there = setup.get(setup.at("loopback.test") + "/to/link-local.test");
  REQUIRE_FALSE(there);
  CHECK(there.error().reason == k_failure_address);
}

TEST_CASE("link-local: what must be at the address itself is not fetched from there") {
  const auto text =
      fetch(nullptr, "http://link-local.test/manifest.yaml", 1000, {}, Redirects::refuse);
  REQUIRE_FALSE(text);
  CHECK(text.error().reason == k_failure_address);
}

namespace {

std::string refuse_loopback(std::string_view address) {
  return is_loopback_address(address) ? "a loopback address" : "";
}

util::Result<Response> get_through(const std::shared_ptr<CurlEngine>& engine,
                                   const std::string& url, EndpointOptions options = {}) {
  CurlTransport transport(engine, std::move(options));
  Request request;
  request.url = url;
  request.timeout = std::chrono::seconds(20);
  return send(transport, std::move(request));
}

}  // namespace

TEST_CASE("address rule: an engine's connections lead where it allows, whatever the name") {
  LoopbackServer server(
      [](const ReceivedRequest&, Connection& connection) { connection.reply(200, "here"); });
  const std::string url = cat("http://loopback.test:", server.port());
  const auto free = std::make_shared<CurlEngine>();
  REQUIRE(get_through(free, url));
  // The connection that stands is not for an engine with a rule.
  const auto ruled = std::make_shared<CurlEngine>(GovernorOptions{}, refuse_loopback);
  const auto refused = get_through(ruled, url);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == util::ErrorKind::forbidden);
  CHECK(refused.error().reason == k_failure_address);
  CHECK(refused.error().message.find("127.0.0.1, a loopback address") != std::string::npos);
  CHECK(server.connections() == 1);
}

TEST_CASE("address rule: the proxy is where whoever runs kubist has it") {
  LoopbackServer proxy([](const ReceivedRequest& request, Connection& connection) {
    connection.reply(200, request.head.substr(0, request.head.find('\n')));
  });
  const auto engine = std::make_shared<CurlEngine>(GovernorOptions{}, refuse_loopback);
  EndpointOptions options;
  options.proxy = cat("http://127.0.0.1:", proxy.port());
  const auto answer = get_through(engine, "http://far.test:1/path", options);
  REQUIRE_MESSAGE(answer, answer.error().to_string());
  CHECK(answer->body == "GET http://far.test:1/path HTTP/1.1");
}

TEST_CASE("curl transport: its sockets are closed in programs that are started") {
  LinkLocalSetup setup;
  REQUIRE(setup.get(setup.at("127.0.0.1")));  // the connection is kept for the next request
  int found = 0;
  for (int fd = 3; fd < 1024; ++fd) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0 &&
        peer.sin_family == AF_INET && ntohs(peer.sin_port) == setup.server.port()) {
      ++found;
      CHECK((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    }
  }
  CHECK(found == 1);
}
