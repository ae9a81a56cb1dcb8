// DeployItems and Executions in real pods, by the commands that people use.
#include <algorithm>

#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/support.hpp"
#include "support/paths.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

constexpr const char* k_image = "localhost/busybox:1";

Json script(const std::string& name, const std::string& text, Json more = Json::object()) {
  Json item{{"name", name}, {"type", "Script"}, {"image", k_image}, {"script", text}};
  item.update(more);
  return item;
}

Json deploy_item(const std::string& ns, const std::string& name, Json spec) {
  return {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
          {"kind", "DeployItem"},
          {"metadata", {{"name", name}, {"namespace", ns}}},
          {"spec", std::move(spec)}};
}

CommandResult item(const World& world, const std::string& verb, Words words) {
  words.insert(words.begin(), {"deployitem", verb});
  words.insert(words.end(), {"-n", world.name()});
  return run_kubist(words);
}

std::string at(const Json& object, std::initializer_list<std::string_view> path) {
  return std::string(data::string_at(object, path));
}

bool has_no_pods(const std::string& ns) { return list("home", "pods", ns).empty(); }

}  // namespace

TEST_CASE("items: twenty in a diamond run in order, as wide as they can, and once") {
  World world("diamond");
  const std::string project = world.name();
  world.make_project(project);
  Json items = Json::array({script("top", "echo 'n: 1' > $EXPORT_PATH")});
  Json middle = Json::array();
  for (int i = 0; i < 18; ++i) {  // more than the 16 that work at a time
    middle.push_back(cat("m", i));
    items.push_back(script(middle.back(), "exit 0", {{"dependsOn", Json::array({"top"})}}));
  }
  items.push_back(script("bottom", "exit 0", {{"dependsOn", middle}}));
  put("home", {object("Execution", project, "job", {{"items", items}})});
  Audit audit("home");
  const CommandResult run =
      run_kubist(world.as_user({"reconcile", "Project/" + project, "--timeout=400s"}));
  REQUIRE_MESSAGE(run.exit_code == 0, run.out, run.err);
  Words pods;
  for (const AuditedWrite& write : audit.writes(world.user())) {
    if (write.resource == "pods" && write.verb == "create" && write.subresource.empty()) {
      pods.push_back(write.name);
    }
  }
  const auto pod_of = [&](const std::string& name) {
    return at(*get("home", k_items, "job-" + name, project), {"status", "providerStatus", "pod"});
  };
  REQUIRE(pods.size() == 20);
  CHECK(pods.front() == pod_of("top"));
  CHECK(pods.back() == pod_of("bottom"));
  CHECK(at(*get("home", "executions.kubist.io", "job", project), {"status", "progress"}) ==
        "20/20");
  Audit again("home");
  CHECK(run_kubist(world.as_user({"reconcile", "Project/" + project})).exit_code == 0);
  CHECK(again.writes(world.user()).empty());
}

TEST_CASE("items: an edit that asks for RollBack and fails leaves what was Ready where it is") {
  World world("unrecorded");
  const std::string project = world.name();
  world.make_project(project);
  const auto reconcile_with = [&](const std::string& a, const std::string& b, const Json& more) {
    Json spec{{"items", Json::array({script("a", a), script("b", b, {{"dependsOn", {"a"}}})})}};
    spec.update(more);
    put("home", {object("Execution", project, "job", spec)});
    return run_kubist({"reconcile", "Project/" + project, "--timeout=120s"});
  };
  REQUIRE(reconcile_with("echo 1", "echo 1", Json::object()).exit_code == 0);
  const CommandResult edit = reconcile_with("echo 2", "exit 3", {{"onFailure", "RollBack"}});
  CHECK_MESSAGE(edit.exit_code == 1, edit.out, edit.err);
  const auto execution = get("home", "executions.kubist.io", "job", project);
  CHECK(reason(execution, "Ready") == "WorkloadFailed");
  CHECK_MESSAGE(message(execution, "Ready")
                        .find("nothing was rolled back or removed: no earlier "
                              "success of a, b is recorded") != std::string::npos,
                message(execution, "Ready"));
  for (const char* name : {"job-a", "job-b"}) {
    const auto live = get("home", k_items, name, project);
    REQUIRE_MESSAGE(live, name);
    CHECK_FALSE((*live)["metadata"].contains("deletionTimestamp"));
  }
}

