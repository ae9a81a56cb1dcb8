// What an apply would send is known as exactly as it is sent: a recorded run is a plan.
#include <doctest/doctest.h>

#include <kubist/apply/remove.hpp>
#include <kubist/apply/set.hpp>
#include <kubist/util/text.hpp>

#include "support/fake_cluster.hpp"
#include "support/sent_writes.hpp"
#include "support/widgets.hpp"

using namespace kubist;
using data::Json;
using testing::difference;
using testing::map_named;
using testing::Writes;

namespace {

/// Sets of objects, applied by one who keeps the calls.
struct Recorder {
  apply::Report apply(const std::vector<Json>& objects, kube::DryRun dry_run = kube::DryRun::none) {
    std::vector<resources::Manifest> manifests(objects.size());
    for (std::size_t i = 0; i < objects.size(); ++i) {
      manifests[i].object = objects[i];
    }
    options.dry_run = dry_run;
    options.keep_calls = true;
    sent->take();
    apply::Report report = apply::apply_set(*client, manifests, options);
    REQUIRE_MESSAGE(report.ok(), (report.error() ? report.error()->to_string() : ""));
    return report;
  }
  /// Those of a client dry run, which sends none.
  Writes planned(const std::vector<Json>& objects) {
    const Writes writes = kept(apply(objects, kube::DryRun::client));
    CHECK(sent->take().empty());
    return writes;
  }
  static Writes kept(const apply::Report& report) {
    std::vector<kube::ApiCall> calls;
    for (const apply::ObjectResult& result : report.results) {
      calls.insert(calls.end(), result.calls.begin(), result.calls.end());
    }
    return testing::writes_of(calls);
  }
  void take_inventory() {
    options.inventory = {"default", "set"};
    options.prune = true;
  }

  testing::FakeCluster cluster;
  std::shared_ptr<testing::SentWrites> sent = std::make_shared<testing::SentWrites>(cluster);
  std::shared_ptr<kube::Client> client = cluster.connect(sent);
  apply::Options options;
};

Json map_with(const std::string& name, const std::string& value) {
  Json made = map_named(name);
  made["data"] = {{"key", value}};
  return made;
}

bool starts(const std::string& write, const std::string& with) { return write.starts_with(with); }

constexpr const char* k_maps = "/api/v1/namespaces/default/configmaps/";

}  // namespace

TEST_CASE("recorded: the calls of a dry run are those of the run, which keeps what it sent") {
  Recorder r;
  r.apply({map_with("a", "old"), map_with("b", "old")});
  const std::vector<Json> wished{map_with("a", "new"), map_with("b", "old"), map_with("c", "old")};
  const Writes planned = r.planned(wished);
  REQUIRE(planned.size() == 2);  // one is changed, one is new, one is as it should be
  const auto report = r.apply(wished);
  CHECK(difference(r.kept(report), planned) == "");
  CHECK(difference(r.sent->take(), planned) == "");

  CHECK(r.kept(r.apply(wished)).empty());
  CHECK(r.sent->take().empty());
}

TEST_CASE("recorded: what is pruned, and the inventory's loss of it") {
  Recorder r;
  r.take_inventory();
  r.apply({map_named("a"), map_named("b"), map_named("c")});
  const Writes planned = r.planned({map_named("a")});
  const auto report = r.apply({map_named("a")});
  CHECK(difference(r.kept(report), planned) == "");
  CHECK(difference(r.sent->take(), planned) == "");
  REQUIRE(planned.size() == 3);
  CHECK(starts(planned[0], util::cat("DELETE ", k_maps, "b")));
  CHECK(starts(planned[1], util::cat("DELETE ", k_maps, "c")));
  CHECK(starts(planned[2], util::cat("PATCH ", k_maps, "set?")));
}

