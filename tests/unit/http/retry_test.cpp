#include <memory>
#include <utility>

#include <doctest/doctest.h>

#include <kubist/http/retry.hpp>

#include "support/fake_clock.hpp"
#include "support/fake_transport.hpp"

using namespace kubist;
using namespace kubist::http;
using Verdict = Retry::Verdict;

namespace {

Request request_of(const std::string& method, bool idempotent = false) {
  Request request;
  request.method = method;
  request.url = "http://fake/x";
  request.idempotent = idempotent;
  return request;
}

util::Result<Response> status(int code, const std::string& retry_after = {}) {
  Response response;
  response.status = code;
  if (!retry_after.empty()) {
    response.headers.push_back({"retry-after", retry_after});
  }
  return response;
}

util::Result<Response> failure(std::string_view reason,
                               util::ErrorKind kind = util::ErrorKind::unavailable) {
  util::Error error = util::make_error(kind, "no answer");
  error.reason = reason;
  return util::fail(std::move(error));
}

using kubist::testing::FakeClock;

/// Its calls keep request and handler for as long as they are kept, and end when told.
class KeepingTransport : public Transport {
 public:
  Call start(Request request, Done done) override {
    m_latest = std::make_shared<std::pair<Request, Done>>(std::move(request), std::move(done));
    return Call([kept = m_latest] {});
  }
  void end() {
    const auto latest = std::exchange(m_latest, nullptr);
    latest->second(status(200));
  }

 private:
  std::shared_ptr<std::pair<Request, Done>> m_latest;
};

}  // namespace

TEST_CASE("retry: what may be tried again") {
  struct Case {
    const char* method;
    bool idempotent;
    util::Result<Response> outcome;
    Verdict verdict;
  };
  const std::vector<Case> cases{
      {"GET", false, status(200), Verdict::no},
      {"GET", false, status(500), Verdict::may},
      {"GET", false, status(502), Verdict::may},
      {"GET", false, status(504), Verdict::may},
      {"GET", false, status(501), Verdict::no},
      {"GET", false, status(404), Verdict::no},
      {"GET", false, status(401), Verdict::no},
      {"POST", false, status(500), Verdict::no},
      {"POST", false, status(503), Verdict::no},
      {"POST", false, status(503, "1"), Verdict::told},
      {"POST", false, status(429, "1"), Verdict::told},
      {"POST", false, status(429), Verdict::may},
      {"POST", false, status(409, "1"), Verdict::no},
      {"PATCH", true, status(500), Verdict::no},
      {"PATCH", true, status(504), Verdict::may},
      {"PATCH", false, status(504), Verdict::no},
      {"GET", false, failure(k_failure_lost), Verdict::may},
      {"PATCH", true, failure(k_failure_lost), Verdict::may},
      {"POST", false, failure(k_failure_lost), Verdict::no},
      {"POST", false, failure(k_failure_not_processed), Verdict::may},
      {"POST", false, failure(k_failure_refused), Verdict::may},
      {"GET", false, failure(k_failure_tls), Verdict::no},
      {"GET", false, failure(k_failure_resolve), Verdict::no},
      {"GET", false, failure("", util::ErrorKind::timeout), Verdict::no},
      {"GET", false, failure("", util::ErrorKind::cancelled), Verdict::no},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(i);
    CHECK(classify(request_of(cases[i].method, cases[i].idempotent), cases[i].outcome).verdict ==
          cases[i].verdict);
  }
}

TEST_CASE("retry: a stream that has begun is repeated only for receivers that can start over") {
  Request request = request_of("GET");
  request.on_chunk = [](std::string_view) { return true; };
  CHECK(classify(request, failure(k_failure_lost), true).verdict == Verdict::no);
  request.on_head = [](const Response&) {};
  CHECK(classify(request, failure(k_failure_lost), true).verdict == Verdict::may);
  request.long_running = true;
  CHECK(classify(request, failure(k_failure_lost), true).verdict == Verdict::no);
  CHECK(classify(request, failure(k_failure_lost), false).verdict == Verdict::may);
}

TEST_CASE("retry: Retry-After in seconds and as a date") {
  using namespace std::chrono_literals;
  const auto now =
      std::chrono::system_clock::from_time_t(784111767);  // Sun, 06 Nov 1994 08:49:27 GMT
  CHECK(parse_retry_after(" 3 ", now) == 3000ms);
  CHECK(parse_retry_after("-5", now) == 0ms);
  CHECK(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now) == 10000ms);
  CHECK(parse_retry_after("Sun, 06 Nov 1994 08:49:17 GMT", now) == 0ms);
  CHECK_FALSE(parse_retry_after("soon", now));
}

TEST_CASE("retry: attempts, delays and budget") {
  auto fake = std::make_shared<testing::FakeTransport>();
  FakeClock clock;
  RetryPolicy policy;
  policy.max_attempts = 3;
  policy.max_attempts_told = 5;
  RetryTransport retry(fake, policy, clock, [] { return 0.5; });

  SUBCASE("until it works, with jitter") {
    fake->reply("GET", "/x", 503, "");
    fake->reply("GET", "/x", 500, "");
    fake->reply("GET", "/x", 200, "");
    CHECK(send(retry, request_of("GET"))->status == 200);
    const auto sent = fake->sent();
    REQUIRE(sent.size() == 3);
    CHECK(sent[1].not_before - clock.monotonic() == std::chrono::milliseconds(100));
    CHECK(sent[2].not_before - clock.monotonic() == std::chrono::milliseconds(200));
  }
  SUBCASE("no more than max_attempts") {
    fake->always("GET", "/x", 503, "");
    CHECK(send(retry, request_of("GET"))->status == 503);
    CHECK(fake->sent().size() == 3);
  }
  SUBCASE("longer where the server says when, never before that") {
    fake->always("POST", "/x", 429, "", {{"Retry-After", "2"}});
    CHECK(send(retry, request_of("POST"))->status == 429);
    CHECK(fake->sent().size() == 5);
    CHECK(fake->sent()[1].not_before - clock.monotonic() >= std::chrono::seconds(2));
  }
  SUBCASE("not beyond the budget") {
    fake->always("POST", "/x", 429, "", {{"Retry-After", "600"}});
    CHECK(send(retry, request_of("POST"))->status == 429);
    CHECK(fake->sent().size() == 1);
  }
  SUBCASE("watches pass through") {
    fake->always("GET", "/x", 503, "");
    Request request = request_of("GET");
    request.long_running = true;
    CHECK(send(retry, request)->status == 503);
    CHECK(fake->sent().size() == 1);
  }
}

TEST_CASE("retry: what is over lets go of its receiver, however long its attempts are kept") {
  auto inner = std::make_shared<KeepingTransport>();
  RetryTransport retry(inner);
  const auto receiver = std::make_shared<int>();
  Request request = request_of("GET");
  request.on_chunk = [receiver](std::string_view) { return true; };
  retry.start(std::move(request), [receiver](const util::Result<Response>&) { ++*receiver; });
  inner->end();
  CHECK(*receiver == 1);
  CHECK(receiver.use_count() == 1);
}
