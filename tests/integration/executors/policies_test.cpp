// Policies in a live tree: good and bad Jsonnet, the built-in ones, the YAML forms that users know.
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace it;

Json definition(const std::string& ns, const std::string& name, const std::string& source) {
  return object("PolicyDefinition", ns, name, {{"runtime", {{"jsonnet", {{"source", source}}}}}});
}

const char* const k_labels = R"(
function(list) list {
  items: [super.items[0] { spec+: { labels+: { tier: list.functionConfig.parameters.tier } } }],
}
)";

}  // namespace

TEST_CASE("policies: one that fails ends its own node with its own message, and nothing else") {
  World world("bad");
  const std::string project = world.name();
  world.make_project(project);
  std::vector<Json> objects{
      object("Cluster", project, "home", {{"home", true}}),
      definition(project, "errs", "function(list) error 'the moon is full'"),
      definition(project, "loops", "local f(x) = f(x + 1) tailstrict; function(list) f(0)"),
      definition(project, "eats",
                 "function(list) local g(s) = if std.length(s) > 1e12 then s "
                 "else g(s + s) tailstrict; g('xxxxxxxxxxxxxxxx')"),
      definition(project, "rubbish", "function(list) 'hello'"),
      definition(project, "broken", "function(list) {")};
  const std::vector<std::string> bad{"errs", "loops", "eats", "rubbish", "broken"};
  for (const std::string& name : bad) {
    objects.push_back(virtual_cluster(project, name, "home", world.name(name),
                                      {{"policies", Json::array({{{"name", name}}})}}));
  }
  objects.push_back(virtual_cluster(project, "fine", "home", world.name("fine")));
  put("home", objects);
  const CommandResult run = run_kubist({"reconcile", "Project/" + project, "--timeout=100s"});
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  for (const std::string& name : bad) {
    CAPTURE(name);
    const auto node = vc(project, name);
    CHECK(condition(node, "Ready") == "False");
    CHECK(message(node, "Ready").find("policy " + name) != std::string::npos);
    CHECK((*node)["status"]["policies"][0]["outcome"] == "Failed");
    CHECK(!get("home", "namespace", world.name(name)));
  }
  CHECK(message(vc(project, "errs"), "Ready").find("the moon is full") != std::string::npos);
  CHECK(condition(vc(project, "fine"), "Ready") == "True");
  CHECK(condition(get("home", "kcl", "home", project), "Ready") == "True");

  const CommandResult trace = run_kubist({"policy", "trace", "vc/errs", "-n", project});
  CHECK(trace.exit_code != 0);
  CHECK(trace.out.find("the moon is full") != std::string::npos);
}

TEST_CASE("policies: a definition changes labels through the spec, and never the spec itself") {
  World world("good");
  const std::string project = world.name();
  world.make_project(project);
  put("home", {object("Cluster", project, "home", {{"home", true}}),
               object("PolicyDefinition", project, "tiers",
                      {{"description", "Labels by tier."},
                       {"parameters",
                        {{"type", "object"},
                         {"properties", {{"tier", {{"type", "string"}, {"default", "silver"}}}}}}},
                       {"runtime", {{"jsonnet", {{"source", k_labels}}}}}}),
               virtual_cluster(project, "dev", "home", world.name("dev"),
                               {{"policies", Json::array({call("tiers", {{"tier", "gold"}})})}}),
               virtual_cluster(project, "test", "home", world.name("test"),
                               {{"policies", Json::array({call("tiers")})}})});
  must(run_kubist({"reconcile", "Project/" + project}));
  CHECK((*get("home", "namespace", world.name("dev")))["metadata"]["labels"]["tier"] == "gold");
  CHECK((*get("home", "namespace", world.name("test")))["metadata"]["labels"]["tier"] == "silver");
  const auto node = vc(project, "dev");
  CHECK(!(*node)["spec"].contains("labels"));
  CHECK((*node)["status"]["effective"]["labels"]["tier"] == "gold");
  CHECK((*node)["status"]["policies"][0]["outcome"] == "Succeeded");

  const CommandResult list = run_kubist({"policy", "list", "-n", project});
  CHECK(list.out.find("tiers") != std::string::npos);
  CHECK(list.out.find("Labels by tier.") != std::string::npos);
  CHECK(list.out.find("TimedWindow") != std::string::npos);

  Audit audit("home");
  const CommandResult trace =
      run_kubist(world.as_user({"policy", "trace", "vc/dev", "-n", project, "-o", "json"}));
  const Json report = Json::parse(must(trace));
  const Json& policy = report["nodes"][0]["policies"][0];
  CHECK(policy["input"]["functionConfig"]["parameters"]["tier"] == "gold");
  CHECK(policy["output"]["items"][0]["spec"]["labels"]["tier"] == "gold");
  CHECK(audit.writes(world.user()).empty());

  // What the trace shows can be run again from a file.
  const CommandResult again = run_kubist(
      {"policy", "run", "tiers", "-n", project, "-f", "-", "-o", "json"}, policy["input"].dump());
  CHECK(Json::parse(must(again))["items"][0]["spec"]["labels"]["tier"] == "gold");
}

TEST_CASE("policies: the built-in ones and the familiar YAML forms") {
  World world("forms");
  const std::string project = world.name();
  world.make_project(project);
  const Json never =
      Json::array({{{"start", "2001-01-01T00:00:00Z"}, {"end", "2001-01-02T00:00:00Z"}}});
  const Json patched = Json::array({call("JsonPatch", {{"labels", {{"by", "patch"}}}})});
  Json with_executor{{"executor", {{"name", "DefaultVirtualClusterPolicyExecutor"}}},
                     {"policies", patched}};
  Json with_old_name{{"policyExecutor", {{"name", "VirtualCluster"}}}, {"policies", patched}};
  put("home",
      {object("Cluster", project, "home", {{"home", true}}),
       virtual_cluster(project, "held", "home", world.name("held"),
                       {{"policies", Json::array({call("TimedWindow", {{"windows", never}})})}}),
       virtual_cluster(project, "outside", "home", world.name("outside"),
                       {{"policies", Json::array({call("window", {{"windows", never},
                                                                  {"outside", "continue"}})})}}),
       virtual_cluster(project, "new-form", "home", world.name("new-form"), with_executor),
       virtual_cluster(project, "old-form", "home", world.name("old-form"), with_old_name),
       virtual_cluster(project, "unknown", "home", world.name("unknown"),
                       {{"policies", Json::array({call("JsonPach")})}}),
       virtual_cluster(project, "no-executor", "home", world.name("no-executor"),
                       {{"executor", {{"name", "SomeExecutor"}}}})});
  const CommandResult run = run_kubist({"reconcile", "Project/" + project, "--timeout=60s"});
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  CHECK(!get("home", "namespace", world.name("held")));
  CHECK((*vc(project, "held"))["status"]["policies"][0]["outcome"] == "Hold");
  CHECK(condition(vc(project, "outside"), "Ready") == "True");
  for (const char* name : {"new-form", "old-form"}) {
    CAPTURE(name);
    CHECK(condition(vc(project, name), "Ready") == "True");
    const auto made = get("home", "namespace", world.name(name));
    REQUIRE(made);
    CHECK((*made)["metadata"]["labels"]["by"] == "patch");
  }
  CHECK(reason(vc(project, "unknown"), "Ready") == "UnknownPolicy");
  CHECK(message(vc(project, "unknown"), "Ready").find("did you mean \"JsonPatch\"?") !=
        std::string::npos);
  CHECK(reason(vc(project, "no-executor"), "Ready") == "UnknownExecutor");
}
