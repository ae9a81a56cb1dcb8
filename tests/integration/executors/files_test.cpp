// `kubist reconcile -f`: apply, then the subtree.
#include <cstdlib>

#include <doctest/doctest.h>

#include "support.hpp"
#include "support/broken_inputs.hpp"

namespace {

using namespace it;

std::string in_file(const kubist::util::TempDir& folder, const std::vector<Json>& objects) {
  std::string text;
  for (const Json& one : objects) {
    text += one.dump() + "\n---\n";
  }
  const std::string file = folder.path() / "all.yaml";
  REQUIRE(kubist::util::write_file(file, text));
  return file;
}

std::vector<Json> environment(const World& world) {
  return {object("Project", "", world.name(), Json::object()),
          object("Cluster", world.name(), "home", {{"home", true}}),
          virtual_cluster(world.name(), "dev", "home", world.name("dev"), in_the_mesh())};
}

}  // namespace

TEST_CASE("reconcile -f: applies and reconciles in one go; the second time writes nothing") {
  World world("apply");
  kubist::util::TempDir folder("reconcile");
  const std::string file = in_file(folder, environment(world));
  const CommandResult first = run_kubist(world.as_user({"reconcile", "-f", file}));
  CHECK_MESSAGE(first.exit_code == 0, first.out, first.err);
  CHECK(first.out.find(kubist::util::cat("namespace/", world.name(), " created\n")) == 0);
  CHECK(first.out.find("virtualcluster.kubist.io/dev created") != std::string::npos);
  CHECK(first.out.find("3 nodes: 3 ready") != std::string::npos);
  CHECK(get("home", "namespace", world.name("dev")).has_value());

  Audit audit("home");
  const CommandResult second =
      run_kubist(world.as_user({"reconcile", "-f", file, "--report", "json"}));
  CHECK_MESSAGE(second.exit_code == 0, second.out, second.err);
  CHECK(Json::parse(second.out)["summary"]["writes"] == 0);  // the report, and nothing else
  std::size_t reads = 0;
  CHECK(audit.writes(world.user(), &reads).empty());
  CHECK(reads > 5);
}

TEST_CASE("reconcile -f: its reports have file and line of each resource and of other objects") {
  World world("report");
  kubist::util::TempDir folder("reconcile");
  auto objects = environment(world);
  objects.push_back(
      virtual_cluster(world.name(), "refused", "home", "kube-system", Json::object()));
  objects.push_back({{"apiVersion", "v1"},
                     {"kind", "ConfigMap"},
                     {"metadata", {{"name", "plain"}, {"namespace", world.name()}}}});
  const std::string file = in_file(folder, objects);  // two lines an object
  const std::string junit = folder.path() / "junit";
  std::vector<std::string> words{"reconcile", "-f", file, "--report=json"};
  for (const char* form : {"junit", "sarif", "github", "gitlab"}) {
    words.push_back(kubist::util::cat("--report=", form, '=', (folder.path() / form).string()));
  }
  const CommandResult run = run_kubist(world.as_user(words));
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  const auto report = kubist::util::read_file(junit);
  REQUIRE(report);
  CAPTURE(*report);
  CHECK(report->find("tests=\"6\" failures=\"1\"") != std::string::npos);
  const auto line = [&](const std::string& name) {
    const std::size_t at = report->find("name=\"" + name + '"');
    REQUIRE(at != std::string::npos);
    const std::size_t place = report->find("file=\"" + file + "\" line=\"", at);
    return std::atoi(report->c_str() + report->find("line=\"", place) + 6);
  };
  CHECK(line("Project/" + world.name()) == 1);
  CHECK(line("Cluster/" + world.name() + "/home") == 3);
  CHECK(line("VirtualCluster/" + world.name() + "/refused") == 7);
  CHECK(line("configmap/plain") == 9);
  for (const char* form : {"sarif", "github", "gitlab"}) {
    const auto text = kubist::util::read_file(folder.path() / form);
    REQUIRE(text);
    CAPTURE(*text);
    const auto places = kubist::testing::places_in(form, *text);
    REQUIRE(places.size() == 1);
    CHECK(std::get<0>(places[0]).ends_with(file));
    CHECK(std::get<1>(places[0]) == 7);
    CHECK(std::get<2>(places[0]) == 1);
  }
  const Json document = Json::parse(run.out);
  CHECK(document["nodes"][0]["line"] == 1);
  CHECK(document["nodes"][0]["children"][0]["line"] == 3);
  CHECK(document["applied"].size() == 6);  // with the project's namespace
}

