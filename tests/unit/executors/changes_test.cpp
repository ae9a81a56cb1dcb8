// What a run tells of its writes: the objects before and after.
#include <mutex>

#include "site.hpp"

using namespace site;

TEST_CASE("changes: a run tells what it made and changed, before and after") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "dev", {{"labels", {{"tier", "old"}}}});
  std::mutex mutex;
  std::vector<deployers::Change> changes;
  executors::ReconcileOptions options;
  options.changes = [&](const engine::Node& node, const deployers::Change& change) {
    const std::lock_guard lock(mutex);
    if (node.key.kind == "VirtualCluster" && change.object == "v1 Namespace/shop-dev") {
      changes.push_back(change);
    }
  };
  CHECK(s.reconcile(options).summary.failed == 0);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].before.is_null());
  CHECK(changes[0].after["metadata"]["labels"]["tier"] == "old");

  s.virtual_cluster("shop", "dev", {{"labels", {{"tier", "new"}}}});
  SUBCASE("in a run") { options.dry_run = kube::DryRun::none; }
  SUBCASE("in a dry run of the client") { options.dry_run = kube::DryRun::client; }
  changes.clear();
  CHECK(s.reconcile(options).summary.failed == 0);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].before["metadata"]["labels"]["tier"] == "old");
  CHECK(changes[0].after["metadata"]["labels"]["tier"] == "new");
  CHECK(changes[0].after["metadata"].contains("uid"));
}
