#include <condition_variable>
#include <future>
#include <semaphore>

#include <kubist/http/retry.hpp>

#include "support/comes_true.hpp"
#include "transport_support.hpp"

using namespace transport_test;

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

TEST_CASE("curl transport: a write whose connection is lost is sent once") {
  LoopbackServer server([](const ReceivedRequest& request, Connection& connection) {
    if (request.head.starts_with("GET /warm ")) {
      connection.reply(200, "");
    } else {
      connection.reset();
    }
  });
  TransportSetup client;
  const auto requests_of = [&](Request request) {
    REQUIRE(
        client.get(server.url("/warm")));  // what a used connection takes with it libcurl repeats
    const int before = server.requests();
    request.url = server.url();
    const auto response = send(*client.transport, request);
    REQUIRE(!response);
    CHECK(response.error().reason == k_failure_lost);
    return server.requests() - before;
  };
  Request write;
  write.method = "PATCH";
  write.body = std::make_shared<const std::string>("{}");
  CHECK(requests_of(write) == 1);
  write.method = "POST";
  CHECK(requests_of(write) == 1);
  write.idempotent = true;
  CHECK(requests_of(write) > 1);
  CHECK(requests_of({}) > 1);
}

TEST_CASE("curl transport: a DELETE carries its body, a POST without one says so") {
  LoopbackServer server([](const ReceivedRequest& request, Connection& connection) {
    connection.reply(200, request.head.substr(0, request.head.find(' ')) + ' ' + request.body +
                              ' ' + request.header("Content-Length"));
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
    CHECK(outcome.error().message ==
          "GET http://***@127.0.0.1:1/x: connection to 127.0.0.1:1 refused");
  }
  SUBCASE("reset") {
    LoopbackServer server(
        [](const ReceivedRequest&, Connection& connection) { connection.reset(); });
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
    LoopbackServer server(
        [](const ReceivedRequest&, Connection& connection) { connection.wait_for_close(); });
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
    LoopbackServer server(
        [](const ReceivedRequest&, Connection& connection) { connection.reply(200, "12345"); });
    Request request;
    request.url = server.url();
    request.max_body = 4;
    CHECK(send(*client.transport, request).error().reason == k_failure_too_large);
  }
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

TEST_CASE("curl transport: a stream that says nothing any more is lost") {
  LoopbackServer server([](const ReceivedRequest&, Connection& connection) {
    connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n");
    connection.wait_for_close();
  });
  TransportSetup client;
  Request request;
  request.url = server.url();
  request.long_running = true;
  request.silence = std::chrono::seconds(1);
  std::string received;
  const auto response = stream(*client.transport, request, [&](std::string_view bytes) {
    received += bytes;
    return true;
  });
  CHECK(received == "ab");
  REQUIRE_FALSE(response);
  CHECK(response.error().reason == k_failure_lost);
  CHECK(response.error().to_string().find("nothing came for 1 s") != std::string::npos);
}

TEST_CASE("curl transport: an error answer to a stream comes as a body") {
  LoopbackServer server(
      [](const ReceivedRequest&, Connection& connection) { connection.reply(410, "gone"); });
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
  TransportSetup client({}, {3, 1, 3});
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

TEST_CASE("curl transport: an urgent call goes before those that wait for the same server") {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> asked;
  bool goes_on = false;
  LoopbackServer server([&](const ReceivedRequest& request, Connection& connection) {
    std::unique_lock lock(mutex);
    asked.push_back(request.head.substr(4, request.head.find(' ', 4) - 4));
    changed.notify_all();
    changed.wait(lock, [&] { return goes_on; });
    lock.unlock();
    connection.reply(200, "");
  });
  TransportSetup setup({}, {1, 1, 1});
  int ended = 0;
  const auto start = [&](const std::string& path, bool urgent) {
    Request request;
    request.url = server.url(path);
    request.urgent = urgent;
    setup.transport->start(request, [&](const util::Result<Response>&) {
      const std::lock_guard lock(mutex);
      ++ended;
      changed.notify_all();
    });
  };
  start("/first", false);
  std::unique_lock lock(mutex);
  REQUIRE(changed.wait_for(lock, std::chrono::seconds(20), [&] { return asked.size() == 1; }));
  lock.unlock();
  start("/second", false);
  start("/urgent", true);
  lock.lock();
  goes_on = true;
  changed.notify_all();
  REQUIRE(changed.wait_for(lock, std::chrono::seconds(20), [&] { return ended == 3; }));
  CHECK(asked == std::vector<std::string>{"/first", "/urgent", "/second"});
}

TEST_CASE("curl transport: a server that says nothing holds up no call to another") {
  std::atomic<int> asked = 0;
  LoopbackServer silent([&](const ReceivedRequest&, Connection& connection) {
    ++asked;
    connection.wait_for_close();
  });
  LoopbackServer server(
      [](const ReceivedRequest&, Connection& connection) { connection.reply(200, "here"); });
  TransportSetup setup({}, {2, 1, 2});
  std::atomic<int> ended = 0;
  std::vector<Call> calls;
  for (int i = 0; i < 3; ++i) {
    Request request;
    request.url = silent.url();
    calls.push_back(
        setup.transport->start(request, [&](const util::Result<Response>&) { ++ended; }));
  }
  Request request;
  request.url = server.url();
  const auto answer = send(*setup.transport, request);
  REQUIRE_MESSAGE(answer, answer.error().to_string());
  CHECK(answer->body == "here");
  CHECK(ended == 0);
  CHECK(testing::comes_true([&] { return asked == 2; }));
  for (const Call& call : calls) {
    call.cancel();
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