TEST_CASE("items: landscaper's counter grows by one with each run that is forced") {
  World world("counter");
  const std::string project = world.name();
  world.make_project(project);
  put("home",
      {deploy_item(
          project, "counter",
          {{"type", "landscaper.gardener.cloud/container"},
           {"timeout", "2m"},
           {"config",
            {{"apiVersion", "container.deployer.landscaper.gardener.cloud/v1alpha1"},
             {"kind", "ProviderConfiguration"},
             {"image", k_image},
             {"command", Json::array({"sh", "-c"})},
             {"args", Json::array({"n=$(cat $STATE_PATH/n 2>/dev/null || echo 0); n=$((n+1)); "
                                   "echo $n >$STATE_PATH/n; echo \"{\\\"n\\\": $n}\" "
                                   ">$EXPORTS_PATH"})},
             {"importValues", {{"any", "json"}}}}}})});
  const CommandResult run = run_kubist({"reconcile", "Project/" + project, "--timeout=120s"});
  REQUIRE_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(item(world, "exports", {"counter", "--show"}).out ==
        "\"n\": 1\n");  // n is no string in YAML 1.1
  CHECK(item(world, "reconcile", {"counter", "--timeout=60s"}).out ==
        "deployitem/counter unchanged\n");
  for (int n = 2; n <= 3; ++n) {
    const CommandResult forced = item(world, "reconcile", {"counter", "--force", "--timeout=60s"});
    CHECK_MESSAGE(forced.out == "deployitem/counter succeeded\n", forced.out, forced.err);
    CHECK(item(world, "exports", {"counter", "--show"}).out == cat("\"n\": ", n, "\n"));
  }
  CHECK(data::int_at(*get("home", k_items, "counter", project), {"status", "exportGeneration"}) ==
        3);
}

TEST_CASE("items: an interrupt ends the run under way, saves its state, and is told as such") {
  World world("interrupt");
  const std::string project = world.name();
  world.make_project(project);
  put("home", {secret(project, "word", "planted-word"),
               deploy_item(project, "long",
                           {{"type", "kubist.io/script"},
                            {"import", {{"secretRef", {{"name", "word"}}}}},
                            {"config",
                             {{"image", k_image},
                              {"script",
                               "trap 'echo end >> $STATE/end; exit 1' TERM\n"
                               "cat $IMPORTS_PATH; echo\n"
                               "echo first; echo started; sleep 600 & wait\n"}}}})});
  const auto started = [&] {
    return item(world, "logs", {"long"}).out.find("started") != std::string::npos &&
           at(*get("home", k_items, "long", project), {"status", "phase"}) == "Progressing";
  };
  const auto check_end = [&](Background& driver) {
    CHECK(driver.wait(60) == 1);
    const Json ended = *get("home", k_items, "long", project);
    CHECK(at(ended, {"status", "phase"}) == "Failed");
    CHECK(at(ended, {"status", "lastError", "reason"}) == "Interrupted");
    CHECK(at(ended, {"status", "jobID"}) == at(ended, {"status", "jobIDFinished"}));
    CHECK(eventually([&] { return has_no_pods(project); }));
  };
  {
    Background driver({"reconcile", "Project/" + project});
    REQUIRE(eventually(started, 60));
    CHECK(item(world, "logs", {"long", "--tail=1"}).out == "started\n");
    const CommandResult all = item(world, "logs", {"long", "--all-containers"});
    CHECK_MESSAGE(all.out.find("[workload] started\n") != std::string::npos, all.out, all.err);
    CHECK_MESSAGE(all.out.find("planted-word") == std::string::npos, all.out);
    CHECK_MESSAGE(all.out.find("***") != std::string::npos, all.out);
    const CommandResult stopped = item(world, "interrupt", {"long", "--timeout=60s"});
    CHECK_MESSAGE(stopped.out == "deployitem/long interrupted\n", stopped.out, stopped.err);
    check_end(driver);
    CHECK(item(world, "logs", {"long", "--tail=2"}).out == "first\nstarted\n");
    CHECK(item(world, "state", {"ls", "long"}).out.find("end") != std::string::npos);
  }
  {
    Background driver({"reconcile", "Project/" + project});
    REQUIRE(eventually(started, 60));
    must(kubectl("home",
                 {"annotate", k_items, "long", "-n", project, "kubist.io/request=interrupt@1"}));
    check_end(driver);
  }
}

