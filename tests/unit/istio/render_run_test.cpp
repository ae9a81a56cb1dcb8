// The Job that renders manifests, on a cluster in memory: what makes it and takes it away.
#include <algorithm>

#include <doctest/doctest.h>

#include <kubist/istio/render.hpp>

#include "support/fake_cluster.hpp"
#include "support/fake_transport.hpp"

using namespace kubist;
using testing::FakeCluster;
using util::ErrorKind;

namespace {

istio::Rendering rendering_with(kube::Writer::Rules rules) {
  istio::Rendering rendering;
  rendering.image = "docker.io/istio/istioctl:1.31.0";
  rendering.writer = kube::Writer(std::move(rules));
  return rendering;
}

}  // namespace

TEST_CASE("render: no Job is made where the lock is not had, or in a dry run") {
  FakeCluster cluster;
  const auto client = cluster.connect();
  kube::Writer::Rules locked;
  locked.before = [] {
    return util::fail(util::make_error(ErrorKind::conflict, "locked by another", "", "Locked"));
  };
  const auto refused = istio::render(*client, rendering_with(std::move(locked)));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().reason == "Locked");
  for (const kube::DryRun mode : {kube::DryRun::client, kube::DryRun::server}) {
    const auto dry = istio::render(*client, rendering_with({.dry_run = mode}));
    REQUIRE_FALSE(dry);
    CHECK(dry.error().kind == ErrorKind::invalid);
  }
  CHECK(cluster.log().empty());
}

TEST_CASE("render: a Job whose run is stopped is deleted, with the permit of its making") {
  FakeCluster cluster;
  const auto client = cluster.connect();
  std::vector<std::string> told;
  kube::Writer::Rules rules;
  rules.permit = [] { return util::Result<>(); };
  rules.told = [&](const kube::Write& write) { told.push_back(write.verb); };
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = istio::render(*client, rendering_with(std::move(rules)), stop.get_token());
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().kind == ErrorKind::cancelled);
  CHECK(cluster.list("jobs.batch", "default").empty());
  CHECK(told == std::vector<std::string>{"create", "delete"});
  const auto writes = cluster.writes();
  REQUIRE(writes.size() == 2);
  for (const auto& each : writes) {
    CHECK_MESSAGE(each.has_permit, each.to_string());
  }
}

namespace {

/// A cluster whose Jobs end at once; their logs are these, one each.
std::shared_ptr<testing::FakeTransport> jobs_that_print(std::vector<std::string> logs) {
  auto fake = std::make_shared<testing::FakeTransport>();
  const auto made = std::make_shared<std::size_t>(0);
  fake->handle("POST", "/apis/batch/v1/namespaces/default/jobs*", [made](const http::Request&) {
    ++*made;
    return testing::FakeTransport::answer(
        201, R"({"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"render","uid":"u"}})");
  });
  fake->always("GET", "/api/v1/namespaces/default/pods?*", 200, R"({"items": [{
    "metadata": {"name": "pod"},
    "status": {"containerStatuses": [{"name": "render",
               "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}}]}}]})");
  fake->handle("GET", "/api/v1/namespaces/default/pods/pod/log*",
               [made, logs = std::move(logs)](const http::Request&) {
                 return testing::FakeTransport::answer(200, logs.at(*made - 1),
                                                       {{"Content-Type", "text/plain"}});
               });
  fake->always("DELETE", "/apis/batch/v1/namespaces/default/jobs/render*", 200, "{}");
  return fake;
}

std::size_t count(const testing::FakeTransport& fake, const std::string& method) {
  const auto sent = fake.sent();
  return static_cast<std::size_t>(std::count_if(
      sent.begin(), sent.end(), [&](const http::Request& each) { return each.method == method; }));
}

}  // namespace

TEST_CASE("render: another Job prints what a busy node has dropped the end of") {
  const auto fake = jobs_that_print({"kind: A\nmeta", "kind: A\nmetadata: {}\n"});
  kube::ClientOptions options;
  options.transport = fake;
  const auto client = kube::Client::connect({.server = "http://fake"}, options);
  REQUIRE(client);
  std::vector<std::string> told;
  istio::Rendering rendering = rendering_with({});
  rendering.on_progress = [&](std::string_view text) { told.emplace_back(text); };
  const auto log = istio::render(**client, rendering);
  REQUIRE_MESSAGE(log, (log ? "" : log.error().to_string()));
  CHECK(*log == "kind: A\nmetadata: {}\n");
  CHECK(count(*fake, "POST") == 2);
  CHECK(count(*fake, "DELETE") == 2);
  CHECK(std::count_if(told.begin(), told.end(), [](const std::string& text) {
          return text.starts_with("rendering again: ");
        }) == 1);
}
