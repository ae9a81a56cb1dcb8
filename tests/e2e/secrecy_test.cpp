// Planted values: what goes in and out of items stays in Secrets, whatever becomes of the items.
#include <algorithm>
#include <thread>

#include <doctest/doctest.h>
#include <stdlib.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/credentials.hpp"
#include "integration/executors/support.hpp"
#include "support/paths.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

/// Values that nobody may see, each found by the name of its plant.
class Plants {
 public:
  const std::string& operator[](const std::string& name) {
    std::string& value = m_values[name];
    if (value.empty()) {
      value = cat("plant-", name, '-', kubist::util::random_suffix(12));
    }
    return value;
  }
  void check_absent(const std::string& where, const std::string& text) const {
    for (const auto& [name, value] : m_values) {
      for (const std::string& needle : {value, coded(value), coded(value + "\n")}) {
        const std::size_t at = text.find(needle);
        const std::string around =
            at == std::string::npos ? "" : text.substr(at < 200 ? 0 : at - 200, 300);
        CHECK_MESSAGE(at == std::string::npos, where, " shows plant ", name, ": ", around);
      }
    }
  }

 private:
  /// In base64, but for the end, which depends on what follows.
  static std::string coded(const std::string& value) {
    const std::string text = kubist::util::base64_encode(value);
    return text.substr(0, text.size() - 4);
  }
  std::map<std::string, std::string> m_values;
};

/// Everything that the API ever says about the objects of a namespace, from now on.
class Recorder {
 public:
  explicit Recorder(const std::string& ns) {
    // The spec of items and Executions is checked apart: users write values into it.
    record(ns, k_items, "jsonpath={.metadata}{.status}{\"\\n\"}");
    record(ns, "executions.kubist.io", "jsonpath={.metadata}{.status}{\"\\n\"}");
    for (const char* type : {"pods", "configmaps", "events"}) {
      record(ns, type, "json");
    }
    for (const auto& [type, file] : m_files) {
      REQUIRE(eventually([path = file] { return std::filesystem::exists(path); }));
    }
  }
  std::string text(const std::string& type) const {
    return kubist::util::read_file(m_files.at(type)).value_or("");
  }
  const std::map<std::string, std::string>& files() const { return m_files; }

 private:
  void record(const std::string& ns, const std::string& type, const std::string& format) {
    const std::string file = m_folder.path() / type;
    m_files[type] = file;
    kubist::util::Command command;
    command.args = {"sh",
                    "-c",
                    "exec kubectl get \"$0\" -n \"$1\" -w --output-watch-events=false "
                    "--show-managed-fields -o \"$2\" > \"$3\"",
                    type,
                    ns,
                    format,
                    file};
    m_threads.emplace_back(
        [command](const std::stop_token& stop) { (void)kubist::util::run_command(command, stop); });
  }
  kubist::util::TempDir m_folder{"recorder"};
  std::map<std::string, std::string> m_files;
  std::vector<std::jthread> m_threads;
};

Json script(const std::string& name, const std::string& text, Json more = Json::object()) {
  // All tell what they were given, and so does each deleteScript.
  const std::string tell =
      "cat $IMPORTS_PATH; grep -o 'plant-[a-z0-9-]*' $IMPORTS_PATH >&2\n"
      "for v in $(grep -o 'plant-[a-z0-9-]*' $IMPORTS_PATH); do echo $v | base64; done\n";
  Json item{{"name", name},
            {"type", "Script"},
            {"image", "localhost/busybox:1"},
            {"script", tell + text},
            {"deleteScript", tell + text}};
  item.update(more);
  return item;
}

Json from(const std::string& name, const std::string& kind, Json reference) {
  return Json::array({Json{{"name", name}, {kind, std::move(reference)}}});
}

/// A chart that ends with an error about what it was given.
void make_chart(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder / "templates");
  REQUIRE(kubist::util::write_file(folder / "Chart.yaml",
                                   "apiVersion: v2\nname: web\nversion: 1.0.0\n"));
  REQUIRE(kubist::util::write_file(folder / "templates/x.yaml",
                                   "{{ fail (printf \"bad password %s\" .Values.password) }}\n"));
}

/// Exports are put together from parts, so that the script itself does not hold them.
std::string printed(const std::string& value) {
  const std::size_t half = value.size() / 2;
  return cat('$', "(printf %s%s ", value.substr(0, half), ' ', value.substr(half), ')');
}

