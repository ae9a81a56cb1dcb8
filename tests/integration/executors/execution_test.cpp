// Executions whose items need no pod: what is rendered, in which order, what a failure means, what
// goes in and out.
#include <algorithm>
#include <csignal>
#include <map>

#include <doctest/doctest.h>

#include "execution_support.hpp"

using namespace it::executions;
using namespace it;

TEST_CASE("execution: templates see imports, exports so far, target and their own state" *
          doctest::description("seed 2.1, 2.2: so do templates")) {
  World world("templates");
  const std::string project = world.name();
  world.make_project(project);
  put("home", {Json{{"apiVersion", "v1"},
                    {"kind", "ConfigMap"},
                    {"metadata", {{"name", "given"}, {"namespace", project}}},
                    {"data", {{"size", "three"}}}}});
  const Json items =
      Json::array({mock("first", {{"export", {{"port", 80}, {"deep", {{"er", "yes"}}}}}}),
                   templates("second", R"(
function(all) {
  local runs = if all.state == null then 1 else all.state.runs + 1,
  state: { runs: runs },
  exports: { runs: runs, namespace: all.target.namespace },
  deployItems: [
    { name: 'a', type: 'kubist.io/mock',
      config: { export: { size: all.imports.size, port: all.exports.first.x.port } } },
    { name: 'b', type: 'kubist.io/mock', dependsOn: ['a'], config: { export: { b: 1 } } },
  ],
})",
                             {{"dependsOn", Json::array({"first"})}})});
  const Json out = Json::array({{{"name", "size"}, {"item", "second"}, {"key", "a.size"}},
                                {{"name", "port"}, {"item", "second"}, {"key", "a.port"}},
                                {{"name", "runs"}, {"item", "second"}, {"public", true}},
                                {{"name", "where"}, {"item", "second"}, {"key", "namespace"}},
                                {{"name", "deep"}, {"item", "first"}, {"key", "x.deep.er"}}});
  const Json imports =
      Json::array({{{"name", "size"}, {"configMapRef", {{"name", "given"}, {"key", "size"}}}}});
  put("home", {execution(project, items, {{"imports", imports}, {"exports", out}})});
  const CommandResult first = reconcile(world);
  REQUIRE_MESSAGE(first.exit_code == 0, first.out, first.err, status_message(project));
  CHECK(exports(project) ==
        Json{{"size", "three"}, {"port", 80}, {"runs", 1}, {"where", project}, {"deep", "yes"}});
  const auto done = get("home", "executions.kubist.io", "job", project);
  CHECK(data::string_at(*done, {"status", "progress"}) == "3/3");
  CHECK((*done)["status"]["items"].size() == 3);

  // Its state is another one after each run, but what it renders is the same: no item runs again.
  Audit audit("home");
  const CommandResult again = reconcile(world);
  CHECK(again.exit_code == 0);
  CHECK(exports(project)["runs"] == 2);
  const auto writes = audit.writes(world.user());
  CHECK(!writes.empty());  // its exports
  for (const AuditedWrite& write : writes) {
    CHECK_MESSAGE(write.resource != "deployitems", write.to_string());
  }
}

TEST_CASE("execution: parts that are not rendered any more go, but none when rendering fails") {
  World world("prune");
  const std::string project = world.name();
  world.make_project(project);
  const auto with = [&](const std::string& source) {
    put("home", {execution(project, Json::array({templates("web", source)}))});
    return reconcile(world);
  };
  const std::string two = R"(function(all) [
    {name: 'a', type: 'kubist.io/mock', config: {}},
    {name: 'b', type: 'kubist.io/mock', config: {}, dependsOn: ['a']}])";
  REQUIRE(with(two).exit_code == 0);
  CHECK(phase(project, "job-web-a") == "Succeeded");
  CHECK(phase(project, "job-web-b") == "Succeeded");
  const CommandResult broken = with("function(all) error 'no ' + all.target.namespace");
  CHECK(broken.exit_code == 1);
  CHECK_MESSAGE(status_message(project).find("template of item web") != std::string::npos,
                status_message(project));
  CHECK(phase(project, "job-web-b") == "Succeeded");
  REQUIRE(with("function(all) [{name: 'a', type: 'kubist.io/mock', config: {}}]").exit_code == 0);
  CHECK(phase(project, "job-web-a") == "Succeeded");
  CHECK(phase(project, "job-web-b") == "gone");
  Audit audit("home");
  CHECK(reconcile(world).exit_code == 0);
  CHECK(audit.writes(world.user()).empty());
}

