// DeployItems that stand by themselves, by name, and of types that nobody takes up.
#include <doctest/doctest.h>

#include <kubist/util/fs.hpp>

#include "execution_support.hpp"

using namespace it::executions;
using namespace it;

TEST_CASE("deployitem: one that stands alone is part of the tree") {
  World world("alone");
  const std::string project = world.name();
  world.make_project(project);
  Json item{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
            {"kind", "DeployItem"},
            {"metadata", {{"name", "one"}, {"namespace", project}}},
            {"spec", {{"type", "kubist.io/mock"}, {"config", {{"export", {{"n", 1}}}}}}}};
  put("home", {item});
  const CommandResult run = reconcile(world);
  REQUIRE_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(phase(project, "one") == "Succeeded");
  CHECK(condition(get("home", "kproj", project), "TreeReady") == "True");
  CHECK(must(run_kubist({"tree", "Project/" + project})).find("DeployItem/one") !=
        std::string::npos);
  {
    Audit audit("home");
    CHECK(reconcile(world).exit_code == 0);
    CHECK(audit.writes(world.user()).empty());
  }
  const auto job = [&] {
    return std::string(
        data::string_at(*get("home", k_items, "one", project), {"status", "jobIDFinished"}));
  };
  const std::string first = job();
  must(kubectl("home",
               {"annotate", k_items, "one", "-n", project, "kubist.io/request=reconcile@1"}));
  CHECK(reconcile(world).exit_code == 0);
  const std::string second = job();
  CHECK(second != first);
  CHECK(data::string_at(*get("home", k_items, "one", project),
                        {"status", "handledRequest", "request"}) == "reconcile@1");
  must(kubectl("home", {"annotate", k_items, "one", "-n", project,
                        "landscaper.gardener.cloud/operation=reconcile"}));
  CHECK(reconcile(world).exit_code == 0);
  CHECK(job() != second);
  CHECK(!(*get("home", k_items, "one", project))["metadata"]["annotations"].contains(
      "landscaper.gardener.cloud/operation"));
  {
    Audit audit("home");
    CHECK(reconcile(world).exit_code == 0);
    CHECK(audit.writes(world.user()).empty());
  }
  item["spec"]["config"] = {{"phase", "Failed"}};
  put("home", {item});
  CHECK(reconcile(world).exit_code == 1);
  CHECK(
      eventually([&] { return condition(get("home", "kproj", project), "TreeReady") == "False"; }));
  must(kubectl("home", {"delete", k_items, "one", "-n", project, "--wait=false"}));
  CHECK(reconcile(world).exit_code == 0);
  CHECK(phase(project, "one") == "gone");
}

TEST_CASE("deployitem: a type that nobody takes up is waited for no longer than told" *
          doctest::description("seed 2.13: an item of a template, done by its own deployer")) {
  World world("foreign");
  const std::string project = world.name();
  world.make_project(project);
  put("home",
      {execution(project,
                 Json::array({templates("web",
                                        "function(all) [{name: 'x', type: 'example.com/other', "
                                        "config: {}}]")}))});
  Background run({"reconcile", "Project/" + project, "--timeout=60s"});
  REQUIRE(eventually([&] {
    const auto item = get("home", k_items, "job-web-x", project);
    return item && !data::string_at(*item, {"status", "jobID"}).empty();
  }));
  // Its deployer, by the handshake.
  const std::string job(
      data::string_at(*get("home", k_items, "job-web-x", project), {"status", "jobID"}));
  must(kubectl(
      "home",
      {"patch", k_items, "job-web-x", "-n", project, "--subresource=status", "--type=merge", "-p",
       Json{{"status", {{"phase", "Succeeded"}, {"jobIDFinished", job}, {"observedGeneration", 1}}}}
           .dump()}));
  CHECK(run.wait(30) == 0);
}

TEST_CASE("deployitem: reconcile and exports by name") {
  World world("named");
  const std::string project = world.name();
  world.make_project(project);
  put("home", {Json{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                    {"kind", "DeployItem"},
                    {"metadata", {{"name", "one"}, {"namespace", project}}},
                    {"spec",
                     {{"type", "kubist.io/mock"},
                      {"exports", Json::array({{{"name", "shown"}, {"public", true}}})},
                      {"config", {{"export", {{"shown", "it's"}, {"hid-den", "secret"}}}}}}}}});
  const Words here{"-n", project};
  const auto item = [&](Words words) {
    words.insert(words.begin(), "deployitem");
    words.insert(words.end(), here.begin(), here.end());
    return run_kubist(words);
  };
  CHECK(item({"reconcile", "one"}).out == "deployitem/one succeeded\n");
  CHECK(item({"reconcile", "one"}).out == "deployitem/one unchanged\n");
  CHECK(item({"reconcile", "one", "--force"}).out == "deployitem/one succeeded\n");
  CHECK(item({"reconcile", "two"}).exit_code == 1);
  CHECK(item({"interrupt", "one"}).out == "deployitem/one unchanged\n");
  CHECK(item({"exports", "one"}).out == "hid-den: '***'\nshown: it's\n");
  CHECK(item({"exports", "one", "--show"}).out == "hid-den: secret\nshown: it's\n");
  CHECK(item({"exports", "one", "-o", "env"}).out == "hid_den='secret'\nshown='it'\\''s'\n");
  const CommandResult typo = item({"exports", "one", "show"});
  CHECK(typo.exit_code == 1);
  CHECK(typo.err.find("did you mean \"shown\"") != std::string::npos);
  Json other{{"apiVersion", "v1"},
             {"kind", "Secret"},
             {"metadata", {{"name", "other"}, {"namespace", project}}},
             {"stringData", {{"config", "secret: word"}}}};
  const auto point_to = [&](const Json& secret) {
    must(kubectl("home",
                 {"patch", k_items, "one", "-n", project, "--subresource=status", "--type=merge",
                  "-p", Json{{"status", {{"exports", {{"secretRef", secret}}}}}}.dump()}));
  };
  const Json named =
      get("home", k_items, "one", project)->at("status").at("exports").at("secretRef");
  for (const Json& mark : {Json{{"labels", {{"kubist.io/internal", "true"}}}},
                           Json{{"annotations", {{"kubist.io/deployitem", project + "/two"}}}}}) {
    remove("home", "secret", "other", project);
    Json marked = other;
    marked["metadata"].update(mark);
    put("home", {marked});
    point_to({{"name", "other"}});
    const CommandResult refused = item({"exports", "one", "--show"});
    CHECK(refused.exit_code != 0);
    CHECK(refused.err.find("does not hold exports of it") != std::string::npos);
    CHECK((refused.out + refused.err).find("word") == std::string::npos);
  }
  point_to(named);
  const kubist::util::TempDir folder("exports");
  const std::string out = (folder.path() / "out").string();
  CHECK(item({"exports", "one", "--files", out}).exit_code == 0);
  CHECK(kubist::util::read_file(folder.path() / "out" / "shown").value_or("") == "it's");
  CHECK(item({"delete", "one"}).exit_code == 0);
  CHECK(phase(project, "one") == "gone");
}
