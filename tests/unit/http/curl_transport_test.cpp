#include <condition_variable>
#include <future>
#include <semaphore>
#include <stdexcept>

#include <doctest/doctest.h>

#include <kubist/http/curl_transport.hpp>
#include <kubist/http/retry.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/process.hpp>

#include "support/loopback_server.hpp"

using namespace kubist;
using namespace kubist::http;
using namespace kubist::testing;

namespace {

/// A client for the test's server.
struct TransportSetup {
  explicit TransportSetup(EndpointOptions options = {},
                          std::shared_ptr<Governor> governor = std::make_shared<Governor>())
      : engine(std::make_shared<CurlEngine>(std::move(governor))),
        transport(std::make_shared<CurlTransport>(engine, std::move(options))) {}
  util::Result<Response> get(const std::string& url) {
    Request request;
    request.url = url;
    return send(*transport, std::move(request));
  }
  std::shared_ptr<CurlEngine> engine;
  std::shared_ptr<CurlTransport> transport;
};

void run_openssl(const std::vector<std::string>& args) {
  util::Command command;
  command.args = {"openssl"};
  command.args.insert(command.args.end(), args.begin(), args.end());
  const auto result = util::run_command(command);
  REQUIRE_MESSAGE(result, result.error().to_string());
  REQUIRE_MESSAGE(result->exit_code == 0, result->err);
}

/// A CA, a server certificate for api.test and 127.0.0.1, and a client certificate; for an hour.
class Certificates {
 public:
  Certificates() {
    const auto ec = [](const std::string& key) {
      return std::vector<std::string>{"-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key};
    };
    const auto request = [&](const std::string& name, const std::string& subject, bool ca) {
      std::vector<std::string> args{"req", "-x509", "-days", "1", "-subj", subject, "-out", file(name + ".pem")};
      const auto key = ec(file(name + ".key"));
      args.insert(args.end(), key.begin(), key.end());
      if (!ca) {
        args.insert(args.end(), {"-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-addext",
                                 "subjectAltName=DNS:api.test,IP:127.0.0.1", "-addext", "basicConstraints=CA:FALSE"});
      }
      run_openssl(args);
    };
    request("ca", "/CN=test CA", true);
    request("server", "/CN=server", false);
    request("client", "/CN=client", false);
    request("other", "/CN=another CA", true);
  }
  std::string file(const std::string& name) const { return (m_folder.path() / name).string(); }
  std::string pem(const std::string& name) const { return *util::read_file(file(name)); }

 private:
  util::TempDir m_folder;
};

const Certificates& certificates() {
  static const Certificates all;
  return all;
}

}  // namespace

TEST_CASE("curl transport: method, headers, body and answer of any status") {
  LoopbackServer server([](const ReceivedRequest& request, Connection& connection) {
    connection.reply(request.head.starts_with("PATCH /x?y=1 ") && request.body == "{\"a\":1}" &&
                             request.header("Content-Type") == "application/apply-patch+yaml" &&
                             request.header("Expect").empty()
                         ? 409
                         : 500,
                     "body", "X-Two: a\r\nX-Two: b\r\n");
  });
  TransportSetup client;
  Request request;
  request.method = "PATCH";
  request.url = server.url("/x?y=1");
  request.headers = {{"Content-Type", "application/apply-patch+yaml"}};
  request.body = std::make_shared<const std::string>("{\"a\":1}");
  const auto response = send(*client.transport, request);
  REQUIRE_MESSAGE(response, response.error().to_string());
  CHECK(response->status == 409);
  CHECK(response->body == "body");
  CHECK(std::count_if(response->headers.begin(), response->headers.end(),
                      [](const Header& header) { return header.name == "X-Two"; }) == 2);
  CHECK(client.get(server.url())->status == 500);
  CHECK(server.connections() == 1);
}

TEST_CASE("curl transport: a DELETE carries its body, a POST without one says so") {
  LoopbackServer server([](const ReceivedRequest& request, Connection& connection) {
    connection.reply(200, request.head.substr(0, request.head.find(' ')) + ' ' + request.body + ' ' +
                              request.header("Content-Length"));
  });
  TransportSetup client;
  Request request;
  request.url = server.url();
  request.method = "POST";
  CHECK(send(*client.transport, request)->body == "POST  0");
  request.method = "DELETE";
  CHECK(send(*client.transport, request)->body == "DELETE  ");
  request.body = std::make_shared<const std::string>("{}");
  CHECK(send(*client.transport, request)->body == "DELETE {} 2");
}

TEST_CASE("curl transport: why there was no answer") {
  TransportSetup client;
  SUBCASE("refused") {
    const auto outcome = client.get("http://me:secret@127.0.0.1:1/x");
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().reason == k_failure_refused);
    CHECK(outcome.error().kind == util::ErrorKind::unavailable);
    CHECK(outcome.error().message == "GET http://***@127.0.0.1:1/x: connection to 127.0.0.1:1 refused");
  }
  SUBCASE("reset") {
    LoopbackServer server([](const ReceivedRequest&, Connection& connection) { connection.reset(); });
    CHECK(client.get(server.url()).error().reason == k_failure_lost);
  }
  SUBCASE("cut in the middle") {
    LoopbackServer server([](const ReceivedRequest&, Connection& connection) {
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
      connection.end();
    });
    CHECK(client.get(server.url()).error().reason == k_failure_lost);
  }
  SUBCASE("timeout") {
    LoopbackServer server([](const ReceivedRequest&, Connection& connection) { connection.wait_for_close(); });
    Request request;
    request.url = server.url();
    request.timeout = std::chrono::milliseconds(50);
    const auto outcome = send(*client.transport, request);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().kind == util::ErrorKind::timeout);
    // The endpoint's, where the request has none.
    EndpointOptions impatient;
    impatient.request_timeout = request.timeout;
    CurlTransport transport(client.engine, impatient);
    request.timeout = {};
    CHECK(send(transport, request).error().kind == util::ErrorKind::timeout);
  }
  SUBCASE("too long") {
    LoopbackServer server([](const ReceivedRequest&, Connection& connection) { connection.reply(200, "12345"); });
    Request request;
    request.url = server.url();
    request.max_body = 4;
    CHECK(send(*client.transport, request).error().reason == k_failure_too_large);
  }
}