namespace {

/// The webhook of istiod 1.31 (istio-sidecar-injector, default revision), but for pods of one
/// namespace alone, and with a Service behind it that has no endpoints: istiod at 0.
class Injector {
 public:
  explicit Injector(const std::string& ns) : m_ns(ns) {
    const auto in = [](const char* key, const char* value) {
      return Json{{"key", key}, {"operator", "In"}, {"values", Json::array({value})}};
    };
    const auto none = [](const char* key) {
      return Json{{"key", key}, {"operator", "DoesNotExist"}};
    };
    const Json wanted{{"key", "sidecar.istio.io/inject"},
                      {"operator", "NotIn"},
                      {"values", Json::array({"false"})}};
    const auto webhook = [&](const std::string& name, Json namespaces, Json objects) {
      namespaces.push_back(in("kubernetes.io/metadata.name", m_ns.c_str()));
      return Json{
          {"name", name + ".sidecar-injector.istio.io"},
          {"clientConfig",
           {{"service",
             {{"name", "istiod"}, {"namespace", m_ns}, {"path", "/inject"}, {"port", 443}}}}},
          {"failurePolicy", "Fail"},
          {"sideEffects", "None"},
          {"admissionReviewVersions", Json::array({"v1"})},
          {"namespaceSelector", {{"matchExpressions", std::move(namespaces)}}},
          {"objectSelector", {{"matchExpressions", std::move(objects)}}},
          {"rules", Json::array({{{"apiGroups", Json::array({""})},
                                  {"apiVersions", Json::array({"v1"})},
                                  {"operations", Json::array({"CREATE"})},
                                  {"resources", Json::array({"pods"})}}})}};
    };
    put("home",
        {Json{{"apiVersion", "v1"},
              {"kind", "Service"},
              {"metadata", {{"name", "istiod"}, {"namespace", m_ns}}},
              {"spec",
               {{"selector", {{"app", "istiod"}}},
                {"ports", Json::array({{{"port", 443}, {"targetPort", 15017}}})}}}},
         Json{{"apiVersion", "admissionregistration.k8s.io/v1"},
              {"kind", "MutatingWebhookConfiguration"},
              {"metadata", {{"name", m_name}}},
              {"webhooks",
               Json::array(
                   {webhook("rev.namespace",
                            {in("istio.io/rev", "default"), none("istio-injection")},
                            Json::array({wanted})),
                    webhook("rev.object", {none("istio.io/rev"), none("istio-injection")},
                            {wanted, in("istio.io/rev", "default")}),
                    webhook("namespace", Json::array({in("istio-injection", "enabled")}),
                            Json::array({wanted})),
                    webhook("object", {none("istio-injection"), none("istio.io/rev")},
                            {in("sidecar.istio.io/inject", "true"), none("istio.io/rev")})})}}});
  }
  ~Injector() {
    kubectl("home", {"delete", "mutatingwebhookconfiguration", m_name, "--ignore-not-found"});
  }
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

 private:
  std::string m_ns;
  std::string m_name = "istio-sidecar-injector-" + m_ns;
};

}  // namespace