TEST_CASE("reconcile -f: the dry run of a new environment is green where it would work") {
  World world("fresh");
  const std::string project = world.name();
  kubist::util::TempDir folder("reconcile");
  const auto execution = [&](const char* name, const Json& import, const Json& exports) {
    return object("Execution", project, name,
                  {{"virtualClusterRef", {{"name", "dev"}}},
                   {"imports", Json::array({import})},
                   {"exports", exports},
                   {"items", Json::array({{{"name", "run"},
                                           {"type", "Templates"},
                                           {"template",
                                            "function(all) [{name: 'x', type: 'kubist.io/mock', "
                                            "config: {export: {color: all.imports.given}}}]"}}})}});
  };
  const auto dry_run = [&](const char* key, const char* exported) {
    std::vector<Json> objects = environment(world);
    Json password = kubist::testing::plain("Secret", project, "db");
    password["stringData"] = {{"password", "secret-value"}};
    objects.push_back(password);
    objects.push_back(
        execution("first", {{"name", "given"}, {"secretRef", {{"name", "db"}, {"key", key}}}},
                  Json::array({{{"name", "color"}, {"item", "run"}, {"key", "x.color"}}})));
    objects.push_back(execution(
        "second", {{"name", "given"}, {"executionRef", {{"name", "first"}, {"export", exported}}}},
        Json::array()));
    return run_kubist(
        world.as_user({"reconcile", "-f", in_file(folder, objects), "--dry-run=server"}));
  };
  Audit audit("home");
  const CommandResult green = dry_run("password", "color");
  CHECK_MESSAGE(green.exit_code == 0, green.out, green.err);
  CHECK(green.out.find("5 nodes: 5 ready") != std::string::npos);
  CHECK(green.out.find("import given: known when Execution " + project + "/first has run") !=
        std::string::npos);
  CHECK((green.out + green.err).find("secret-value") == std::string::npos);
  const CommandResult key = dry_run("nothing", "color");
  CHECK_MESSAGE(key.exit_code == 1, key.out, key.err);
  CHECK(key.out.find("Secret " + project + "/db has no key nothing") != std::string::npos);
  const CommandResult name = dry_run("password", "colour");
  CHECK_MESSAGE(name.exit_code == 1, name.out, name.err);
  CHECK_MESSAGE(name.out.find("has exported nothing yet") != std::string::npos, name.out);
  CHECK(audit.writes(world.user()).empty());
  CHECK(!get("home", "namespace", project));
}

TEST_CASE("reconcile -f: takes only the subtree of what is in the files") {
  World world("subtree");
  world.make_project(world.name());
  put("home", {object("Cluster", world.name(), "home", {{"home", true}}),
               virtual_cluster(world.name(), "other", "home", world.name("other"))});
  must(run_kubist({"reconcile", "Cluster/home", "-n", world.name()}));
  kubist::util::TempDir folder("reconcile");
  const std::string file =
      in_file(folder, {virtual_cluster(world.name(), "dev", "home", world.name("dev"))});
  const CommandResult run = run_kubist({"reconcile", "-f", file});
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(run.out.find("1 nodes: 1 ready") != std::string::npos);
  CHECK(get("home", "namespace", world.name("dev")).has_value());
  CHECK(run_kubist({"reconcile", "-f", file, "Project/x"}).exit_code == 64);
}

TEST_CASE("reconcile -f: dry runs show what new and changed files would do, and write nothing") {
  World world("plan");
  kubist::util::TempDir folder("reconcile");
  auto objects = environment(world);
  const std::string file = in_file(folder, objects);
  for (const std::string mode : {"client", "server"}) {
    CAPTURE(mode);
    Audit audit("home");
    const CommandResult run =
        run_kubist(world.as_user({"reconcile", "-f", file, "--dry-run=" + mode}));
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
    CHECK(run.out.find("3 nodes: 3 ready") != std::string::npos);
    CHECK(audit.writes(world.user()).empty());
  }
  CHECK(!get("home", "namespace", world.name()));
  must(run_kubist({"reconcile", "-f", file}));

  objects[2]["spec"]["labels"] = {{"stage", "new"}};
  in_file(folder, objects);
  Audit audit("home");
  const CommandResult run =
      run_kubist(world.as_user({"reconcile", "-f", file, "--dry-run=server", "--report=json"}));
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  bool planned = false;
  for (const Json& write : Json::parse(run.out)["nodes"][0]["children"][0]["children"][0].value(
           "writes", Json::array())) {
    planned = planned || write["object"] == "v1 Namespace/" + world.name("dev");
  }
  CHECK_MESSAGE(planned, run.out);
  CHECK(audit.writes(world.user()).empty());
}

TEST_CASE("reconcile -f: wrong input writes nothing and reconciles nothing") {
  World world("wrong");
  kubist::util::TempDir folder("reconcile");
  auto objects = environment(world);
  objects[2]["spec"]["clusterRef"]["name"] = "nowhere";
  Audit audit("home");
  const CommandResult run =
      run_kubist(world.as_user({"reconcile", "-f", in_file(folder, objects)}));
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  CHECK(run.err.find("all.yaml:") != std::string::npos);
  CHECK(audit.writes(world.user()).empty());
  CHECK(!get("home", "kproj", world.name()));
}

TEST_CASE("detailed exit code: 2 while files or the tree would change something, and 0 after") {
  World world("detailed");
  kubist::util::TempDir folder("reconcile");
  const std::string file = in_file(folder, environment(world));
  const auto code = [&](Words words) {
    words.insert(words.end(), {"--dry-run=server", "--detailed-exitcode"});
    const CommandResult run = run_kubist(words);
    INFO(run.out, run.err);
    return run.exit_code;
  };
  const Words tree{"reconcile", "project", world.name()};
  CHECK(code({"apply", "-f", file}) == 2);
  CHECK(code({"reconcile", "-f", file}) == 2);
  must(run_kubist({"apply", "-f", file}));
  CHECK(code({"apply", "-f", file}) == 0);
  CHECK(code(tree) == 2);
  must(run_kubist({"reconcile", "-f", file}));
  CHECK(code({"reconcile", "-f", file}) == 0);
  CHECK(code(tree) == 0);
  must(kubectl("home", {"label", "namespace", world.name("dev"), "istio-injection-"}));
  CHECK(code(tree) == 2);  // drift
  CHECK(code({"delete", "project", world.name()}) == 2);
  CHECK(code({"delete", "-f", file, "--ignore-not-found"}) == 2);
  must(run_kubist({"delete", "-f", file}));
  CHECK(code({"delete", "-f", file, "--ignore-not-found"}) == 0);
  CHECK(code({"delete", "project", world.name()}) == 1);
}
