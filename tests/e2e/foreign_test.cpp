// An API server on which somebody else installed the DeployItem kind: upstream's fields, and only
// kubist's own types.
#include <set>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/support.hpp"
#include "support/paths.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

/// An API server on which somebody else installed the DeployItem kind; kubist's home there.
class ForeignHome {
 public:
  ForeignHome() {
    clean();
    must(ctl(
        {"apply", "-f", kubist::paths::source_dir() + "/tests/data/crds/foreign_deployitem.yaml"}));
  }
  ~ForeignHome() { clean(); }
  ForeignHome(const ForeignHome&) = delete;
  ForeignHome& operator=(const ForeignHome&) = delete;
  CommandResult own(Words args) const {
    args.insert(args.end(), {"--kubeconfig", kubeconfig("target2")});
    return run_kubist(args);
  }
  CommandResult ctl(const Words& args) const { return kubectl("target2", args); }

 private:
  void clean() const {
    own({"uninstall", "--force"});
    ctl({"delete", "crd", "deployitems.landscaper.gardener.cloud", "--ignore-not-found"});
  }
};

std::set<std::string> fields_of(const Json& object) {
  std::set<std::string> fields;
  for (const auto& [field, value] : object.items()) {
    fields.insert(field);
  }
  return fields;
}

Json foreign_item(const std::string& ns, const std::string& name, const std::string& type) {
  return {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
          {"kind", "DeployItem"},
          {"metadata", {{"name", name}, {"namespace", ns}}},
          {"spec", {{"type", type}}}};
}

Json script(const std::string& name, const std::string& text) {
  return {{"name", name}, {"type", "Script"}, {"image", "localhost/busybox:1"}, {"script", text}};
}

/// State, imports of Secrets and of other items, requests, failures and interrupts, with the fields
/// of the foreign kind alone.
void check_items(const ForeignHome& home, const std::string& project) {
  const auto status = [&](const std::string& item) {
    return get("target2", "di", item, project)->value("status", Json());
  };
  const Json make{
      {"name", "make"},
      {"type", "Container"},
      {"image", "localhost/busybox:1"},
      {"command",
       {"sh", "-c",
        "grep -q planted $IMPORTS_PATH && n=$(cat $STATE/n 2> /dev/null || echo 0)\n"
        "echo $((n + 1)) > $STATE/n; echo \"made: $(cat $STATE/n)\" > $EXPORT_PATH"}},
      {"imports", Json::array({{{"name", "password"},
                                {"secretRef", {{"name", "given"}, {"key", "value"}}}}})}};
  Json use = script("use", "echo \"used: $(cat $IMPORTS_PATH)\" > $EXPORT_PATH");
  use.update({{"timeout", "5m"},
              {"updateOnChangeOnly", true},
              {"exportSchema", {{"type", "object"}, {"required", Json::array({"used"})}}},
              {"imports", Json::array({{{"name", "made"},
                                        {"itemRef", {{"name", "make"}, {"export", "made"}}}}})}});
  const Json target{{"name", "dev"}};
  put("target2",
      {secret(project, "given", "planted"),
       object(
           "Execution", project, "all",
           {{"virtualClusterRef", target},
            {"items", {make, use}},
            {"exports", Json::array({{{"name", "used"}, {"item", "use"}, {"public", true}}})}})});
  const auto used = [&] {
    return Json(get("target2", "executions.kubist.io", "all", project)
                    ->at("status")["exports"]["value"]["used"])
        .dump();
  };
  const Words reconcile{"reconcile", "Project/" + project, "--timeout=120s"};
  const CommandResult first = home.own(reconcile);
  CHECK_MESSAGE(first.exit_code == 0, first.out, first.err);
  CHECK_MESSAGE(used().find("1") != std::string::npos, used());

  // A person's request runs the item again, and then the one that imports what is new.
  must(home.ctl({"annotate", "di", "all-make", "-n", project, "kubist.io/request=reconcile@7"}));
  const CommandResult asked = home.own(reconcile);
  CHECK_MESSAGE(asked.exit_code == 0, asked.out, asked.err);
  CHECK(data::string_at(status("all-make"), {"providerStatus", "handledRequest", "request"}) ==
        "reconcile@7");
  CHECK_FALSE(status("all-make").contains("handledRequest"));
  CHECK_MESSAGE(used().find("2") != std::string::npos, used());

  const Json bad =
      script("bad", "echo why >&2; test -e $STATE/x && sleep 600; touch $STATE/x; exit 3");
  put("target2", {object("Execution", project, "bad",
                         {{"virtualClusterRef", target}, {"items", Json::array({bad})}})});
  const CommandResult failing = home.own(reconcile);
  CHECK_MESSAGE(failing.exit_code == 1, failing.out, failing.err);
  const Json failed = status("bad-bad");
  CHECK(failed["phase"] == "Failed");
  CHECK(failed["lastError"]["reason"] == "WorkloadFailed");
  CHECK(failed["lastError"]["operation"] == "RunWorkload");
  CHECK(failed["firstError"] == failed["lastError"]);
  CHECK(failed["lastErrors"].size() == 1);
  CHECK(must(home.own({"deployitem", "logs", "bad-bad", "-n", project})) == "why\n");

  {
    Background driver({"deployitem", "reconcile", "bad-bad", "-n", project, "--force",
                       "--kubeconfig", kubeconfig("target2")});
    REQUIRE(eventually(
        [&] {
          return status("bad-bad").dump().find("waiting for the workload") != std::string::npos &&
                 home.own({"deployitem", "logs", "bad-bad", "-n", project}).out == "why\n";
        },
        60));
    must(home.own({"deployitem", "interrupt", "bad-bad", "-n", project, "--timeout=60s"}));
    CHECK_MESSAGE(driver.wait(60) == 1, driver.output());
    CHECK(status("bad-bad")["lastError"]["reason"] == "Interrupted");
  }
  must(home.ctl({"delete", "executions.kubist.io", "bad", "-n", project, "--wait=false"}));
  const CommandResult pruned =
      home.own({"reconcile", "Project/" + project, "--timeout=120s", "--without-uninstall"});
  CHECK_MESSAGE(pruned.exit_code == 0, pruned.out, pruned.err);
  CHECK(!get("target2", "di", "bad-bad", project));
}

}  // namespace

