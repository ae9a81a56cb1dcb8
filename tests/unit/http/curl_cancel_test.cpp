#include <condition_variable>
#include <future>
#include <semaphore>
#include <stdexcept>

#include "transport_support.hpp"

using namespace transport_test;

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
  LoopbackServer server(
      [](const ReceivedRequest&, Connection& connection) { connection.wait_for_close(); });
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