TEST_CASE("curl transport: cancelled by stop in flight") {
  std::binary_semaphore arrived(0);
  LoopbackServer server([&](const ReceivedRequest&, Connection& connection) {
    arrived.release();
    connection.wait_for_close();
  });
  TransportSetup client;
  for (const bool long_running : {false, true}) {
    CAPTURE(long_running);
    Request request;
    request.url = server.url();
    request.long_running = long_running;
    std::stop_source source;
    std::jthread stopper([&] {
      CHECK(arrived.try_acquire_for(std::chrono::seconds(20)));
      source.request_stop();
    });
    const auto outcome = send(*client.transport, request, source.get_token());
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().kind == util::ErrorKind::cancelled);
  }
}

TEST_CASE("curl transport: cancelled while it waits for its time") {
  LoopbackServer server(
      [](const ReceivedRequest&, Connection& connection) { connection.reply(200, ""); });
  TransportSetup client;
  for (const bool long_running : {false, true}) {
    CAPTURE(long_running);
    Request request;
    request.url = server.url();
    request.long_running = long_running;
    request.not_before = std::chrono::steady_clock::now() + std::chrono::hours(1);
    std::promise<util::Result<Response>> ended;
    const Call call = client.transport->start(
        request, [&](util::Result<Response> outcome) { ended.set_value(std::move(outcome)); });
    CHECK(client.get(server.url()));  // so the worker has taken what came before
    call.cancel();
    const auto outcome = ended.get_future().get();
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().kind == util::ErrorKind::cancelled);
  }
}

TEST_CASE("curl transport: what is in flight when the engine ends is cancelled") {
  LoopbackServer server([](const ReceivedRequest&, Connection& connection) { connection.wait_for_close(); });
  int cancelled = 0;
  {
    TransportSetup client;
    for (int i = 0; i < 3; ++i) {
      Request request;
      request.url = server.url();
      client.transport->start(request, [&](util::Result<Response> outcome) {
        cancelled += !outcome && outcome.error().kind == util::ErrorKind::cancelled ? 1 : 0;
      });
    }
  }
  CHECK(cancelled == 3);
}

TEST_CASE("curl transport: streams in pieces, and stops when the receiver has enough") {
  LoopbackServer server([](const ReceivedRequest& request, Connection& connection) {
    CHECK(request.header("Accept-Encoding") == "identity");
    connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
    connection.write("6\r\nsecond\r\n");
    connection.wait_for_close();
  });
  TransportSetup client;
  Request request;
  request.url = server.url();
  request.long_running = true;
  std::string heads;
  request.on_head = [&](const Response& response) { heads += std::to_string(response.status); };
  std::string text;
  const auto outcome = stream(*client.transport, request, [&](std::string_view bytes) {
    text += bytes;
    return !text.ends_with("second");
  });
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == util::ErrorKind::cancelled);
  CHECK(text == "firstsecond");
  CHECK(heads == "200");
}

