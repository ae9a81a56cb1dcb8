// How soon a DeployItem that failed is tried again.
#include "site.hpp"

using namespace site;

namespace {

std::optional<std::chrono::milliseconds> again_after(const engine::Report& report,
                                                     const std::string& item) {
  for (const engine::NodeReport& node : report.nodes) {
    if (node.key.name == item) {
      return node.requeue_after;
    }
  }
  return std::nullopt;
}

Json mock(const Json& config) {
  return {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
          {"kind", "DeployItem"},
          {"metadata", {{"name", "job"}, {"namespace", "shop"}}},
          {"spec", {{"type", "kubist.io/mock"}, {"config", config}}}};
}

}  // namespace

TEST_CASE("item retry: each failure in a row doubles the pause, a success ends the row") {
  Site s;
  s.make_project("shop");
  s.home->put(mock({{"phase", "Failed"}}));
  for (const int seconds : {1, 2, 4, 8, 16}) {
    const auto after = again_after(s.reconcile(), "job");
    REQUIRE(after);
    CHECK(*after >= std::chrono::milliseconds(500 * seconds));
    CHECK(*after <= std::chrono::milliseconds(1000 * seconds));
  }
  s.home->put(mock({{"phase", "Succeeded"}}));
  CHECK_FALSE(again_after(s.reconcile(), "job"));
  s.home->put(mock({{"phase", "Failed"}}));
  const auto first = again_after(s.reconcile(), "job");
  REQUIRE(first);
  CHECK(*first <= std::chrono::seconds(1));
}

TEST_CASE("item retry: what somebody has to mend is not tried again by itself") {
  Site s;
  s.make_project("shop");
  s.home->put(mock({{"phase", "Failed"}, {"bogus", 1}}));
  const engine::Report report = s.reconcile();
  CHECK(report.summary.failed == 1);
  CHECK_FALSE(again_after(report, "job"));
}