TEST_CASE("recorded: the inventory is noted before the first object, and closed after the last") {
  Recorder r;
  r.take_inventory();
  const std::vector<Json> objects{map_named("a"), map_named("b")};
  const Writes planned = r.planned(objects);
  const auto report = r.apply(objects);
  const Writes sent = r.sent->take();
  CHECK(difference(r.kept(report), sent) == "");
  REQUIRE(sent.size() == 4);
  CHECK(starts(sent[0], "POST /api/v1/namespaces/default/configmaps?"));
  CHECK(starts(sent[3], util::cat("PATCH ", k_maps, "set?")));
  // Its last write has the uids of what was made.
  CHECK(difference(planned, Writes(sent.begin(), sent.end() - 1)) == "");
}

TEST_CASE("recorded: an inventory in its own namespace is noted after that") {
  Recorder r;
  r.options.inventory = {"env", "set"};
  const Json ns{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "env"}}}};
  Json map = map_named("a");
  map["metadata"]["namespace"] = "env";
  const Writes planned = r.planned({map, ns});
  r.apply({map, ns});
  const Writes sent = r.sent->take();
  REQUIRE(sent.size() == 4);
  CHECK(starts(sent[0], "PATCH /api/v1/namespaces/env?"));
  CHECK(starts(sent[1], "POST /api/v1/namespaces/env/configmaps?"));
  CHECK(difference(planned, Writes(sent.begin(), sent.end() - 1)) == "");
}

TEST_CASE("recorded: parts of an inventory, of which a plan has what needs no uid") {
  Recorder r;
  r.take_inventory();
  std::vector<Json> objects;
  for (std::size_t i = 0; i < 2001; ++i) {  // more than one ConfigMap has
    objects.push_back(map_named(util::cat("m", i)));
  }
  const Writes planned = r.planned(objects);
  const auto report = r.apply(objects);
  const Writes sent = r.sent->take();
  CHECK(difference(r.kept(report), sent) == "");
  REQUIRE(planned.size() == 2002);
  CHECK(difference({planned[0]}, {sent[0]}) == "");
  CHECK(starts(sent[1], util::cat("PATCH ", k_maps, "set-")));
  CHECK(starts(sent[2], util::cat("PATCH ", k_maps, "set?")));
  CHECK(difference(Writes(planned.begin() + 1, planned.end()),
                   Writes(sent.begin() + 3, sent.begin() + 2004)) == "");
}

TEST_CASE("recorded: taking over from client-side apply is three calls") {
  Recorder r;
  r.options.take_over_client_side = true;
  r.cluster.put(map_named("a"));
  r.cluster.patch(
      "configmaps", "a", "default", kube::PatchType::merge,
      {{"metadata",
        {{"annotations", {{"kubectl.kubernetes.io/last-applied-configuration", "{}"}}}}},
       {"data", {{"gone", "x"}}}});
  const Writes planned = r.planned({map_with("a", "new")});
  const auto report = r.apply({map_with("a", "new")});
  const Writes sent = r.sent->take();
  CHECK(difference(r.kept(report), sent) == "");
  REQUIRE(sent.size() == 3);
  CHECK(sent[0] == sent[2]);
  CHECK(sent[1].find("/metadata/managedFields") != std::string::npos);
  CHECK(difference(planned, {sent[0]}) == "");  // the others need the answer to it
}

TEST_CASE("recorded: deletions") {
  Recorder r;
  r.apply({map_named("a"), map_named("b")});
  std::vector<apply::Target> targets;
  for (const char* name : {"a", "b"}) {
    targets.push_back({kube::well_known::config_maps(), "default", name, "", {}});
  }
  apply::RemoveOptions options;
  options.keep_calls = true;
  options.dry_run = kube::DryRun::client;
  r.sent->take();
  const Writes planned = r.kept(apply::remove_set(*r.client, targets, options));
  CHECK(r.sent->take().empty());
  options.dry_run = kube::DryRun::none;
  const Writes kept = r.kept(apply::remove_set(*r.client, targets, options));
  CHECK(kept.size() == 2);
  CHECK(difference(kept, planned) == "");
  CHECK(difference(r.sent->take(), planned) == "");
}
