// The Job that renders manifests, on a cluster in memory: what makes it and takes it away.
#include <doctest/doctest.h>

#include <kubist/istio/render.hpp>

#include "support/fake_cluster.hpp"

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
