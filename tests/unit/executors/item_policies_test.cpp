// Policies that a Project imposes on DeployItems hold for those that an Execution makes.
#include "site.hpp"

using namespace site;

namespace {

constexpr const char* k_deploy_items = "deployitems.landscaper.gardener.cloud";

/// Refuses what has an `image` of another registry, as the docs' own-registry does.
constexpr const char* k_registry = R"(function(list)
  local images(value) =
    if std.isObject(value) then std.flattenArrays(
      [if key == 'image' then [value[key]] else images(value[key])
       for key in std.objectFields(value)])
    else [];
  list { results: [
    { severity: 'error', message: image + ' is foreign' }
    for image in images(list.items[0].spec) if !std.startsWith(image, 'own/')
  ] })";

constexpr const char* k_label = R"(function(list)
  list { items: [list.items[0] { spec+: { config+: { message: 'labelled', phase: null } } }] })";

constexpr const char* k_hold = R"(function(list)
  list { functionConfig+: { status: { outcome: 'hold', requeueAfter: '5m' } },
         results: [{ severity: 'info', message: 'not today' }] })";

/// A project that imposes a policy of that source on DeployItems, and an Execution.
struct Held : Site {
  explicit Held(const char* source, const Json& more = Json::object()) {
    define(source);
    Json imposed{{"kinds", {"DeployItem"}}, {"policies", Json::array({{{"name", "rule"}}})}};
    imposed.update(more);
    make_project("shop", {{"impose", Json::array({imposed})}});
    settle();
  }
  void define(const char* source) {
    put("ClusterPolicyDefinition", "", "rule", {{"runtime", {{"jsonnet", {{"source", source}}}}}});
  }
  /// One whose template gives items of the mock deployer with these images, by their names.
  void make(const std::map<std::string, std::string>& images, const Json& more = Json::object()) {
    std::string parts;
    for (const auto& [name, image] : images) {
      parts += cat("{name: '", name, "', type: 'kubist.io/mock', config: {export: {image: '", image,
                   "'}}},");
    }
    Json spec{{"items", Json::array({{{"name", "t"},
                                      {"type", "Templates"},
                                      {"template", cat("function(all) [", parts, "]")}}})}};
    spec.update(more);
    put("Execution", "shop", "job", spec);
  }
  Json job() const { return get("executions", "shop", "job"); }
  Json item(const std::string& name) const {
    return home->get(k_deploy_items, "job-t-" + name, "shop");
  }
  engine::NodeReport report(const executors::ReconcileOptions& options = {}) {
    return node_of(reconcile(options), "Execution", "job");
  }
  void check_unchanged() {
    settle();
    forget();
    reconcile();
    CHECK(written().empty());
  }
};

}  // namespace

TEST_CASE("item policies: what a template returns is refused before anything of it is made") {
  Held s(k_registry);
  s.make({{"bad", "evil/x"}, {"good", "own/x"}});
  const engine::NodeReport refused = s.report();
  CHECK(refused.outcome == engine::Outcome::stalled);
  CHECK(refused.reason == "PolicyDenied");
  CHECK(refused.message.find("item t/bad: imposed by Project/shop: policy rule: ") !=
        std::string::npos);
  CHECK(refused.message.find("evil/x is foreign") != std::string::npos);
  REQUIRE(refused.error);
  CHECK(refused.error->kind == util::ErrorKind::denied);
  CHECK(condition(s.job(), "Stalled") == "True");
  CHECK(s.item("bad").is_null());
  CHECK(s.item("good")["status"]["phase"] == "Succeeded");
  s.check_unchanged();

  s.make({{"bad", "own/y"}, {"good", "own/x"}});
  CHECK(s.report().ready);
  CHECK(s.item("bad")["status"]["phase"] == "Succeeded");
  s.check_unchanged();

  // What there is stays as it is when it may be so no more.
  s.make({{"bad", "evil/y"}, {"good", "own/x"}});
  CHECK(s.report().reason == "PolicyDenied");
  CHECK(s.item("bad")["spec"]["config"]["export"]["image"] == "own/y");
}

TEST_CASE("item policies: a dry run tells of the refusal") {
  Held s(k_registry);
  s.make({{"bad", "evil/x"}});
  executors::ReconcileOptions dry;
  dry.dry_run = kube::DryRun::client;
  CHECK(s.report(dry).reason == "PolicyDenied");
}

TEST_CASE("item policies: items that are written in the Execution are judged as rendered") {
  Held s(k_registry);
  s.put(
      "Execution", "shop", "job",
      {{"items",
        Json::array(
            {{{"name", "run"}, {"type", "Script"}, {"image", "evil/x"}, {"script", "exit 0"}}})}});
  CHECK(s.report().reason == "PolicyDenied");
  CHECK(s.home->get(k_deploy_items, "job-run", "shop").is_null());
}

TEST_CASE("item policies: what a policy changes is what runs, and is written once") {
  Held s(k_label);
  s.make({{"a", "x"}});
  CHECK(s.report().ready);
  CHECK(s.item("a")["spec"]["config"] ==
        Json{{"message", "labelled"}, {"export", {{"image", "x"}}}});
  s.check_unchanged();
}

TEST_CASE("item policies: what is held is made when nothing holds it any more") {
  Held s(k_hold);
  s.make({{"a", "x"}});
  const engine::NodeReport held = s.report();
  CHECK(held.outcome == engine::Outcome::progressing);
  CHECK(held.reason == "Held");
  CHECK(held.message == "item t/a: rule: not today");
  CHECK(held.requeue_after == std::chrono::minutes(5));
  CHECK(s.item("a").is_null());
  s.check_unchanged();
  s.define("function(list) list");
  CHECK(s.report().ready);
  // What has succeeded stays ready as it is, and is not changed.
  s.define(k_hold);
  CHECK(s.report().ready);
  s.make({{"a", "y"}});
  CHECK(s.report().reason == "Held");
  CHECK(s.item("a")["spec"]["config"]["export"]["image"] == "x");
}

TEST_CASE("item policies: an Execution that may override one takes its items out") {
  Held s(k_registry, {{"allowOverride", true}});
  s.put("PolicyDefinition", "shop", "rule",
        {{"runtime", {{"jsonnet", {{"source", "function(list) list"}}}}}});
  s.make({{"a", "evil/x"}});
  CHECK(s.report().reason == "PolicyDenied");
  s.make({{"a", "evil/x"}}, {{"policies", Json::array({{{"name", "rule"}}})}});
  CHECK(s.report().ready);
}

TEST_CASE("item policies: one that cannot run lets nothing through") {
  Held s("function(list) error 'broken'");
  s.make({{"a", "own/x"}});
  CHECK(s.report().reason == "PolicyFailed");
  CHECK(s.item("a").is_null());
}

TEST_CASE("item policies: an item of an Execution is not run by itself, without its policies") {
  Held s(k_registry);
  s.make({{"a", "own/x"}});
  CHECK(s.report().ready);
  s.home->put({{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
               {"kind", "DeployItem"},
               {"metadata", {{"name", "job-t-a"}, {"namespace", "shop"}}},
               {"spec", {{"config", {{"export", {{"image", "evil/x"}}}}}}}});
  const auto done = s.session->run_items(
      {{"landscaper.gardener.cloud", "DeployItem", "shop", "job-t-a"}}, {}, [](const auto&) {}, {});
  REQUIRE(done);
  REQUIRE_FALSE(done->front().outcome);
  CHECK(done->front().outcome.error().reason == "HasPolicies");
  CHECK(done->front().outcome.error().hint.find("execution/job") != std::string::npos);
}
