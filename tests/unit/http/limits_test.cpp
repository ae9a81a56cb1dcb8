// What a server may send is limited, and an error says by what.
#include <algorithm>
#include <array>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/http/curl_transport.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "arriving.hpp"
#include "support/loopback_server.hpp"

using namespace kubist;
using namespace kubist::http;
using namespace kubist::testing;
using util::cat;

namespace {

/// 100,000 times '0', packed by gzip to 133 bytes.
constexpr std::string_view k_bomb =
    "H4sIAAAAAAACA+3BMQEAAADCoErrn84aHkABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAArwaFwk3FoIYBAA==";

struct LimitsSetup {
  util::Error refused(Request request) {
    const auto outcome = send(transport, std::move(request));
    REQUIRE_FALSE(outcome);
    return outcome.error();
  }
  std::shared_ptr<CurlEngine> engine = std::make_shared<CurlEngine>();
  CurlTransport transport{engine, {}};
};

Request request_to(const LoopbackServer& server, std::size_t max_body = 0) {
  Request request;
  // By a name: loopback addresses are not asked for packed answers.
  request.url = cat("http://loopback.test:", server.port(), "/");
  request.max_body = max_body;
  request.timeout = std::chrono::seconds(60);
  return request;
}

}  // namespace

TEST_CASE("limits: a packed answer is counted unpacked") {
  LoopbackServer server([](const ReceivedRequest& request, Connection& connection) {
    REQUIRE(request.header("Accept-Encoding") == "gzip");
    connection.reply(200, *util::base64_decode(k_bomb), "Content-Encoding: gzip\r\n");
  });
  LimitsSetup setup;
  const auto whole = send(setup.transport, request_to(server, 100'000));
  REQUIRE_MESSAGE(whole, whole.error().to_string());
  CHECK(whole->body == std::string(100'000, '0'));
  const auto error = setup.refused(request_to(server, 99'999));
  CHECK(error.reason == k_failure_too_large);
  CHECK_MESSAGE(error.message.ends_with("the answer is longer than 99999 bytes"), error.message);
}

TEST_CASE("limits: an answer that is streamed is counted, too") {
  LoopbackServer server([](const ReceivedRequest&, Connection& connection) {
    connection.reply(200, std::string(200'000, 'x'));
  });
  LimitsSetup setup;
  std::size_t came = 0;
  Request request = request_to(server, 50'000);
  request.on_chunk = [&](std::string_view bytes) {
    came += bytes.size();
    return true;
  };
  CHECK(setup.refused(request).reason == k_failure_too_large);
  CHECK(came <= 50'000);
}

TEST_CASE("limits: headers without end, and the body of a refusal") {
  LimitsSetup setup;
  SUBCASE("headers") {
    LoopbackServer server([](const ReceivedRequest&, Connection& connection) {
      connection.write("HTTP/1.1 200 OK\r\n");
      for (int i = 0; i < 40; ++i) {
        connection.write(cat("X-", i, ": ", std::string(50'000, 'y'), "\r\n"));
      }
      connection.write("Content-Length: 0\r\n\r\n");
    });
    const auto error = setup.refused(request_to(server));
    CHECK(error.reason == k_failure_too_large);
    CHECK_MESSAGE(error.message.find("headers have more than 262144 bytes") != std::string::npos,
                  error.message);
  }
  SUBCASE("the body of a 500, though nothing limits the answer") {
    LoopbackServer server([](const ReceivedRequest&, Connection& connection) {
      connection.reply(500, std::string(17 << 20, 'z'));
    });
    const auto error = setup.refused(request_to(server));
    CHECK(error.reason == k_failure_too_large);
    CHECK_MESSAGE(error.message.find("longer than 16777216 bytes") != std::string::npos,
                  error.message);
  }
}

// One server of a member may not fill the memory by many answers at once.
TEST_CASE("limits: answers that arrive at the same time from servers of members") {
  constexpr std::size_t k_each = std::size_t{9} << 20U;
  constexpr std::size_t k_many = 40, k_first = 20;
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  LoopbackServer server([&](const ReceivedRequest&, Connection& connection) {
    connection.write(cat("HTTP/1.1 200 OK\r\nContent-Length: ", k_each + 1, "\r\n\r\n"));
    connection.write(std::string(k_each, 'x'));
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ended; });
    lock.unlock();
    connection.write("y");
  });
  const auto engine = std::make_shared<CurlEngine>(GovernorOptions{.initial = k_many},
                                                   [](std::string_view) { return std::string(); });
  CurlTransport transport(engine, {});
  std::size_t whole = 0;
  std::vector<util::Error> refused;
  std::array<std::size_t, k_many>
      come{};  // bytes of each; k_each: all that is wanted of it for now
  const auto start = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      Request request = request_to(server, 2 * k_each);
      request.on_chunk = [&, i](std::string_view bytes) {
        const std::lock_guard lock(mutex);
        come[i] += bytes.size();
        changed.notify_all();
        return true;
      };
      static_cast<void>(transport.start(std::move(request), [&, i](auto outcome) {
        const std::lock_guard lock(mutex);
        if (outcome) {
          ++whole;
        } else {
          refused.push_back(outcome.error());
          come[i] = k_each;
        }
        changed.notify_all();
      }));
    }
  };
  const auto await = [&](const std::function<bool()>& holds) {
    std::unique_lock lock(mutex);
    REQUIRE(changed.wait_for(lock, std::chrono::seconds(60), holds));
  };
  const auto have_come = [&](std::size_t count) {
    return std::all_of(come.begin(), come.begin() + count,
                       [](std::size_t bytes) { return bytes == k_each; });
  };
  start(0, k_first);
  await([&] { return have_come(k_first); });
  start(k_first, k_many);
  await([&] { return have_come(k_many); });
  {
    const std::lock_guard lock(mutex);
    CHECK(refused.size() >= 12);  // 28 of 9 MiB are less than 256 MiB
    ended = true;
    changed.notify_all();
  }
  await([&] { return whole + refused.size() == k_many; });
  CHECK(whole >= k_first);
  for (const util::Error& error : refused) {
    CHECK(error.reason == k_failure_too_large);
    CHECK(error.kind == util::ErrorKind::unavailable);
    CHECK_MESSAGE(error.message.find("arrive at the same time") != std::string::npos,
                  error.message);
  }
  const auto after =
      send(transport, request_to(server, 2 * k_each));  // what has ended counts no more
  REQUIRE_MESSAGE(after, after.error().to_string());
  CHECK(after->body.size() == k_each + 1);
}

TEST_CASE("limits: who fills what may arrive by one server leaves its share to each other one") {
  constexpr std::size_t k_mib = std::size_t{1} << 20U;
  Arriving all;
  all.add("https://one:6443", 300 * k_mib);
  CHECK_FALSE(all.has_room("https://one:6443", 9 * k_mib));
  CHECK(all.has_room("https://one:6443", 8 * k_mib));  // which each may have
  all.add("https://two:6443", 60 * k_mib);
  CHECK(all.has_room("https://two:6443", 60 * k_mib));
  all.add("https://two:6443", 10 * k_mib);
  CHECK_FALSE(all.has_room("https://two:6443", 70 * k_mib));
  all.end("https://one:6443", 300 * k_mib);
  CHECK(all.has_room("https://two:6443", 70 * k_mib));
  all.add("https://many:6443", 1024 * k_mib);
  all.end("https://two:6443", 60 * k_mib);
  CHECK_FALSE(all.has_room("https://two:6443", 10 * k_mib));  // now only what each may have
}

TEST_CASE("limits: a header with a line's end is not sent") {
  LoopbackServer server(
      [](const ReceivedRequest&, Connection& connection) { connection.reply(200, ""); });
  for (const Header& header :
       {Header{"Authorization", "Bearer t0ken\r\nMetadata-Flavor: Google"},
        Header{"Authorization", "Bearer t0ken\n"}, Header{"X-A\r\nX-B", "t0ken"},
        Header{"X-A", std::string("t0ken\0", 6)}}) {
    LimitsSetup setup;
    Request request = request_to(server);
    request.headers = {header};
    const auto error = setup.refused(request);
    CHECK(error.kind == util::ErrorKind::invalid);
    CHECK(error.message.find("a line's end") != std::string::npos);
    CHECK(error.message.find("t0ken") == std::string::npos);
  }
  CHECK(server.connections() == 0);
}