TEST_CASE("foreign DeployItem kind: left alone, its own fields are used, others' items too" *
          doctest::description("seed 2.3: other deployers")) {
  World world("foreign");
  const ForeignHome home;
  const std::string project = world.name();
  const CommandResult init = home.own({"init"});
  REQUIRE(init.exit_code == 0);
  CHECK(init.out.find("deployitems.landscaper.gardener.cloud kept: somebody else") !=
        std::string::npos);

  put("target2", {object("Project", "", project, Json::object())});
  must(home.own({"reconcile", "Project/" + project}));
  put("target2",
      {secret(project, "work", world.token_kubeconfig("home").first),
       object("Cluster", project, "work", {{"kubeconfigSecretRef", {{"name", "work"}}}}),
       virtual_cluster(project, "dev", "work", world.name("dev")),
       foreign_item(project, "theirs", "landscaper.gardener.cloud/mock"),
       foreign_item(project, "early", "script"),
       object("Execution", project, "run",
              {{"virtualClusterRef", {{"name", "dev"}}},
               {"imports", Json::array({{{"name", "who"}, {"value", "world"}}})},
               {"items",
                Json::array({script("run", "cat $IMPORTS_PATH; echo 'a: 1' > $EXPORT_PATH")})},
               {"exports", Json::array({{{"name", "a"}, {"item", "run"}, {"public", true}}})}})});
  const auto theirs = get("target2", "di", "theirs", project);
  const auto early = get("target2", "di", "early", project);
  const CommandResult run = home.own({"reconcile", "Project/" + project, "--timeout=120s"});
  REQUIRE_MESSAGE(run.exit_code == 0, run.out, run.err);
  const auto done = get("target2", "executions.kubist.io", "run", project);
  CHECK(message(done, "Ready").find("somebody else installed the DeployItem kind") !=
        std::string::npos);
  CHECK(data::int_at(*done, {"status", "exports", "value", "a"}) == 1);

  const Json item = *get("target2", "di", "run-run", project);
  CHECK(fields_of(item["spec"]) == std::set<std::string>{"config", "target", "type"});
  CHECK(item["spec"]["target"] == Json{{"name", "dev"}, {"namespace", project}});
  CHECK(item["status"]["phase"] == "Succeeded");
  CHECK(item["status"]["jobIDFinished"] == item["status"]["jobID"]);
  for (const char* field : {"exports", "exportGeneration"}) {
    CHECK_FALSE(item["status"].contains(field));
    CHECK(item["status"]["providerStatus"].contains(field));
  }
  CHECK(
      must(home.own({"deployitem", "exports", "run-run", "--show", "-n", project})).find("a: 1") !=
      std::string::npos);
  CHECK(get("target2", "di", "theirs", project) == theirs);
  CHECK(get("target2", "di", "early", project) == early);

  const Json before = *get("target2", "di", "run-run", project);
  const CommandResult again = home.own({"reconcile", "Project/" + project});
  CHECK_MESSAGE(again.exit_code == 0, again.out, again.err);
  CHECK(again.out.find("; 0 writes") != std::string::npos);
  CHECK(*get("target2", "di", "run-run", project) == before);

  check_items(home, project);

  must(home.ctl({"delete", "kproj", project, "--wait=false"}));
  const CommandResult gone = home.own({"reconcile", "Project/" + project, "--timeout=120s"});
  CHECK_MESSAGE(gone.exit_code == 0, gone.out, gone.err);
  CHECK(!get("target2", "kproj", project));
  CHECK(home.own({"uninstall"}).out.find("deployitems.landscaper.gardener.cloud kept") !=
        std::string::npos);
}