TEST_CASE("items: they run in a namespace labelled for Istio's injection while istiod is at 0") {
  World world("mesh");
  const std::string project = world.name();
  world.make_project(project);
  const Injector injector(project);
  const auto plain_pod = [&] {
    return kubectl("home", {"run", "plain", "-n", project, "--image", k_image, "--restart=Never"});
  };
  const Json container{{"name", "tool"},
                       {"type", "Container"},
                       {"image", k_image},
                       {"command", {"sh", "-c", "echo 'made: 1' > $EXPORT_PATH"}}};
  put("home",
      {object(
           "Execution", project, "job",
           {{"items", Json::array({script("run", "echo 'made: 1' > $EXPORT_PATH"), container})}}),
       deploy_item(project, "meshed",
                   {{"type", "kubist.io/script"},
                    {"timeout", "10s"},
                    {"config", {{"image", k_image}, {"script", "exit 0"}, {"mesh", true}}}})});
  for (const std::string label : {"istio-injection=enabled", "istio.io/rev=default"}) {
    CAPTURE(label);
    must(kubectl("home", {"label", "namespace", project, "istio-injection-", "istio.io/rev-"}));
    must(kubectl("home", {"label", "namespace", project, label}));
    REQUIRE(eventually(
        [&] {  // the API server's own view of labels and webhooks is some ms late
          kubectl("home", {"delete", "pod", "plain", "-n", project, "--ignore-not-found", "--now"});
          return plain_pod().err.find("sidecar-injector.istio.io") != std::string::npos;
        },
        60));
    const CommandResult run =
        run_kubist({"reconcile", "Execution/job", "-n", project, "--timeout=120s", "--force"});
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
    CHECK(at(*get("home", "executions.kubist.io", "job", project), {"status", "progress"}) ==
          "2/2");
    CHECK(item(world, "exports", {"job-tool", "--show"}).out == "made: 1\n");
  }
  // One that asks to be in the mesh waits for istiod, and says so.
  CHECK(item(world, "reconcile", {"meshed", "--timeout=60s"}).exit_code != 0);
  CHECK(message(get("home", k_items, "meshed", project), "Ready")
            .find("rev.namespace.sidecar-injector.istio.io") != std::string::npos);
}

TEST_CASE("items: the first design's example, with work to do, runs as it is written" *
          doctest::description("seed 2.4, 2.12: the example as it is written, of both types")) {
  World world("seed");
  const std::string project = world.name();
  world.make_project(project);
  const std::string shape = kubist::util::read_file(kubist::paths::source_dir() +
                                                    "/examples/deployitems/first-design.yaml")
                                .value();
  Json example = kubist::data::read_document(shape, "first-design.yaml").value().value;
  example["metadata"]["namespace"] = project;
  put("home", {Json{{"apiVersion", "v1"},
                    {"kind", "Secret"},
                    {"metadata", {{"name", "secret-item1"}, {"namespace", project}}},
                    {"stringData", {{"abc", "who: world"}}}}});
  const std::string work = "grep -q world $IMPORTS_PATH && echo 'xxx: abc' > $EXPORT_PATH";
  for (const std::string type : {"container", "script"}) {
    CAPTURE(type);
    example["metadata"]["name"] = "my-" + type;
    example["spec"]["type"] = type;
    // What `xxx: abc` stands for is refused by name where it is no field of the deployer.
    example["spec"]["providerConfig"] = {{"xxx", "abc"}, {"image", k_image}};
    put("home", {example});
    CHECK(item(world, "reconcile", {"my-" + type}).exit_code == 1);
    const auto refused = get("home", k_items, "my-" + type, project);
    CHECK_MESSAGE(message(refused, "Ready").find("xxx") != std::string::npos,
                  message(refused, "Ready"));

    example["spec"]["providerConfig"] = {{"image", k_image}};
    if (type == "container") {
      example["spec"]["providerConfig"]["command"] = {"sh", "-c", work};
    } else {
      example["spec"]["providerConfig"]["script"] = work;
    }
    put("home", {example});
    const CommandResult run = item(world, "reconcile", {"my-" + type, "--timeout=60s"});
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
    const Json done = *get("home", k_items, "my-" + type, project);
    CHECK(at(done, {"status", "phase"}) == "Succeeded");
    CHECK(data::int_at(done, {"status", "exportGeneration"}) == 1);
    const std::string secret = at(done, {"status", "exports", "secretRef", "name"});
    const std::string key = at(done, {"status", "exports", "secretRef", "key"});
    CHECK(kubist::util::base64_decode(at(*get("home", "secret", secret, project), {"data", key})) ==
          R"({"xxx":"abc"})");
    CHECK(condition(done, "Ready") == "True");
  }
}
