// How often the API server is asked, by its audit log.
#include <algorithm>

#include <kubist/util/duration.hpp>

#include "stage.hpp"

using namespace traffic_test;

TEST_CASE("requests: the routes of a namespace are checked against lists that they share") {
  constexpr int k_routes = 12;
  Stage stage("shared-lists");
  stage.reconcile();
  stage.ready_pod("web-v1", {{"app", "web"}, {"version", "v1"}});
  stage.apply("Destination", "web", k_destination);
  for (int i = 0; i < k_routes; ++i) {
    stage.apply("TrafficRoute", cat("route-", i),
                cat("{hosts: [r", i,
                    ".example.com], routes: [{weights: [{destination: web, "
                    "version: v1}]}]}"));
  }
  must(stage.reconcile());
  Audit audit("home");
  must(stage.reconcile());
  std::map<std::string, std::vector<std::chrono::system_clock::time_point>> lists;
  for (const Json& event : audit.requests(stage.world().user())) {
    if (data::string_at(event, {"verb"}) == "list" &&
        data::string_at(event, {"objectRef", "namespace"}) == stage.ns()) {
      const auto at =
          kubist::util::parse_time(data::string_at(event, {"requestReceivedTimestamp"}));
      REQUIRE_MESSAGE(at, event.dump());
      lists[std::string(data::string_at(event, {"objectRef", "resource"}))].push_back(*at);
    }
  }
  CHECK(lists.contains("virtualservices"));
  // One list is shared for a second, however many seconds the run takes. Of pods there are two:
  // what counts a virtual cluster's applications asks for its own.
  for (auto& [resource, times] : lists) {
    CAPTURE(resource);
    CHECK(times.size() < k_routes);
    std::sort(times.begin(), times.end());
    const auto took = std::chrono::floor<std::chrono::seconds>(times.back() - times.front());
    CHECK(times.size() <= 2 * static_cast<std::size_t>(took.count() + 1));
  }
  // A route that is ahead of its destination gets it in the same run.
  stage.apply("TrafficRoute", "late",
              "{hosts: [late.example.com], routes: [{weights: [{destination: late}]}]}");
  stage.apply("Destination", "late", "{ports: [{port: 80, targetPort: 8080}]}");
  stage.ready_pod("late", {{"app", "late"}});
  must(stage.reconcile());
  CHECK(condition(stage.node("trafficroutes", "late"), "Ready") == "True");
}
