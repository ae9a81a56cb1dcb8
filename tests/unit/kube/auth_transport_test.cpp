// Credentials that take their time, for many calls at once.
#include "../../../lib/kube/src/auth_transport.hpp"

#include <atomic>
#include <future>
#include <latch>
#include <new>
#include <thread>
#include <utility>

#include <doctest/doctest.h>

#include "support/fake_transport.hpp"

using namespace kubist;
using namespace kubist::kube;

namespace {

/// As a plugin that takes a while; counts who waits for it at once.
class SlowSource : public CredentialSource {
 public:
  explicit SlowSource(std::atomic<int>& most, std::latch* hold = nullptr)
      : m_most(most), m_hold(hold) {}
  util::Result<Credentials> get(std::stop_token) override {
    m_most = std::max(m_most.load(), ++m_present);
    if (m_hold != nullptr) {
      m_hold->wait();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --m_present;
    return Credentials{};
  }
  bool renew(const Credentials&) override { return false; }

 private:
  std::atomic<int>& m_most;
  std::latch* m_hold;
  std::atomic<int> m_present = 0;
};

http::Request request_to(const std::string& path) {
  http::Request request;
  request.url = "http://fake" + path;
  return request;
}

}  // namespace

TEST_CASE("auth: however many calls wait for a plugin, one thread does") {
  constexpr int k_calls = 50;
  const auto fake = std::make_shared<testing::FakeTransport>();
  fake->always("GET", "/x", 200, "{}");
  std::atomic<int> most = 0;
  AuthTransport transport(std::make_unique<SlowSource>(most), AuthTransport::Origin::plugin,
                          [&](const Credentials&) { return fake; });
  std::latch done(k_calls);
  std::atomic<int> well = 0;
  for (int i = 0; i < k_calls; ++i) {
    transport.start(request_to("/x"), [&](util::Result<http::Response> outcome) {
      well += outcome && outcome->status == 200 ? 1 : 0;
      done.count_down();
    });
  }
  done.wait();
  CHECK(well == k_calls);
  CHECK(most == 1);
}

TEST_CASE("auth: a call that waits for another's plugin ends when it is cancelled") {
  const auto fake = std::make_shared<testing::FakeTransport>();
  fake->always("GET", "*", 200, "{}");
  std::atomic<int> most = 0;
  std::latch hold(1);
  AuthTransport transport(std::make_unique<SlowSource>(most, &hold), AuthTransport::Origin::plugin,
                          [&](const Credentials&) { return fake; });
  std::promise<util::Result<http::Response>> first;
  std::promise<util::Result<http::Response>> second;
  transport.start(request_to("/first"), [&](auto outcome) { first.set_value(std::move(outcome)); });
  const auto call = transport.start(request_to("/second"),
                                    [&](auto outcome) { second.set_value(std::move(outcome)); });
  call.cancel();
  auto ended = second.get_future();
  REQUIRE(ended.wait_for(std::chrono::seconds(20)) == std::future_status::ready);
  const auto outcome = ended.get();
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == util::ErrorKind::cancelled);
  hold.count_down();
  CHECK(first.get_future().get()->status == 200);
  CHECK(fake->log() == std::vector<std::string>{"GET /first"});
}

TEST_CASE("auth: a request that impersonates takes none of the credentials' own impersonation") {
  struct Source : CredentialSource {
    util::Result<Credentials> get(std::stop_token) override {
      Credentials credentials;
      credentials.headers = {{"Impersonate-User", "admin"},
                             {"Impersonate-Group", "system:masters"}};
      return credentials;
    }
    bool renew(const Credentials&) override { return false; }
  };
  const auto fake = std::make_shared<testing::FakeTransport>();
  fake->always("GET", "/x", 200, "{}");
  AuthTransport transport(std::make_unique<Source>(), AuthTransport::Origin::at_hand,
                          [&](const Credentials&) { return fake; });
  http::Request plain = request_to("/x");
  http::Request as_project = request_to("/x");
  as_project.headers.push_back({"Impersonate-User", "system:serviceaccount:shop:kubist-project"});
  for (http::Request* request : {&plain, &as_project}) {
    std::promise<void> done;
    transport.start(std::move(*request), [&](util::Result<http::Response>) { done.set_value(); });
    done.get_future().wait();
  }
  const auto sent = fake->sent();
  REQUIRE(sent.size() == 2);
  CHECK(http::find_header(sent[0].headers, "Impersonate-Group") == "system:masters");
  CHECK(http::find_header(sent[1].headers, "Impersonate-User") ==
        "system:serviceaccount:shop:kubist-project");
  CHECK_FALSE(http::find_header(sent[1].headers, "Impersonate-Group"));
}

TEST_CASE("auth: what a plugin's source throws is the error of its call, the next one is asked") {
  struct ThrowsOnce : CredentialSource {
    util::Result<Credentials> get(std::stop_token) override {
      if (!std::exchange(thrown, true)) {
        throw std::bad_alloc();
      }
      return Credentials{};
    }
    bool renew(const Credentials&) override { return false; }
    bool thrown = false;
  };
  const auto fake = std::make_shared<testing::FakeTransport>();
  fake->always("GET", "/x", 200, "{}");
  AuthTransport transport(std::make_unique<ThrowsOnce>(), AuthTransport::Origin::plugin,
                          [&](const Credentials&) { return fake; });
  const auto ask = [&] {
    std::promise<util::Result<http::Response>> answer;
    transport.start(request_to("/x"), [&](util::Result<http::Response> outcome) {
      answer.set_value(std::move(outcome));
    });
    return answer.get_future().get();
  };
  const auto refused = ask();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "unexpected: std::bad_alloc");
  CHECK(ask());
}