std::vector<Json> objects(const std::string& ns, Plants& plants, const std::string& chart) {
  const std::string schema = R"({"type": "object", "properties": {"port": {"type": "integer"}}})";
  Json items = Json::array(
      {script(
           "good",
           cat("echo ", printed(plants["state"]), " > $STATE/kept; v=", printed(plants["export"]),
               "\necho $v; echo $v >&2; echo \"{\\\"open\\\": 1, \\\"token\\\": \\\"$v\\\"}\" > "
               "$EXPORT_PATH")),
       script("fails", cat("echo ", printed(plants["failed-state"]),
                           " > $STATE/kept; v=", printed(plants["failed-export"]),
                           "\necho \"token: $v\" | tee $EXPORT_PATH >&2; exit 3")),
       script("broken", cat("printf '{\"a\": 1,\\n \"b\": %s }' ", printed(plants["broken-export"]),
                            " > $EXPORT_PATH")),
       script("list", cat("echo \"[ ", printed(plants["listed-export"]), " ]\" > $EXPORT_PATH")),
       script("schema", cat("echo \"port: ", printed(plants["wrong-export"]), "\" > $EXPORT_PATH"),
              {{"exportSchema", Json::parse(schema)}}),
       script("late",
              cat("v=", printed(plants["late-export"]),
                  "; echo \"token: $v\" > $EXPORT_PATH; echo $v; sleep 600"),
              {{"timeout", "12s"}}),
       script("needs", "exit 0",
              {{"imports", from("token", "itemRef", {{"name", "good"}, {"export", "token"}})}}),
       Json{{"name", "tool"},
            {"type", "Container"},
            {"image", "localhost/busybox:1"},
            {"command", {"sh", "-c", "echo $PASSWORD; env >&2; exit 4"}},
            {"env", from("PASSWORD", "valueFrom",
                         {{"secretKeyRef", {{"name", "given"}, {"key", "variable"}}}})}},
       Json{{"name", "parts"},
            {"type", "Templates"},
            {"dependsOn", Json::array({"good"})},
            {"template",
             "function(all) {exports: {token: all.exports.good.token}, state: all.imports,"
             "deployItems: [{name: 'x', type: 'Script', image: 'localhost/busybox:1', "
             "script: 'cat $IMPORTS_PATH; exit 5'}, "
             "{name: 'chart', type: 'kubist.io/helm', config: {chart: {path: '" +
                 chart + "'}, valuesFrom: [{'import': 'password', path: 'password'}]}}]}"}},
       Json{{"name", "wrong"},
            {"type", "Templates"},
            {"template", "function(all) error 'no use for ' + all.imports.password"}}});
  Json values{{"abc", cat("who: ", plants["import"], "\n")},
              {"password", plants["password"]},
              {"variable", plants["variable"]}};
  const auto item = [&](const std::string& name, Json spec) {
    return Json{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                {"kind", "DeployItem"},
                {"metadata", {{"name", name}, {"namespace", ns}}},
                {"spec", std::move(spec)}};
  };
  Json own{{"apiVersion", "v1"},
           {"kind", "Secret"},
           {"metadata", {{"name", "made"}}},
           {"stringData", {{"token", plants["manifest"]}}}};
  return {
      Json{{"apiVersion", "v1"},
           {"kind", "Secret"},
           {"metadata", {{"name", "given"}, {"namespace", ns}}},
           {"stringData", values}},
      item("alone", {{"type", "script"},
                     {"import", {{"secretRef", {{"name", "given"}, {"key", "abc"}}}}},
                     {"config",
                      {{"image", "localhost/busybox:1"},
                       {"script", "cat $IMPORTS_PATH | tee $EXPORT_PATH; exit 6"}}}}),
      item("mocked", {{"type", "mock"}, {"config", {{"export", {{"token", plants["mock"]}}}}}}),
      item("kept",
           {{"type", "manifest"},
            {"config",
             {{"manifests", Json::array({own})},
              {"exports",
               {{"exports",
                 Json::array(
                     {{{"key", "token"},
                       {"jsonPath", ".data.token"},
                       {"fromResource",
                        {{"apiVersion", "v1"}, {"kind", "Secret"}, {"name", "made"}}}}})}}}}}}),
      object("Execution", ns, "job",
             {{"onFailure", "KeepGoing"},
              {"items", std::move(items)},
              {"imports", from("password", "secretRef", {{"name", "given"}, {"key", "password"}})},
              {"exports", Json::array({{{"name", "open"}, {"item", "good"}, {"public", true}},
                                       {{"name", "token"}, {"item", "good"}}})}})};
}

/// Every command that tells of items, when their pods are gone.
void check_commands(const Plants& plants, const std::string& ns, const Words& items) {
  std::vector<Words> all{{"deployitem", "list", "-o", "wide"},
                         {"get", "executions", "-o", "yaml"},
                         {"get", "pods,configmaps", "-o", "json"},
                         {"describe", "executions"},
                         {"describe", "secrets"},
                         {"events"},
                         {"tree"}};
  for (const std::string& item : items) {
    for (const char* verb : {"exports", "describe"}) {
      all.push_back({"deployitem", verb, item});
    }
    all.push_back({"deployitem", "logs", item, "-v", "9"});
    all.push_back({"deployitem", "state", "ls", item, "-v", "9"});
    all.push_back({"get", "deployitem", item, "-o", "yaml"});
  }
  for (Words& words : all) {
    words.insert(words.end(), {"-n", ns});
    const CommandResult run = run_kubist(words);
    plants.check_absent(kubist::util::join(words, " "), run.out + run.err);
    // Items that failed have no exports or state; what succeeded has all.
    const bool about_item = words[0] == "deployitem" && words[1] != "list";
    const bool good = std::find(words.begin(), words.end(), "job-good") != words.end();
    CHECK_MESSAGE((run.exit_code == 0 || (run.exit_code == 1 && about_item && !good)),
                  kubist::util::join(words, " "), ": ", run.exit_code, run.err);
    CHECK_MESSAGE((!good || !run.out.empty()), kubist::util::join(words, " "));
  }
}