TEST_CASE("curl transport: a handler that throws ends its exchange, not the process") {
  LoopbackServer server(
      [](const ReceivedRequest&, Connection& connection) { connection.reply(200, "body"); });
  TransportSetup client;
  for (const bool in_head : {true, false}) {
    CAPTURE(in_head);
    Request request;
    request.url = server.url();
    request.on_head = [&](const Response&) {
      if (in_head) {
        throw std::runtime_error("a bug");
      }
    };
    request.on_chunk = [](std::string_view) -> bool { throw std::runtime_error("a bug"); };
    const auto outcome = send(*client.transport, request);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().kind == util::ErrorKind::internal);
    CHECK(outcome.error().message.starts_with("GET " + server.url()));
    CHECK(outcome.error().message.ends_with("unexpected: a bug"));
  }
  CHECK(client.get(server.url())->body == "body");
}

TEST_CASE("curl transport: a Done that throws is called again with that, and the worker goes on") {
  LoopbackServer server(
      [](const ReceivedRequest&, Connection& connection) { connection.reply(200, "body"); });
  TransportSetup client;
  Request request;
  request.url = server.url();
  std::promise<std::string> told;
  int calls = 0;
  client.transport->start(request, [&](util::Result<Response> outcome) {
    if (++calls == 1) {
      throw std::runtime_error("a bug");
    }
    told.set_value(outcome ? outcome->body : outcome.error().message);
    throw std::runtime_error("another one");
  });
  CHECK(told.get_future().get() == "unexpected: a bug");
  CHECK(client.get(server.url())->body == "body");
  CHECK(calls == 2);
}

TEST_CASE("curl transport: an error answer to a stream comes as a body") {
  LoopbackServer server([](const ReceivedRequest&, Connection& connection) { connection.reply(410, "gone"); });
  TransportSetup client;
  Request request;
  request.url = server.url();
  const auto outcome = stream(*client.transport, request, [](std::string_view) { return true; });
  REQUIRE(outcome);
  CHECK(outcome->status == 410);
  CHECK(outcome->body == "gone");
}

TEST_CASE("curl transport: retries wait in the worker, other calls go on") {
  std::atomic<int> served = 0;
  LoopbackServer server([&](const ReceivedRequest&, Connection& connection) {
    connection.reply(++served < 3 ? 503 : 200, "", "Retry-After: 0\r\n");
  });
  TransportSetup client;
  RetryPolicy policy;
  policy.backoff.initial = std::chrono::milliseconds(10);
  RetryTransport retry(client.transport, policy);
  Request request;
  request.url = server.url();
  request.method = "POST";
  CHECK(send(retry, request)->status == 200);
  CHECK(served == 3);
}

TEST_CASE("curl transport: a request is neither sent nor left on its way without its permit") {
  std::atomic<int> served = 0;
  LoopbackServer server([&](const ReceivedRequest& request, Connection& connection) {
    ++served;
    if (request.head.starts_with("POST /slow")) {
      connection.wait_for_close();
    } else {
      connection.reply(503, "", "Retry-After: 0\r\n");
    }
  });
  TransportSetup client;
  RetryTransport retry(client.transport);
  Request request;
  request.method = "POST";
  const auto refused_from = [&](int allowed, const char* path) {
    request.url = server.url(path);
    request.permit = [&served, allowed]() -> util::Result<> {
      return served < allowed ? util::Result<>{}
                              : util::fail(util::ErrorKind::conflict, "no more", "", "Locked");
    };
    served = 0;
    const auto outcome = send(retry, request);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().reason == "Locked");
    return served.load();
  };
  CHECK(refused_from(0, "/") == 0);
  CHECK(refused_from(1, "/") == 1);      // and is not repeated
  CHECK(refused_from(1, "/slow") == 1);  // it would wait for ever
}