TEST_CASE("execution: what a template cannot give is refused with its name") {
  World world("wrong");
  const std::string project = world.name();
  world.make_project(project);
  for (const auto& [source, message] : std::map<std::string, std::string>{
           {"function(all) 1", "gives no list of DeployItems"},
           {"function(all) [{name: 'A_b', type: 'kubist.io/mock'}]", "needs a name"},
           {"function(all) [{name: 'a', type: 'Templates'}]", "needs a type"},
           {"function(all) [{name: 'a', type: 'x/y', confg: {}}]", "did you mean \"config\""},
           {"function(all) [{name: 'a', type: 'x/y'}, {name: 'a', type: 'x/y'}]",
            "two DeployItems are named a"},
           {"function(all) [{name: 'a', type: 'x/y', dependsOn: ['b']}]",
            "depends on item b, which does not exist"},
           {"function(all) error 'the word is ' + all.imports.word", "the word is ***"}}) {
    CAPTURE(source);
    const Json imports = Json::array({{{"name", "word"}, {"value", "planted-secret"}}});
    put("home",
        {execution(project, Json::array({templates("web", source)}), {{"imports", imports}})});
    const CommandResult run = reconcile(world);
    CHECK(run.exit_code == 1);
    CHECK_MESSAGE(status_message(project).find(message) != std::string::npos,
                  status_message(project));
    CHECK((run.out + run.err + status_message(project)).find("planted") == std::string::npos);
  }
}

TEST_CASE("execution: an item imports what another one exports, and runs again when that changes") {
  World world("between");
  const std::string project = world.name();
  world.make_project(project);
  const std::string reader = R"(function(all) [{name: 'x', type: 'kubist.io/mock',
                                                config: {export: {seen: all.imports.port}}}])";
  const auto with = [&](int port, const std::string& key) {
    const Json imports =
        Json::array({{{"name", "port"}, {"itemRef", {{"name", "from"}, {"export", key}}}}});
    put("home",
        {execution(
            project,
            Json::array({templates("to", reader, {{"imports", imports}}),
                         mock("from", {{"export", {{"port", port}}}})}),
            {{"exports", Json::array({{{"name", "seen"}, {"item", "to"}, {"key", "x.seen"}}})}})});
    return reconcile(world);
  };
  REQUIRE(with(80, "x.port").exit_code == 0);
  CHECK(exports(project)["seen"] == 80);
  REQUIRE(with(81, "x.port").exit_code == 0);
  CHECK(exports(project)["seen"] == 81);
  CHECK(with(81, "x.prot").exit_code == 1);
  CHECK_MESSAGE(status_message(project).find("item from has no export x.prot") != std::string::npos,
                status_message(project));
}

TEST_CASE("execution: a manifest part of a template gets its imports, and their changes") {
  World world("values");
  const std::string project = world.name();
  world.make_project(project);
  const std::string source = R"(
local map(name, data) = { name: name, type: 'kubist.io/manifest', config: { manifests: [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: name }, data: data },
] } };
function(all) [
  map('page', { color: all.imports.color }),
  map('fixed', { as: 'it is' }),
  { name: 'told', type: 'kubist.io/mock', config: {} },
])";
  const auto first = [&](const std::string& color) {
    return object(
        "Execution", project, "first",
        {{"items", Json::array({mock("paint", {{"export", {{"color", color}}}})})},
         {"exports", Json::array({{{"name", "color"}, {"item", "paint"}, {"key", "x.color"}}})}});
  };
  const auto imported = [](const char* kind, const Json& from) {
    return Json{{"imports", Json::array({{{"name", "color"}, {kind, from}}})}};
  };
  const auto page = [&](const Json& of_execution, const Json& of_item) {
    return execution(project, Json::array({templates("web", source, of_item)}), of_execution);
  };
  const auto check = [&](const std::vector<Json>& objects, const std::string& color) {
    CAPTURE(color);
    put("home", objects);
    const CommandResult run = reconcile(world);
    REQUIRE_MESSAGE(run.exit_code == 0, run.out, run.err, status_message(project));
    const auto live = get("home", "configmap", "page", project);
    REQUIRE(live);
    CHECK((*live)["data"] == Json{{"color", color}});
  };
  check({page(imported("value", "blue"), Json::object())}, "blue");
  CHECK_FALSE(get("home", "secret", "job-web-page-import", project));
  CHECK(get("home", "secret", "job-web-told-import", project));

  Audit audit("home");
  check({page(imported("value", "green"), Json::object())}, "green");
  Words maps;
  for (const AuditedWrite& write : audit.writes(world.user())) {
    if (write.resource == "configmaps") {
      maps.push_back(cat(write.verb, " ", write.name));
    }
    CHECK_MESSAGE(write.name.find("job-web-fixed") == std::string::npos, write.to_string());
  }
  CHECK(maps == Words{"patch page"});
  {
    Audit quiet("home");
    CHECK(reconcile(world).exit_code == 0);
    CHECK(quiet.writes(world.user()).empty());
  }
  check({page(Json::object(), imported("value", "grey"))}, "grey");
  const Json of_first = imported("executionRef", {{"name", "first"}, {"export", "color"}});
  check({first("red"), page(of_first, Json::object())}, "red");
  check({first("white")}, "white");
}

