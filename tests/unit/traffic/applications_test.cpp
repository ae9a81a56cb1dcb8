#include <kubist/traffic/applications.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::testing;
using namespace kubist::traffic;

TEST_CASE("applications: versions get the shares of the routes that lead to them") {
  const data::Json cluster = json(R"({"metadata": {"name": "prod", "namespace": "p"}, "status": {
      "applications": [{"name": "shop", "deployments": [
        {"name": "shop-1", "version": "1.0", "replicas": 2, "readyReplicas": 2},
        {"name": "shop-2", "version": "2.0", "replicas": 1, "readyReplicas": 0}]}]}})");
  const data::Json destination = json(R"({"metadata": {"name": "front", "namespace": "p"}, "spec": {
      "virtualClusterRef": {"name": "prod"}, "application": "shop",
      "subsets": {"stable": {"labels": {"version": "1.0"}}, "2.0": {"labels": {"track": "new"}}}}})");
  data::Json route = json(R"({"metadata": {"name": "web", "namespace": "p"}, "spec": {
      "virtualClusterRef": {"name": "prod"}}, "status": {"routes": [
        {"name": "beta", "weights": [{"destination": "front", "version": "2.0", "percent": 100}]},
        {"name": "main", "weights": [
          {"destination": "front", "version": "stable", "percent": 80},
          {"destination": "front", "version": "2.0", "percent": 20}]}]}})");
  auto rows = version_rows({&cluster}, {&destination}, {&route});
  REQUIRE(rows.size() == 2);
  CHECK(share_words(rows[0].shares) == "web 80 %");
  CHECK(share_words(rows[1].shares) == "web/beta 100 %, web/main 20 %");
  CHECK(rows[1].ready == 0);
  // One that is kept on many has its shares there.
  data::Json spread = route;
  spread["spec"] = {{"virtualClusterSelector", data::Json::object()}};
  spread["status"] = {{"targets", data::Json::array({route["status"]})}};
  spread["status"]["targets"][0]["virtualCluster"] = "prod";
  rows = version_rows({&cluster}, {&destination}, {&spread});
  CHECK(share_words(rows[0].shares) == "web 80 %");
  // A status that no kubist wrote.
  data::Json strange = route;
  strange["status"]["routes"][1]["weights"][0]["percent"] = "80";
  rows = version_rows({&cluster}, {&destination}, {&strange});
  CHECK(share_words(rows[0].shares) == "web 0 %");
  route["spec"]["virtualClusterRef"]["name"] = "other";
  rows = version_rows({&cluster}, {&destination}, {&route});
  CHECK(rows[0].shares.empty());
}