/// Are they where they belong?
void check_secrets(Plants& plants, const std::string& ns) {
  const auto holds = [&](const std::string& secret, const std::string& key,
                         const std::string& plant) {
    const auto found = get("home", "secret", secret, ns);
    const std::string text =
        found ? kubist::util::base64_decode(data::string_at(*found, {"data", key})).value_or("")
              : "";
    CHECK_MESSAGE(text.find(plants[plant]) != std::string::npos, "Secret ", secret, " has no ",
                  plant);
  };
  holds("job-good-export", "config", "export");
  holds("job-needs-import", "imports.json", "export");
  holds("mocked-export", "config", "mock");
  CHECK(must(run_kubist({"deployitem", "exports", "job-good", "token", "--show", "-n", ns}))
            .find(plants["export"]) != std::string::npos);
  const kubist::util::TempDir folder{"state"};
  const std::string file = folder.path() / "state.tar.gz";
  must(run_kubist({"deployitem", "state", "get", "job-good", file, "-n", ns}));
  kubist::util::Command command;
  command.args = {"tar", "xzOf", file, "kept"};
  CHECK(kubist::util::run_command(command)->out == plants["state"] + "\n");
}

}  // namespace

TEST_CASE("secrecy: imports, secret exports and state are seen in Secrets alone") {
  World world("secrecy");
  const std::string ns = world.name();
  world.make_project(ns);
  kubist::util::Command helm;
  helm.args = {kubist::paths::source_dir() + "/tests/cluster/cluster", "helm"};
  const auto path = kubist::util::run_command(helm);
  REQUIRE((path && path->exit_code == 0));
  ::setenv("KUBIST_HELM", std::string(kubist::util::trim(path->out)).c_str(), 1);
  const kubist::util::TempDir chart{"chart"};
  make_chart(chart.path());

  Plants plants;
  const Recorder recorder(ns);
  put("home", objects(ns, plants, chart.path()));
  // An item without a target writes a Secret: an administrator's word, in the project's namespace.
  must(kubectl("home", {"create", "rolebinding", "items", "--clusterrole=kubist-project",
                        "--serviceaccount=" + ns + ":kubist-project", "-n", ns}));
  for (const Words& more : {Words{"-v", "9"}, Words{"--report", "json", "--force"}}) {
    Words words{"reconcile", "Project/" + ns, "--timeout=140s"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult run = run_kubist(words);
    CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
    plants.check_absent(kubist::util::join(words, " "), run.out + run.err);
  }
  REQUIRE(eventually([&] { return list("home", "pods", ns).empty(); }, 60));

  const std::map<std::string, std::string> reasons{{"job-good", "Succeeded"},
                                                   {"job-fails", "WorkloadFailed"},
                                                   {"job-broken", "InvalidExports"},
                                                   {"job-list", "InvalidExports"},
                                                   {"job-schema", "InvalidExports"},
                                                   {"job-late", "Timeout"},
                                                   {"job-needs", "Succeeded"},
                                                   {"job-tool", "WorkloadFailed"},
                                                   {"job-parts-x", "WorkloadFailed"},
                                                   {"job-parts-chart", "RenderFailed"},
                                                   {"alone", "WorkloadFailed"},
                                                   {"mocked", "Succeeded"},
                                                   {"kept", "Succeeded"}};
  Words items;
  for (const auto& [name, wanted] : reasons) {
    const auto item = get("home", k_items, name, ns);
    REQUIRE_MESSAGE(item, name,
                    get("home", "executions.kubist.io", "job", ns)->at("status").dump());
    CHECK_MESSAGE(reason(item, "Ready") == wanted, name, ": ", message(item, "Ready"));
    Json shown = *item;
    if (name == "mocked" || name == "kept") {
      shown.erase("spec");  // where the user put it
    } else {
      items.push_back(name);
    }
    plants.check_absent("DeployItem " + name, shown.dump());
  }
  check_secrets(plants, ns);
  check_commands(plants, ns, items);
  // Failed workloads have told something, and what was kept of it says where values were.
  const auto failed = get("home", k_items, "job-fails", ns);
  CHECK(message(failed, "Ready").find("token: ***") != std::string::npos);
  CHECK(must(run_kubist({"deployitem", "logs", "job-good", "-n", ns})).find("***") !=
        std::string::npos);

  const CommandResult removal =
      run_kubist(as_administrator({"delete", "project", ns, "--timeout=140s", "-v", "9"}));
  plants.check_absent("delete", removal.out + removal.err);
  for (const auto& [type, file] : recorder.files()) {
    const std::string text = recorder.text(type);
    CHECK_MESSAGE(text.size() > 100, type);
    plants.check_absent("every " + type + " there ever was", text);
  }
  CHECK(recorder.text("pods").find("\"terminated\"") != std::string::npos);
}