TEST_CASE("execution: a failure stops its dependents, lets them go on, or rolls back") {
  World world("failure");
  const std::string project = world.name();
  world.make_project(project);
  const Json fails{{"phase", "Failed"}, {"message", "on purpose"}};
  const auto items = [&](const Json& bad, int version) {
    return Json::array({mock("bad", bad),
                        mock("after", Json::object(), {{"dependsOn", Json::array({"bad"})}}),
                        mock("other", {{"export", {{"v", version}}}})});
  };
  SUBCASE("stop dependents") {
    put("home", {execution(project, items(fails, 1))});
    CHECK(reconcile(world).exit_code == 1);
    CHECK(phase(project, "job-bad-x") == "Failed");
    CHECK(phase(project, "job-after-x") == "gone");
    CHECK(phase(project, "job-other-x") == "Succeeded");
    CHECK(status_message(project).find("on purpose") != std::string::npos);
    const auto item = get("home", k_items, "job-bad-x", project);
    CHECK(data::string_at(*item, {"status", "lastError", "message"}) == "on purpose");
    CHECK(data::string_at(*item, {"status", "firstError", "message"}) == "on purpose");
    CHECK((*item)["status"]["lastErrors"].size() == 1);
  }
  SUBCASE("keep going") {
    put("home", {execution(project, items(fails, 1), {{"onFailure", "KeepGoing"}})});
    CHECK(reconcile(world).exit_code == 1);
    CHECK(phase(project, "job-after-x") == "Succeeded");
    CHECK(phase(project, "job-bad-x") == "Failed");
  }
  SUBCASE("roll back") {
    const Json back{{"onFailure", "RollBack"}};
    put("home", {execution(project, items(Json::object(), 1), back)});
    REQUIRE(reconcile(world).exit_code == 0);
    CHECK(exports(project, "job-other-x-export")["v"] == 1);
    // The failure comes last, so that there is something to take back.
    Json changed = items(fails, 2);
    changed[0]["dependsOn"] = Json::array({"other", "new"});
    changed.push_back(mock("new", Json::object()));
    put("home", {execution(project, changed, back)});
    const CommandResult run = reconcile(world);
    CHECK(run.exit_code == 4);
    CHECK_MESSAGE(status_message(project).find("RolledBack") == 0, status_message(project));
    CHECK(exports(project, "job-other-x-export")["v"] == 1);
    CHECK(phase(project, "job-bad-x") == "Succeeded");
    CHECK(phase(project, "job-after-x") == "Succeeded");
    CHECK(phase(project, "job-new-x") == "gone");

    Audit audit("home");
    CHECK(reconcile(world).exit_code == 4);  // not tried again as it is
    CHECK(audit.writes(world.user()).empty());
    put("home", {execution(project, items(Json::object(), 3), back)});
    const CommandResult mended = reconcile(world);
    CHECK_MESSAGE(mended.exit_code == 0, mended.out, mended.err);
    CHECK(exports(project, "job-other-x-export")["v"] == 3);
  }
}

