// The namespace of a Project is part of its apply: reported, in dry runs, too, and recorded.
#include <doctest/doctest.h>

#include <kubist/apply/diff.hpp>
#include <kubist/executors/prepare.hpp>

#include "support/fake_cluster.hpp"
#include "support/objects.hpp"
#include "support/sent_writes.hpp"

using namespace kubist;
using apply::Outcome;
using data::Json;
using testing::object;
using testing::plain;
using testing::Writes;

namespace {

/// Files with Projects, applied as `kubist apply` does.
struct Desk {
  apply::Report apply(const std::vector<Json>& objects, kube::DryRun dry_run = kube::DryRun::none) {
    options.needs = executors::needed_namespaces;
    options.keep_calls = true;
    options.dry_run = dry_run;
    auto manifests = manifests_of(objects);
    return apply::apply_set(*client, manifests, options);
  }
  static std::vector<resources::Manifest> manifests_of(const std::vector<Json>& objects) {
    std::vector<resources::Manifest> manifests(objects.size());
    for (std::size_t i = 0; i < objects.size(); ++i) {
      manifests[i].object = objects[i];
    }
    return manifests;
  }
  /// "created Namespace/shop" of each result that is no more than looked at.
  static std::vector<std::string> lines(const apply::Report& report) {
    std::vector<std::string> all;
    for (const apply::ObjectResult& result : report.results) {
      if (result.outcome != Outcome::unchanged) {
        all.push_back(
            util::cat(to_string(result.outcome), ' ', result.ref.kind, '/', result.ref.name));
      }
    }
    return all;
  }
  static Writes kept(const apply::Report& report) {
    std::vector<kube::ApiCall> calls;
    for (const apply::ObjectResult& result : report.results) {
      calls.insert(calls.end(), result.calls.begin(), result.calls.end());
    }
    return testing::writes_of(calls);
  }

  testing::FakeCluster cluster;
  std::shared_ptr<testing::SentWrites> sent = std::make_shared<testing::SentWrites>(cluster);
  std::shared_ptr<kube::Client> client = cluster.connect(sent);
  apply::Options options;
};

using Lines = std::vector<std::string>;

/// A project and what lives in its namespace.
std::vector<Json> shop() {
  return {object("Project", "", "shop"), plain("ConfigMap", "shop", "a")};
}

}  // namespace

TEST_CASE("prepare: a project's namespace has a line, in dry runs as in the run") {
  const Lines expected{"created Namespace/shop", "created ConfigMap/a", "created Project/shop"};
  Desk desk;
  for (const auto dry_run : {kube::DryRun::client, kube::DryRun::server}) {
    const auto planned = desk.apply(shop(), dry_run);
    REQUIRE(planned.ok());
    CHECK(desk.lines(planned) == expected);
    CHECK_FALSE(planned.results[0].written);
    CHECK(desk.cluster.get("namespaces", "shop").is_null());
  }
  const auto report = desk.apply(shop());
  REQUIRE(report.ok());
  CHECK(desk.lines(report) == expected);
  const apply::ObjectResult& made = report.results[0];
  CHECK(made.written);
  CHECK(made.index == apply::ObjectResult::k_no_input);
  CHECK(made.uid == desk.cluster.get("namespaces", "shop")["metadata"]["uid"]);
  CHECK(desk.lines(desk.apply(shop())).empty());
}

TEST_CASE("prepare: the calls of a dry run are those of the run") {
  Desk desk;
  const Writes planned = desk.kept(desk.apply(shop(), kube::DryRun::client));
  CHECK(desk.sent->take().empty());
  const Writes kept = desk.kept(desk.apply(shop()));
  REQUIRE(planned.size() == 3);
  CHECK(planned[0].starts_with("PATCH /api/v1/namespaces/shop?fieldManager=kubist-"));
  CHECK(testing::difference(kept, planned) == "");
  CHECK(testing::difference(desk.sent->take(), planned) == "");
}

TEST_CASE("prepare: a namespace that is there, or in the input, is not the project's to make") {
  Desk desk;
  std::vector<Json> both = shop();
  both.push_back(plain("Namespace", "", "shop"));
  const Lines expected{"created Namespace/shop", "created ConfigMap/a", "created Project/shop"};
  CHECK(desk.lines(desk.apply(both, kube::DryRun::client)) == expected);
  REQUIRE(desk.apply(both).ok());
  CHECK(desk.sent->take().size() == 3);
  CHECK(desk.lines(desk.apply({object("Project", "", "other", {{"namespace", "shop"}})})) ==
        Lines{"created Project/other"});
}

TEST_CASE("prepare: two projects of one namespace make it once") {
  Desk desk;
  const Json spec{{"namespace", "both"}};
  const auto report =
      desk.apply({object("Project", "", "a", spec), object("Project", "", "b", spec)});
  CHECK(desk.lines(report) ==
        Lines{"created Namespace/both", "created Project/a", "created Project/b"});
}

TEST_CASE("prepare: a reserved namespace is refused, in dry runs as in the run") {
  Desk desk;
  const Json bad = object("Project", "", "shop", {{"namespace", "kube-system"}});
  for (const auto dry_run : {kube::DryRun::client, kube::DryRun::server, kube::DryRun::none}) {
    const auto report = desk.apply({bad}, dry_run);
    REQUIRE(report.errors.size() == 1);
    CHECK(report.errors[0].reason == "NamespaceReserved");
    CHECK(report.results.empty());
  }
}

TEST_CASE("prepare: where the namespace cannot be made nothing else is written") {
  Desk desk;
  desk.cluster.fail("PATCH /api/v1/namespaces/shop*", 403);
  const auto report = desk.apply(shop());
  CHECK(desk.lines(report) == Lines{"failed Namespace/shop"});
  CHECK(!report.ok());
  CHECK(desk.cluster.get("projects.kubist.io", "shop").is_null());
}

TEST_CASE("prepare: who may not read namespaces sees what a dry run says of all else") {
  Desk desk;
  desk.cluster.fail("GET /api/v1/namespaces/shop", 403, 2);
  const auto report = desk.apply(shop(), kube::DryRun::client);
  REQUIRE(report.errors.size() == 1);
  CHECK(report.errors[0].kind == util::ErrorKind::forbidden);
  CHECK(desk.lines(report) == Lines{"created ConfigMap/a", "created Project/shop"});
  CHECK(desk.apply(shop()).results.empty());
}

TEST_CASE("prepare: diff shows the namespace") {
  Desk desk;
  apply::Options options;
  options.needs = executors::needed_namespaces;
  auto manifests = desk.manifests_of({object("Project", "", "shop")});
  const auto diffs = apply::diff_set(*desk.client, manifests, options);
  REQUIRE(diffs.report.ok());
  REQUIRE(diffs.objects.size() == 2);
  CHECK(diffs.objects[0].name == "v1.Namespace..shop");
  CHECK(diffs.objects[0].diff.text.find("+  name: shop") != std::string::npos);
}
