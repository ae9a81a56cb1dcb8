// What an apply would send is known as exactly as it is sent: a recorded run is a plan.
#include <doctest/doctest.h>

#include <kubist/apply/set.hpp>

#include "support/fake_cluster.hpp"
#include "support/widgets.hpp"

using namespace kubist;
using data::Json;
using testing::map_named;

namespace {

std::vector<resources::Manifest> maps(const std::string& value) {
  std::vector<resources::Manifest> manifests(3);
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    manifests[i].object = map_named("map-" + std::to_string(i));
    manifests[i].object["data"] = {{"key", value}};
  }
  return manifests;
}

std::vector<kube::ApiCall> calls_of(const apply::Report& report) {
  std::vector<kube::ApiCall> calls;
  for (const apply::ObjectResult& result : report.results) {
    if (result.call) {
      calls.push_back(*result.call);
    }
  }
  return calls;
}

}  // namespace

TEST_CASE("recorded: the calls of a dry run, sent later, are the run") {
  testing::FakeCluster cluster;
  const auto client = cluster.connect();
  auto before = maps("old");
  before.pop_back();
  REQUIRE(apply::apply_set(*client, before, {}, {}).ok());

  auto wished = maps("old");
  wished.front().object["data"] = {{"key", "new"}};
  apply::Options dry;
  dry.dry_run = kube::DryRun::client;
  dry.keep_calls = true;
  cluster.forget_log();
  const auto calls = calls_of(apply::apply_set(*client, wished, dry, {}));
  CHECK(cluster.writes().empty());
  REQUIRE(calls.size() == 2);  // one is changed, one is new, one is as it should be
  for (const kube::ApiCall& call : calls) {
    REQUIRE(client->json(call));
  }
  CHECK(cluster.writes().size() == 2);

  apply::Options again;
  again.keep_calls = true;
  const apply::Report report = apply::apply_set(*client, wished, again, {});
  CHECK(report.ok());
  CHECK(calls_of(report).empty());
  CHECK(cluster.writes().size() == 2);
}

TEST_CASE("recorded: a run has what it sent") {
  testing::FakeCluster cluster;
  const auto client = cluster.connect();
  auto wished = maps("new");
  apply::Options options;
  options.keep_calls = true;
  cluster.forget_log();
  const auto calls = calls_of(apply::apply_set(*client, wished, options, {}));
  REQUIRE(calls.size() == 3);
  REQUIRE(cluster.writes().size() == 3);
  for (const kube::ApiCall& call : calls) {
    CHECK(call.body->find("new") != std::string::npos);
  }
}