TEST_CASE("execution: a rollback removes nothing that had succeeded before it was asked for") {
  World world("healthy");
  const std::string project = world.name();
  world.make_project(project);
  const Json fails{{"phase", "Failed"}, {"message", "on purpose"}};
  const auto reconcile_with = [&](int version, const Json& last, const Json& more) {
    const Json parts = Json::array({{{"name", "a"}, {"config", {{"export", {{"v", version}}}}}},
                                    {{"name", "b"}, {"config", last}, {"dependsOn", {"a"}}}});
    const std::string source =
        cat("function(all) [p + {type: 'kubist.io/mock'} for p in ", parts.dump(), "]");
    put("home", {execution(project, Json::array({templates("web", source)}), more)});
    return reconcile(world);
  };
  const auto rollback = [&] {
    return (*get("home", "executions.kubist.io", "job", project))["status"].value("rollback",
                                                                                  Json());
  };
  const Json back{{"onFailure", "RollBack"}};
  REQUIRE(reconcile_with(1, Json::object(), Json::object()).exit_code == 0);
  const CommandResult edit = reconcile_with(2, fails, back);
  CHECK_MESSAGE(edit.exit_code == 1, edit.out, edit.err);
  CHECK(phase(project, "job-web-a") == "Succeeded");
  CHECK(phase(project, "job-web-b") == "Failed");
  CHECK(exports(project, "job-web-a-export")["v"] == 2);
  CHECK_MESSAGE(
      status_message(project).find(
          "nothing was rolled back or removed: no earlier success of web/a, web/b is "
          "recorded to return to. Repair what failed and reconcile again") != std::string::npos,
      status_message(project));
  CHECK(rollback()["recorded"] == false);
  const auto found = get("home", "executions.kubist.io", "job", project);
  for (const Json& item : (*found)["status"]["items"]) {
    CHECK_MESSAGE(item["hasSucceeded"] == true, item.dump());
  }
  // As it says: once there was a success, there is something to return to.
  REQUIRE(reconcile_with(3, Json::object(), back).exit_code == 0);
  CHECK(rollback() == Json{{"recorded", true}});
  CHECK(reconcile_with(4, fails, back).exit_code != 0);
  CHECK_MESSAGE(status_message(project).find("RolledBack") == 0, status_message(project));
  CHECK(exports(project, "job-web-a-export")["v"] == 3);
  CHECK(phase(project, "job-web-b") == "Succeeded");
  // What succeeded without RollBack is newer than what is recorded.
  REQUIRE(reconcile_with(5, Json::object(), Json::object()).exit_code == 0);
  CHECK(rollback() == Json{{"recorded", false}});
  CHECK(reconcile_with(6, fails, back).exit_code == 1);
  CHECK(exports(project, "job-web-a-export")["v"] == 6);
}

TEST_CASE("execution: while one run waits, others see for what") {
  World world("waits");
  const std::string project = world.name();
  world.make_project(project);
  const Json nowhere =
      yaml(R"({apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {
    selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {
      nodeSelector: {kubist.io/test: nowhere}, containers: [{name: c, image: "localhost/pause:1"}]}}}})");
  const std::string source =
      cat("function(all) [{name: 'x', type: 'kubist.io/manifest', config: {manifests: [",
          nowhere.dump(), "]}}]");
  put("home", {object("Cluster", project, "home", {{"home", true}}),
               virtual_cluster(project, "dev", "home", world.name("dev")),
               execution(project, Json::array({templates("web", source)}),
                         {{"virtualClusterRef", {{"name", "dev"}}}})});
  Background run({"reconcile", "Project/" + project});
  const auto tree = [&] { return must(run_kubist({"tree", "-n", project})); };
  CHECK_MESSAGE(eventually([&] {
                  return tree().find("Progressing  waiting for Deployment") != std::string::npos;
                }),
                tree(), run.output());
  run.signal(SIGTERM);
  CHECK_MESSAGE(run.wait(20) == 143, run.output());
}

TEST_CASE("execution: items go in the reverse of their order") {
  World world("backwards");
  const std::string project = world.name();
  world.make_project(project);
  put("home",
      {execution(project,
                 Json::array({mock("a", Json::object()),
                              mock("b", Json::object(), {{"dependsOn", Json::array({"a"})}}),
                              mock("c", Json::object(), {{"dependsOn", Json::array({"b"})}})}))});
  REQUIRE(reconcile(world).exit_code == 0);
  Audit audit("home");
  const CommandResult run =
      run_kubist(world.as_user({"delete", "execution", "job", "-n", project, "--timeout=60s"}));
  REQUIRE_MESSAGE(run.exit_code == 0, run.out, run.err);
  std::vector<std::string> order;
  for (const AuditedWrite& write : audit.writes(world.user())) {
    if (write.verb == "delete" && write.resource == "deployitems") {
      order.push_back(write.name);
    }
  }
  CHECK(order == Words{"job-c-x", "job-b-x", "job-a-x"});
}
