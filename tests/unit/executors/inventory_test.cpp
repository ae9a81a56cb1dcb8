// What a node remembers of what it made, until that is gone.
#include <algorithm>

#include "release_site.hpp"
#include "support/comes_true.hpp"

using namespace site;

namespace {

const char* const k_rule = "destinationrules.networking.istio.io";

/// The places in `lines` of what begins so, as one text.
std::string order_of(const std::vector<std::string>& lines, const std::string& beginning) {
  std::string all;
  for (const std::string& line : lines) {
    all += line.starts_with(beginning) ? line.substr(beginning.size()) + "\n" : "";
  }
  return all;
}

}  // namespace

TEST_CASE("inventory: what a server that is down has is not gone with its owner") {
  Shop s;
  s.settle();
  REQUIRE(!s.live(k_rule, "web").is_null());
  s.home->silence("networking.istio.io");
  s.home->remove("destinations.kubist.io", "web", "shop");
  s.open();
  s.reconcile();
  CHECK(!s.get("destinations", "shop", "web").is_null());
  s.home->silence("networking.istio.io", false);
  s.open();
  s.settle();
  CHECK(s.get("destinations", "shop", "web").is_null());
  CHECK(s.live(k_rule, "web").is_null());
  CHECK(s.live("services", "web").is_null());
}

TEST_CASE("inventory: a kind whose server is down is not taken for one that is not served") {
  Shop s;
  s.apply("EntryGateway", "entry", "{servers: [{port: 80, hosts: [web.example.com]}]}");
  s.settle();
  s.home->silence("networking.istio.io");
  s.open();
  s.forget();
  const auto report = s.reconcile();
  for (const auto& [kind, name] : {std::pair{"Destination", "web"}, {"EntryGateway", "entry"}}) {
    const auto& node = node_of(report, kind, name);
    CHECK(node.outcome == engine::Outcome::failed);
    CHECK(node.reason == "Unavailable");
    CHECK(node.requeue_after);
    CHECK(node.message ==
          "the server of API group networking.istio.io does not answer; See kubectl get "
          "apiservices.");
  }
  CHECK(order_of(s.written(), "patch services ").empty());
  s.home->silence("networking.istio.io", false);
  CHECK(!s.live(k_rule, "web").is_null());
  s.open();
  s.settle();
  CHECK(condition(s.get("destinations", "shop", "web")) == "True");
  CHECK(condition(s.get("entrygateways", "shop", "entry")) == "True");
}

TEST_CASE("inventory: what is no longer wanted goes, last made first") {
  Shop s;
  s.settle();
  s.forget();
  s.apply("Destination", "web", "{}");
  s.settle();
  CHECK(order_of(s.written(), "delete ") ==
        "destinationrules shop-dev/web\nservices shop-dev/web\n");
}

TEST_CASE("inventory: on many virtual clusters, too, a failure forgets nothing of what was made") {
  Shop s;
  Json dev = testing::virtual_cluster("shop", "dev", "home", "shop-dev",
                                      {{"injection", {{"mode", "Unmanaged"}}}});
  dev["metadata"]["labels"]["tier"] = "prod";
  s.home->put(dev);
  s.put("Destination", "shop", "many",
        yaml("{virtualClusterSelector: {matchLabels: {tier: prod}}, ports: [{port: 80}]}"));
  s.home->fail("PATCH */destinationrules/many*", 403, 100);
  s.reconcile();
  REQUIRE(!s.live("services", "many").is_null());
  CHECK(s.get("destinations", "shop", "many")["status"]["targets"][0]["inventory"].size() == 2);
  s.home->remove("destinations.kubist.io", "many", "shop");
  s.settle();
  CHECK(s.get("destinations", "shop", "many").is_null());
  CHECK(s.live("services", "many").is_null());
}

TEST_CASE("inventory: it is written ahead also where the status is no map") {
  for (const Json& status : {Json("text"), Json(7), Json::array({"a"}), Json(true), Json()}) {
    const std::string text = status.dump();
    CAPTURE(text);
    Site s;
    Json project = object("Project", "", "shop");
    project["metadata"]["finalizers"] = {"kubist.io/finalizer"};  // else that is refused before
    project["status"] = status;
    s.home->plant(project);
    const auto report = s.reconcile();  // the first: it leaves a status that is a map
    CHECK(node_of(report, "Project", "shop").message == "");
    CHECK(report.summary.failed == 0);
    CHECK_FALSE(s.namespace_at(s.home, "shop").is_null());
    CHECK(condition(s.project("shop")) == "True");
  }
}

namespace {

/// A Destination on all virtual clusters with the label, which is on `dev` alone, and is Ready.
void make_wide(Shop& s) {
  s.home->patch("virtualclusters.kubist.io", "dev", "shop", kube::PatchType::merge,
                {{"metadata", {{"labels", {{"tier", "wide"}}}}}});
  s.put("Destination", "shop", "wide",
        yaml("{virtualClusterSelector: {matchLabels: {tier: wide}}, ports: [{port: 80}], subsets: "
             "{v1: {labels: {version: v1}}}}"));
  s.settle();
  REQUIRE(condition(s.get("destinations", "shop", "wide")) == "True");
  REQUIRE(!s.live(k_rule, "wide").is_null());
}

}  // namespace

TEST_CASE("inventory: what selects more virtual clusters than it may can go, and all it made") {
  Shop s;
  make_wide(s);
  for (int i = 0; i < 500; ++i) {
    Json suspended = testing::virtual_cluster("shop", cat("v", i), "home", cat("shop-v", i),
                                              {{"suspend", true}});
    suspended["metadata"]["labels"] = {{"tier", "wide"}};
    s.home->put(suspended);
  }
  s.settle();
  REQUIRE(reason(s.get("destinations", "shop", "wide")) == "TooManyTargets");
  REQUIRE(!s.live(k_rule, "wide").is_null());
  s.home->remove("destinations.kubist.io", "wide", "shop");
  s.settle();
  CHECK(s.get("destinations", "shop", "wide").is_null());
  CHECK(s.live(k_rule, "wide").is_null());
}

TEST_CASE("inventory: targets that go at one time go from the status with one write") {
  constexpr int k_targets = 12;  // fewer than nodes may be removed at once
  Shop s;
  for (int i = 0; i < k_targets; ++i) {
    Json one = testing::virtual_cluster("shop", cat("v", i), "home", cat("shop-v", i),
                                        {{"injection", {{"mode", "Unmanaged"}}}});
    one["metadata"]["labels"] = {{"tier", "many"}};
    s.home->put(one);
  }
  s.put("Destination", "shop", "many",
        yaml("{virtualClusterSelector: {matchLabels: {tier: many}}, ports: [{port: 80}]}"));
  s.settle();
  const std::string status = "patch destinations shop/many status";
  const auto deleted = [&] {
    return std::ranges::count_if(s.written(), [](const std::string& line) {
      return line.starts_with("delete services ") && line.ends_with("/many");
    });
  };
  s.home->remove("destinations.kubist.io", "many", "shop");
  s.forget();
  // The first is held up until all others are taken away, too.
  s.home->before("PATCH */destinations/many/status*",
                 [&] { CHECK(testing::comes_true([&] { return deleted() == k_targets; })); });
  s.settle();
  CHECK(s.get("destinations", "shop", "many").is_null());
  CHECK(deleted() == k_targets);
  const auto written = s.written();
  CHECK(std::ranges::count(written, status) < k_targets / 2);
  CHECK(std::ranges::count(written, "patch destinations shop/many") == 1);  // lets go of it
}
