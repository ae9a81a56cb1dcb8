// Many calls at once, to a server that may be a member's.
#include "calls.hpp"

#include <map>
#include <numeric>
#include <utility>

#include <doctest/doctest.h>

#include "support/fake_transport.hpp"

using namespace kubist;
using testing::FakeTransport;

namespace {

std::shared_ptr<kube::Client> client_of(std::shared_ptr<http::Transport> transport) {
  kube::ClusterAccess access;
  access.server = "http://fake";
  kube::ClientOptions options;
  options.transport = std::move(transport);
  return *kube::Client::connect(std::move(access), std::move(options));
}

std::vector<std::size_t> tags_to(std::size_t count) {
  std::vector<std::size_t> tags(count);
  std::iota(tags.begin(), tags.end(), 0);
  return tags;
}

kube::ApiCall get_map(std::size_t tag) {
  return kube::get(kube::well_known::config_maps(), "n", std::to_string(tag));
}

}  // namespace

TEST_CASE("calls: fewer are on their way once answers are known to be long") {
  const auto fake = std::make_shared<FakeTransport>();
  fake->always("GET", "*", 200, std::string(std::size_t{1} << 20U, ' '));
  std::size_t sent = 0;
  std::size_t taken = 0;
  std::size_t most = 0;
  const auto rest = apply::run_calls(
      *client_of(fake), tags_to(400),
      [&](std::size_t tag) {
        ++sent;
        most = taken == 0 ? 0 : std::max(most, sent - taken);
        return get_map(tag);
      },
      [&](std::size_t,
          const util::Result<kube::Reply>&) -> std::optional<std::chrono::milliseconds> {
        ++taken;
        return std::nullopt;
      },
      {});
  CHECK(rest.empty());
  CHECK(taken == 400);
  CHECK(most == 64);
}

namespace {

/// Answers nothing, until it is stopped: it cancels, and then answers the first write.
struct Silent : http::Transport {
  explicit Silent(std::stop_source source) : stop(std::move(source)) {}
  http::Call start(http::Request request, http::Done done) override {
    if (request.method != "GET") {
      write = std::move(done);
      stop.request_stop();
      return http::Call([this] { ++cancelled_writes; });
    }
    return http::Call([this, done = std::move(done)] {
      done(util::fail(util::ErrorKind::cancelled, "cancelled"));
      if (auto answer = std::exchange(write, nullptr)) {
        answer(FakeTransport::answer(200, "{}"));
      }
    });
  }
  std::stop_source stop;
  http::Done write;
  int cancelled_writes = 0;
};

}  // namespace

TEST_CASE("calls: a stop ends the reads that are on their way, and writes get their answers") {
  std::stop_source stop;
  const auto silent = std::make_shared<Silent>(stop);
  const auto client = client_of(silent);
  std::map<std::size_t, bool> answered;
  const auto rest = apply::run_calls(
      *client, tags_to(3),
      [](std::size_t tag) {
        return tag < 2 ? get_map(tag)
                       : kube::remove(kube::well_known::config_maps(), "n", std::to_string(tag));
      },
      [&](std::size_t tag,
          const util::Result<kube::Reply>& reply) -> std::optional<std::chrono::milliseconds> {
        answered[tag] = reply.has_value();
        return std::nullopt;
      },
      stop.get_token());
  CHECK(rest.empty());
  CHECK(answered == std::map<std::size_t, bool>{{0, false}, {1, false}, {2, true}});
  CHECK(silent->cancelled_writes == 0);
}
