// What a hostile member writes that never ends takes nothing from the other project.
#include <algorithm>
#include <map>

#include <doctest/doctest.h>
#include <signal.h>

#include <kubist/util/text.hpp>

#include "hostile_stage.hpp"
#include "programs.hpp"

namespace it::hostile {
namespace {

using kubist::util::cat;

/// Takes longer than anybody lives, in few levels and little memory.
const char* const k_endless =
    "function(x) local f(n) = if n <= 0 then 0 else f(n - 1) + f(n - 1); f(450)";

Json policy(const std::string& ns, const std::string& name, const std::string& source) {
  return object("PolicyDefinition", ns, name, {{"runtime", {{"jsonnet", {{"source", source}}}}}});
}

/// A VirtualCluster's policy that adds a label.
Json labelling(const std::string& ns, const std::string& word) {
  return policy(ns, "labels",
                cat("function(list) list { items: [super.items[0] { spec+: { labels+: { seen: '",
                    word, "' } } }] }"));
}

Json execution(const std::string& ns, const std::string& name, const std::string& spec) {
  return object("Execution", ns, name, yaml(spec));
}

/// The policy `sleeps` of all projects; gone with this.
class Sleeping {
 public:
  explicit Sleeping(std::string name) : m_name(std::move(name)) {
    m_programs.add("sleeps", "exec sleep 1000000");
    put("home", {{{"apiVersion", "kubist.io/v1alpha1"},
                  {"kind", "ClusterPolicyDefinition"},
                  {"metadata", {{"name", m_name}}},
                  {"spec", {{"runtime", {{"exec", "sleeps"}}}}}}});
  }
  ~Sleeping() {
    kubectl("home", {"delete", "clusterpolicydefinitions.kubist.io", m_name, "--wait=false"});
  }
  Sleeping(const Sleeping&) = delete;
  Sleeping& operator=(const Sleeping&) = delete;

 private:
  std::string m_name;
  Programs m_programs;
};

std::vector<Json> endless_objects(const std::string& ns, const std::string& sleeping) {
  std::vector<Json> all{policy(ns, "endless", k_endless)};
  for (int i = 0; i < 6; ++i) {
    const std::string items = "items: [{name: a, type: Script, script: 'true'}]";
    all.push_back(
        execution(ns, cat("policy", i), cat("{policies: [{name: endless}], ", items, "}")));
    all.push_back(
        execution(ns, cat("program", i), cat("{policies: [{name: ", sleeping, "}], ", items, "}")));
    all.push_back(
        execution(ns, cat("template", i),
                  cat("{items: [{name: a, type: Templates, template: '", k_endless, "'}]}")));
  }
  for (int i = 0; i < 4; ++i) {  // each keeps a run for good: fair_test.cpp has more
    all.push_back(
        node_object("DeployItem", ns, cat("item", i),
                    yaml("{type: kubist.io/mock, timeout: none, config: {phase: Progressing}}")));
  }
  return all;
}

}  // namespace

TEST_CASE("hostile member: what never ends takes nothing from the other project") {
  World world("hostile-endless");
  const Names names(world);
  prepare(world, names);
  const Sleeping sleeping(world.name("sleeps"));
  const std::string ns = names.other + "-dev";
  put("home", {labelling(names.other, "first"),
               virtual_cluster(names.other, "dev", "home", ns,
                               {{"adopt", true}, {"policies", Json::array({call("labels")})}})});
  Background watch(world.as_user(
      {"reconcile", "Project/" + names.project, "Project/" + names.other, "--watch"}));
  const auto is_served = [&](const std::string& word) {
    return eventually(
        [&] {
          const auto live = get("home", "namespace", ns);
          return live && live->value("/metadata/labels/seen"_json_pointer, "") == word &&
                 get("home", "configmap", "honest", ns);
        },
        60);
  };
  REQUIRE_MESSAGE(is_served("first"), watch.output());
  const auto who = member(names);
  for (const Json& each : endless_objects(names.project, world.name("sleeps"))) {
    CHECK(create_as(*who, each) == "");
  }
  for (int i = 0; i < 6; ++i) {
    put("home", {labelling(names.other, cat("word", i))});
    must(kubectl("home", {"delete", "configmap", "honest", "-n", ns}));
    REQUIRE_MESSAGE(is_served(cat("word", i)), watch.output());
  }
  const std::map<std::string, std::string> verdicts{
      {"policy0", "CPULimit|Timeout"}, {"program0", "Timeout"}, {"template0", "TemplateFailed"}};
  for (const auto& each : verdicts) {
    const auto all = kubist::util::split(each.second, '|');
    std::string why;
    CHECK_MESSAGE(eventually(
                      [&] {
                        why = reason(get("home", "executions.kubist.io", each.first, names.project),
                                     "Ready");
                        return std::find(all.begin(), all.end(), why) != all.end();
                      },
                      360),  // policies, programs and templates take turns
                  each.first, ": ", why, watch.output());
  }
  CHECK(condition(get("home", "projects.kubist.io", names.other), "TreeReady") == "True");
  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(30) == 143, watch.output());
}

}  // namespace it::hostile
