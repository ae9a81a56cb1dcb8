#include <cstdlib>

#include <doctest/doctest.h>

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/deployers/pod.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/fs.hpp>

#include "pod/account_token.hpp"
#include "support/paths.hpp"

using namespace kubist;
using namespace kubist::deployers;
using namespace std::chrono_literals;

namespace {

Item script_item(Json config) {
  config["script"] = "echo hello";
  const Json object{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                    {"kind", "DeployItem"},
                    {"metadata",
                     {{"name", "hello-greet"},
                      {"namespace", "shop"},
                      {"uid", "11111111-2222"},
                      {"generation", 1}}},
                    {"spec",
                     {{"type", "kubist.io/script"},
                      {"target", {{"name", "dev"}}},
                      {"config", std::move(config)}}}};
  return parse_item(object).value();
}

Settings settings() {
  Settings result;
  result.agent_image = "kubist:test";
  result.script_image = "shell:test";
  return result;
}

Job job() {
  Job result;
  result.id = "job-1";
  result.imports = {{"who", "world"}};
  result.place.ns = "shop-dev";
  result.place.cluster = "eu";
  result.remaining = 600s;
  return result;
}

void check_golden(const std::string& name, const std::string& text) {
  const std::string path = kubist::paths::source_dir() + "/tests/data/deployers/" + name;
  if (std::getenv("KUBIST_TEST_ACCEPT") != nullptr) {
    REQUIRE(util::write_file(path, text, 0644));
  }
  CHECK(util::read_file(path).value_or("") == text);
}

std::string all_objects(const Item& item) {
  const Workload workload = parse_workload(item, true, settings()).value();
  const PodNames names = pod_names(item, job().id);
  std::string text;
  const auto add = [&text](const Json& object) { text += "---\n" + data::to_yaml(object); };
  for (const Json& object : agent_account(item, workload, job(), names)) {
    add(object);
  }
  add(input_secret(item, workload, job(), names));
  add(empty_secret(item, job(), names.state_secret));
  add(build_pod(item, workload, job(), names, settings(), "0123abcd", {.generation = 4}));
  return text;
}

std::string pod_refusal(Json config, bool script = true) {
  Item item = script_item(std::move(config));
  if (!script) {
    item.config.erase("script");
  }
  const auto workload = parse_workload(item, script, settings());
  REQUIRE_FALSE(workload.has_value());
  CHECK(workload.error().reason == "InvalidConfiguration");
  return workload.error().to_string();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

const Json* container(const Json& pod, std::string_view name) {
  for (const char* list : {"initContainers", "containers"}) {
    for (const Json& one : pod["spec"][list]) {
      if (one["name"] == name) {
        return &one;
      }
    }
  }
  return nullptr;
}

}  // namespace

TEST_CASE("pod: a script item becomes these objects") {
  check_golden("script.yaml", all_objects(script_item(Json::object())));
}

TEST_CASE("pod: an item with everything becomes these objects") {
  Item item = script_item(Json::parse(R"({
    "image": "tool:1", "interpreter": ["/bin/bash", "-eu"], "args": ["one"],
    "env": [{"name": "A", "value": "b"}], "envFrom": [{"secretRef": {"name": "more"}}],
    "resources": {"limits": {"memory": "64Mi"}}, "workingDir": "/work",
    "nodeSelector": {"disk": "fast"}, "tolerations": [{"operator": "Exists"}],
    "imagePullSecrets": [{"name": "pull"}],
    "volumes": [{"name": "data", "secret": {"secretName": "files"}}],
    "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    "securityContext": {"runAsUser": 1000, "runAsGroup": 1001, "fsGroup": 1002,
                        "runAsNonRoot": true}})"));
  item.export_schema = {{"type", "object"}};
  check_golden("script_full.yaml", all_objects(item));
}

TEST_CASE("pod: large state has Secrets for its chunks, the current ones are mounted") {
  const Item item = script_item({{"state", {{"limit", "1Mi"}}}});
  const Workload workload = parse_workload(item, true, settings()).value();
  CHECK(workload.state_limit == 1 << 20);
  const PodNames names = pod_names(item, "j");
  const Json role = agent_account(item, workload, job(), names)[1];
  const std::string base = names.state_secret;
  CHECK(role["rules"][0]["resourceNames"] ==
        Json::array(
            {names.export_secret, base, base + "-a0", base + "-a1", base + "-b0", base + "-b1"}));
  const state::Head head{
      .generation = 3, .set = "b", .chunks = 2, .size = 1'000'000, .sha256 = "x"};
  const Json pod = build_pod(item, workload, job(), names, settings(), "", head);
  const std::string volumes = pod["spec"]["volumes"].dump();
  CHECK(has(volumes, base + "-b1"));
  CHECK_FALSE(has(volumes, base + "-a0"));
  CHECK(has(volumes, "b1/part"));
  CHECK(has(container(pod, k_collect_container)->at("args").dump(), "1048576"));
}

