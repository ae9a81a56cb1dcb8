// The tree as readers outside a run see it.
#include <thread>

#include <kubist/executors/tree_watch.hpp>
#include <kubist/util/deadline.hpp>

#include "site.hpp"

using namespace site;

namespace {

std::size_t lists_of(const testing::FakeCluster& cluster) {
  const auto log = cluster.log();
  return static_cast<std::size_t>(std::count_if(
      log.begin(), log.end(), [](const LoggedRequest& each) { return each.verb == "list"; }));
}

std::string ready_in_view(const executors::TreeView& view, const std::string& kind) {
  for (const auto& object : view.snapshot.nodes) {
    if (resources::ObjectView(*object).kind() == kind) {
      return condition(*object, "Ready");
    }
  }
  return "none";
}

}  // namespace

TEST_CASE("tree watch: it tells of statuses and of what comes and goes, and lists nothing again") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "dev");
  executors::TreeWatch watch(s.home->connect(s.network), {}, [](const std::string&) {});
  std::stop_source stop;
  const util::Deadline deadline(std::chrono::minutes(2), stop.get_token());
  auto view = watch.next(deadline.token());
  const auto becomes = [&](const std::string& kind, const std::string& wanted) {
    while (view && ready_in_view(*view, kind) != wanted) {
      view = watch.next(deadline.token());
    }
    return view.has_value();
  };
  CHECK(becomes("VirtualCluster", ""));
  CHECK(becomes("Project", "True"));
  const std::size_t listed = lists_of(*s.home);
  const Json down{{"type", "Ready"},
                  {"status", "False"},
                  {"reason", "Unreachable"},
                  {"message", ""},
                  {"lastTransitionTime", "2026-11-27T09:00:00Z"}};
  s.home->patch("virtualclusters.kubist.io", "dev", "shop", kube::PatchType::merge,
                {{"status", {{"conditions", Json::array({down})}}}}, "status");
  CHECK(becomes("VirtualCluster", "False"));
  s.home->remove("virtualclusters.kubist.io", "dev", "shop");
  CHECK(becomes("VirtualCluster", "none"));
  CHECK(lists_of(*s.home) == listed);

  const std::jthread ends([&] { stop.request_stop(); });
  while (view) {
    view = watch.next(deadline.token());
  }
  CHECK(!deadline.passed());
  CHECK(view.error().kind == util::ErrorKind::cancelled);
}
