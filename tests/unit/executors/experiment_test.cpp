// An Experiment over a route of a cluster in memory: what its policies may and may not do.
#include "release_site.hpp"

using namespace site;

namespace {

struct ExperimentSite : Shop {
  ExperimentSite() {
    route("web");
    settle();
    original = routed();
  }
  void experiment(const std::string& policies, int weight = 1) {
    apply(
        "Experiment", "button",
        cat("{route: web, interval: 1s, variants: [{name: blue, destination: web, version: v1}, "
            "{name: green, destination: web, version: v2, weight: ",
            weight,
            "}], goals: [{name: orders, count: "
            "'{.n}', successes: '{.k}', source: {json: {namespace: shop-dev, service: 'stats:80', "
            "path: /}}}]",
            policies.empty() ? "" : ", policies: " + policies, "}"));
  }
  Json object() const { return get("experiments", "shop", "button"); }
  std::string field(const char* name) const {
    return std::string(data::string_at(object(), {"status", name}));
  }
  void looks(int count) {
    for (int i = 0; i < count; ++i) {
      clock.advance(std::chrono::seconds(2));
      reconcile();
    }
  }
  std::string original;
};

}  // namespace

TEST_CASE("experiment: one that its policies do not agree on does not begin") {
  ExperimentSite s;
  s.experiment("[{name: nowhere}]");
  s.looks(3);
  CHECK(s.field("state") == "Pending");
  CHECK(condition(s.object()) == "False");
  CHECK(s.routed() == s.original);
  s.experiment("");
  s.looks(3);
  CHECK(s.field("state") == "Running");
  CHECK(s.routed() != s.original);
}

TEST_CASE("experiment: policies that change what is counted are refused, and people are heard") {
  ExperimentSite s;
  s.experiment("");
  s.looks(3);
  REQUIRE(s.field("state") == "Running");
  s.experiment(
      "[{name: JsonPatch, parameters: {patch: [{op: replace, path: /spec/variants/0/name, value: "
      "red}]}}]");
  s.looks(2);
  CHECK(reason(s.object()) == "PolicyNotApplicable");
  CHECK(s.field("state") == "Running");
  s.home->patch("experiments.kubist.io", "button", "shop", kube::PatchType::merge,
                {{"metadata", {{"annotations", {{"kubist.io/request", "abort@1"}}}}}});
  s.looks(4);
  CHECK(s.field("state") == "Aborted");
  CHECK(s.routed() == s.original);
}

TEST_CASE("experiment: an edit that its policies do not agree to reaches no client") {
  ExperimentSite s;
  s.experiment("");
  s.looks(3);
  REQUIRE(s.field("state") == "Running");
  const std::string agreed = s.routed();
  s.experiment("[{name: nowhere}]", 99);
  s.looks(3);
  CHECK(s.field("state") == "Running");
  CHECK(s.routed() == agreed);
  s.experiment("", 99);
  s.looks(3);
  CHECK(s.routed() != agreed);
}