TEST_CASE("pod: only the sidecar has a token") {
  const Item item = script_item(Json::object());
  const Json pod = build_pod(item, parse_workload(item, true, settings()).value(), job(),
                             pod_names(item, "job-1"), settings(), "", {});
  CHECK(pod["spec"]["automountServiceAccountToken"] == false);
  for (const std::string_view name : {k_restore_container, k_workload_container}) {
    CHECK_FALSE(has(container(pod, name)->at("volumeMounts").dump(), "token"));
  }
  CHECK(has(container(pod, k_collect_container)->at("volumeMounts").dump(), "kubist-token"));
}

TEST_CASE("pod: agents run as the workload's user, as root with one capability without it") {
  const auto security = [](Json config) {
    const Item item = script_item(std::move(config));
    const Json pod = build_pod(item, parse_workload(item, true, settings()).value(), job(),
                               pod_names(item, "j"), settings(), "", {});
    return container(pod, k_collect_container)->at("securityContext");
  };
  const Json root = security(Json::object());
  CHECK(root["runAsUser"] == 0);
  CHECK(root["capabilities"]["add"] == Json::array({"DAC_OVERRIDE"}));
  const Json user = security({{"securityContext", {{"runAsUser", 1000}}}});
  CHECK(user["runAsUser"] == 1000);
  CHECK(user["runAsNonRoot"] == true);
  CHECK_FALSE(user["capabilities"].contains("add"));
  CHECK(user["capabilities"]["drop"] == Json::array({"ALL"}));
}