TEST_CASE("curl transport: the governor bounds what is in flight") {
  std::atomic<int> present = 0;
  std::atomic<int> most = 0;
  LoopbackServer server([&](const ReceivedRequest&, Connection& connection) {
    const int now = ++present;
    int seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    // Nobody can tell that no fourth one will come: the longer they stay, the surer it is seen.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    --present;
    connection.reply(200, "");
  });
  TransportSetup client({}, std::make_shared<Governor>(GovernorOptions{3, 1, 3}));
  std::mutex mutex;
  std::condition_variable changed;
  int done = 0;
  for (int i = 0; i < 20; ++i) {
    Request request;
    request.url = server.url();
    client.transport->start(request, [&](util::Result<Response> outcome) {
      CHECK(outcome);
      const std::lock_guard lock(mutex);
      ++done;
      changed.notify_one();
    });
  }
  std::unique_lock lock(mutex);
  CHECK(changed.wait_for(lock, std::chrono::seconds(20), [&] { return done == 20; }));
  CHECK(most <= 3);
}

TEST_CASE("curl transport: TLS by memory, with client certificate, server name, and their faults") {
  const Certificates& pki = certificates();
  const TlsFiles files{pki.file("server.pem"), pki.file("server.key"), pki.file("ca.pem")};
  LoopbackServer server(
      [](const ReceivedRequest& request, Connection& connection) { connection.reply(200, request.header("Host")); },
      &files);
  EndpointOptions options;
  options.ca_pem = pki.pem("ca.pem");
  options.client_cert_pem = pki.pem("client.pem");
  options.client_key_pem = util::Secret(pki.pem("client.key"));
  SUBCASE("all is well") {
    const auto response = TransportSetup(options).get(server.url());
    REQUIRE_MESSAGE(response, response.error().to_string());
    CHECK(response->body == "127.0.0.1:" + std::to_string(server.port()));
  }
  SUBCASE("the server's name is another") {
    options.server_name = "api.test";
    const auto response = TransportSetup(options).get(server.url());
    REQUIRE_MESSAGE(response, response.error().to_string());
    CHECK(response->body == "127.0.0.1:" + std::to_string(server.port()));
    options.server_name = "other.test";
    CHECK(TransportSetup(options).get(server.url()).error().reason == k_failure_tls);
  }
  SUBCASE("an unknown CA") {
    options.ca_pem = pki.pem("other.pem");
    const auto outcome = TransportSetup(options).get(server.url());
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().reason == k_failure_tls);
    CHECK(outcome.error().hint.find("CA data") != std::string::npos);
    options.insecure = true;
    options.ca_pem.clear();
    CHECK(TransportSetup(options).get(server.url()));
  }
  SUBCASE("a key that is none") {
    options.client_key_pem = util::Secret("-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n");
    const auto outcome = TransportSetup(options).get(server.url());
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().reason == k_failure_tls);
    CHECK(outcome.error().hint.find("certificate and key") != std::string::npos);
  }
  SUBCASE("nobody gets a connection by the certificate alone") {
    TransportSetup first(options);
    REQUIRE(first.get(server.url()));
    options.client_key_pem = util::Secret(pki.pem("server.key"));
    CurlTransport second(first.engine, options);
    Request request;
    request.url = server.url();
    const auto outcome = send(second, request);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().reason == k_failure_tls);
  }
  SUBCASE("endpoints with other certificates do not share connections") {
    TransportSetup first(options);
    CHECK(first.get(server.url()));
    options.client_cert_pem.clear();
    options.client_key_pem = util::Secret();
    CurlTransport second(first.engine, options);
    Request request;
    request.url = server.url();
    CHECK_FALSE(send(second, request));
  }
}

TEST_CASE("curl transport: over plain HTTP nobody waits for another's slow first answer") {
  std::mutex mutex;
  std::condition_variable changed;
  bool asked = false;
  LoopbackServer server([&](const ReceivedRequest& request, Connection& connection) {
    if (request.head.starts_with("GET /slow")) {
      {
        const std::lock_guard lock(mutex);
        asked = true;
      }
      changed.notify_all();
      connection.wait_for_close();
    } else {
      connection.reply(200, "quick");
    }
  });
  TransportSetup setup;
  Request slow;
  slow.url = server.url("/slow");
  const Call call = setup.transport->start(slow, [](const util::Result<Response>&) {});
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return asked; });
  }
  Request quick;
  quick.url = server.url("/quick");
  quick.timeout = std::chrono::seconds(20);
  const auto answer = send(*setup.transport, quick);
  REQUIRE_MESSAGE(answer, answer.error().to_string());
  CHECK(answer->body == "quick");
  call.cancel();
}