TEST_CASE("pod: state in a claim is a volume that the agents leave alone") {
  Json config{{"state", {{"backend", "PersistentVolumeClaim"}, {"claim", {{"size", "5Gi"}}}}}};
  const PodNames names = pod_names(script_item(config), "j");
  const auto build = [&](const Json& given) {
    const Item item = script_item(given);
    return build_pod(item, parse_workload(item, true, settings()).value(), job(), names, settings(),
                     "", {});
  };
  const Json own = build(config);
  CHECK(has(own["spec"]["volumes"].dump(), R"("claimName":")" + names.state_claim));
  CHECK_FALSE(has(own["spec"]["volumes"].dump(), "kubist-kept"));
  CHECK(has(
      container(own, k_workload_container)->dump(),
      R"("mountPath":"/data/kubist/out/state","name":"kubist-state","readOnly":false,"subPath":"state")"));
  CHECK_FALSE(has(container(own, k_collect_container)->dump(), "state-secret"));
  config["state"] = {{"backend", "PersistentVolumeClaim"}, {"claimName", "shared"}};
  const Json shared = build(config);
  CHECK(has(shared["spec"]["volumes"].dump(), R"("claimName":"shared")"));
  CHECK(
      has(container(shared, k_workload_container)->dump(), R"("subPath":")" + names.state_secret));

  CHECK(has(pod_refusal({{"state", {{"claimName", "x"}}}}), "needs backend"));
  config["state"]["claim"] = Json::object();
  CHECK(has(pod_refusal(config), "give only one"));
  config["state"] = {{"backend", "PersistentVolumeClaim"}, {"limit", "1Mi"}};
  CHECK(has(pod_refusal(config), "limit"));
  config["state"] = {{"backend", "PersistentVolumeClaim"}, {"claim", {{"size", "much"}}}};
  CHECK(has(pod_refusal(config), "no size"));
}

TEST_CASE("pod: an account's token is the workload's alone") {
  const Item item = script_item({{"serviceAccountName", "deployer"}});
  const Workload workload = parse_workload(item, true, settings()).value();
  const PodNames names = pod_names(item, "j");
  const Json pod = build_pod(item, workload, job(), names, settings(), "", {});
  CHECK(pod["spec"]["serviceAccountName"] == names.agent);
  CHECK(has(container(pod, k_workload_container)->dump(), "kubist-account"));
  CHECK_FALSE(has(container(pod, k_restore_container)->dump(), "kubist-account"));
  CHECK_FALSE(has(container(pod, k_collect_container)->dump(), "kubist-account"));
  CHECK_FALSE(has(container(pod, k_workload_container)->dump(), "kubist-token"));

  Place place;
  CHECK(check_account(workload, place).error().reason == "AccountNotAllowed");
  place.grants.accounts = {"other", "deploy*"};
  CHECK(check_account(workload, place).has_value());
  place.grants.accounts = {"deploy"};
  CHECK_FALSE(check_account(workload, place).has_value());
  CHECK(check_account(Workload{}, Place{}).has_value());
}

TEST_CASE(
    "pod: with a user of its own it meets the restricted profile; what it says itself stays") {
  const auto security = [](Json config) {
    const Item item = script_item(std::move(config));
    const Json pod = build_pod(item, parse_workload(item, true, settings()).value(), job(),
                               pod_names(item, "j"), settings(), "", {});
    return container(pod, k_workload_container)->value("securityContext", Json());
  };
  CHECK(security(Json::object()).is_null());
  const Json user = security({{"securityContext", {{"runAsUser", 1000}}}});
  CHECK(user["allowPrivilegeEscalation"] == false);
  CHECK(user["capabilities"]["drop"] == Json::array({"ALL"}));
  CHECK(user["seccompProfile"]["type"] == "RuntimeDefault");
  CHECK(user["runAsNonRoot"] == true);
  CHECK(security({{"securityContext",
                   {{"runAsUser", 1000},
                    {"allowPrivilegeEscalation", true}}}})["allowPrivilegeEscalation"] == true);
}

TEST_CASE("pod: a script's own first line chooses the interpreter") {
  Item item = script_item(Json::object());
  CHECK(parse_workload(item, true, settings())->command ==
        std::vector<std::string>{"/data/kubist/in/tini", "-g", "--", "/bin/sh", "-e",
                                 "/data/kubist/in/script"});
  item.config["script"] = "#!/usr/bin/python3\n";
  CHECK(parse_workload(item, true, settings())->command ==
        std::vector<std::string>{"/data/kubist/in/tini", "-g", "--", "/data/kubist/in/script"});
}

TEST_CASE("pod: names tell jobs, items and namespaces apart, and are the same for the same job") {
  const Item item = script_item(Json::object());
  CHECK(pod_names(item, "a").pod == pod_names(item, "a").pod);
  CHECK(pod_names(item, "a").pod != pod_names(item, "b").pod);
  CHECK(pod_names(item, "a").state_secret == pod_names(item, "b").state_secret);
  Item other = item;
  other.uid = "another";
  CHECK(pod_names(item, "a").state_secret != pod_names(other, "a").state_secret);
  Item longest = item;
  longest.name = std::string(253, 'x');
  CHECK(pod_names(longest, "a").pod.size() <= 63);
  CHECK(pod_names(longest, "a").export_secret.size() <= 63);
}

TEST_CASE("workload: what items may not have is refused with its name") {
  CHECK(has(pod_refusal({{"volumes", {{{"name", "x"}, {"hostPath", {{"path", "/"}}}}}}}),
            "hostPath"));
  CHECK(has(pod_refusal({{"volumes", {{{"name", "x"}, {"projected", Json::object()}}}}}),
            "projected"));
  CHECK(has(pod_refusal({{"hostNetwork", true}}), "hostNetwork"));
  CHECK(has(pod_refusal({{"shareProcessNamespace", true}}), "shareProcessNamespace"));
  CHECK(has(pod_refusal({{"env", {{{"name", "STATE"}, {"value", "/"}}}}}), "STATE"));
  CHECK(has(pod_refusal({{"volumeMounts", {{{"name", "x"}, {"mountPath", "/data/kubist/in"}}}}}),
            "/data/kubist/in"));
  CHECK(has(pod_refusal({{"state", {{"limit", "65Mi"}}}}), "64Mi"));
  CHECK(has(pod_refusal({{"imgae", "x"}}), "image"));
  CHECK(has(pod_refusal({{"env", "text"}}), "env"));
  CHECK(has(pod_refusal(Json::object(), false), "config.image is missing"));
}

TEST_CASE("workload: scripts that no shell can read are refused with the line") {
  const auto said = [](std::string_view script, Json config = Json::object()) {
    Item item = script_item(std::move(config));
    item.config["script"] = script;
    const auto workload = parse_workload(item, true, settings());
    return workload ? std::string() : workload.error().to_string();
  };
  using namespace std::string_view_literals;
  CHECK(has(said("echo 1\necho \0 2\n"sv), "NUL byte in line 2"));
  CHECK(has(said("echo 1\necho 2\r\n"), "CRLF), first in line 2"));
  CHECK(has(said("#!/usr/bin/python3\r\n"), "CRLF"));
  CHECK(said("print(1)\r\n", {{"interpreter", {"python3"}}}).empty());
}

TEST_CASE("workload: at its deletion a script's deleteScript is the script; no run is new for it") {
  Item item = script_item({{"args", {"one"}}});
  const Deployer& deployer = *find_deployer("kubist.io/script", {});
  const Json before = deployer.identity(item, settings());
  item.config["deleteScript"] = "#!/bin/awk -f\n";
  CHECK(deployer.identity(item, settings()) == before);
  CHECK(parse_workload(item, true, settings())->script == "echo hello");
  const Workload undo = parse_workload(item, true, settings(), true).value();
  CHECK(undo.script == "#!/bin/awk -f\n");
  CHECK(undo.command ==
        std::vector<std::string>{"/data/kubist/in/tini", "-g", "--", "/data/kubist/in/script"});
  CHECK(undo.args == std::vector<std::string>{"one"});
  CHECK(has(pod_refusal({{"deleteScript", "a\r\n"}}), "config.deleteScript has Windows line ends"));
  CHECK(has(pod_refusal({{"onDelete", "Skip"}}), "config.onDelete is for containers"));
  CHECK(has(pod_refusal({{"image", "x"}, {"deleteScript", "x"}}, false),
            "config.deleteScript is for scripts"));
}

TEST_CASE("removal: what runs is said by the config, and by whether the workload ever started") {
  const auto text = [](const std::string& type, const Json& config, const Json& provider,
                       const RemoveItemOptions& options = {}) {
    return removal_text({{"metadata", {{"name", "x"}, {"namespace", "n"}, {"uid", "u"}}},
                         {"spec", {{"type", type}, {"config", config}}},
                         {"status", {{"providerStatus", provider}}}},
                        settings(), options);
  };
  const Json ran{{"pod", "p"}, {"workloadStarted", true}};
  const Json never{{"pod", "p"}, {"workloadStarted", false}};
  const Json older{{"pod", "p"}};  // of a kubist that did not say
  const Json script{{"script", "a"}};
  const Json undone{{"script", "a"}, {"deleteScript", "b"}};
  const Json image{{"image", "i"}};
  CHECK(text("kubist.io/script", script, ran) ==
        "DeployItem x runs nothing: it has no deleteScript");
  CHECK(text("kubist.io/script", undone, ran) == "DeployItem x runs its deleteScript");
  CHECK(text("kubist.io/script", undone, older) == "DeployItem x runs its deleteScript");
  CHECK(text("kubist.io/script", undone, never) ==
        "DeployItem x runs nothing: its workload has never started");
  CHECK(text("kubist.io/container", image, ran) ==
        "DeployItem x runs its image with OPERATION=DELETE");
  CHECK(text("kubist.io/container", {{"image", "i"}, {"onDelete", "Run"}}, ran) ==
        "DeployItem x runs its image with OPERATION=DELETE");
  CHECK(text("kubist.io/container", {{"image", "i"}, {"onDelete", "Skip"}}, ran) ==
        "DeployItem x runs nothing: its onDelete is Skip");
  CHECK(text("kubist.io/container", image, Json()) ==
        "DeployItem x runs nothing: it has never run");
  CHECK(text("kubist.io/container", image, ran, {.skip_uninstall = true}) ==
        "DeployItem x runs nothing: --without-uninstall");
  CHECK(text("kubist.io/mock", Json::object(), {{"a", 1}}) ==
        "DeployItem x runs nothing: it is a mock");
  CHECK(text("example.com/other", Json::object(), {{"a", 1}}) ==
        "DeployItem x runs nothing: its type is not one of kubist's");
  CHECK(text("kubist.io/manifest", Json::object(), {{"a", 1}}) ==
        "DeployItem x deletes the 0 objects that it keeps");
}

TEST_CASE("workload: names of 253 characters give objects that Kubernetes takes") {
  Item item = script_item(Json::object());
  item.name = std::string(253, 'a');
  const PodNames names = pod_names(item, std::string(36, 'j'));
  for (const std::string& name : {names.agent, names.input_secret, names.export_secret,
                                  names.state_secret, names.token_secret, names.pod}) {
    CHECK(name.size() <= 63);
  }
  CHECK(home_export_name(item.name).size() <= 253);
  CHECK(home_logs_name(item.name).size() <= 253);
  const Json pod = build_pod(item, parse_workload(item, true, settings()).value(), job(), names,
                             settings(), "", {});
  for (const auto& [key, value] : pod["metadata"]["labels"].items()) {
    CHECK(value.get<std::string>().size() <= 63);
  }
}
