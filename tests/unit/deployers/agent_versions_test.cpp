// What kubist and the agent of another version count on: tests/data/compat/VERSION/agent.
#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/pod.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/state/agent.hpp>
#include <kubist/state/head.hpp>
#include <kubist/state/mark.hpp>
#include <kubist/util/fs.hpp>

#include "support/paths.hpp"

using namespace kubist;
using namespace kubist::deployers;

namespace {

/// What agents of each earlier version know, and wrote.
std::vector<Json> contracts() {
  std::vector<Json> all;
  const std::string folder = paths::source_dir() + "/tests/data/compat";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto path = entry.path() / "agent/contract.json";
    if (entry.is_directory()) {
      const std::string text = util::read_file(path).value();
      all.push_back(data::parse_json(text, path.string()).value());
    }
  }
  REQUIRE_FALSE(all.empty());
  return all;
}

/// Of an item with all that 0.1.0's items could ask of an agent, and of one with nothing.
std::vector<Json> pods() {
  std::vector<Json> all;
  const auto add = [&all](const char* config, bool script, const Json& schema,
                          const state::Head& head, bool remove) {
    const Json object{{"metadata", {{"name", "a"}, {"namespace", "shop"}, {"uid", "1-2"}}},
                      {"spec",
                       {{"type", script ? "kubist.io/script" : "kubist.io/container"},
                        {"config", Json::parse(config)}}}};
    Item item = parse_item(object).value();
    item.export_schema = schema;
    Settings settings;
    settings.agent_image = "kubist:test";
    settings.script_image = "shell:test";
    Job job;
    job.id = "job-1";
    job.remove = remove;
    const auto workload = parse_workload(item, script, settings);
    REQUIRE_MESSAGE(workload, workload.error().to_string());
    all.push_back(build_pod(item, *workload, job, pod_names(item, job.id), settings, "0123", head));
  };
  const state::Head large{.generation = 3, .set = "b", .chunks = 2, .size = 1'000'000};
  const char* const script = R"({"script": "a", "deleteScript": "b", "state": {"limit": "2Mi"},
      "interpreter": ["/bin/bash"], "securityContext": {"runAsUser": 1000}})";
  add(script, true, {{"type", "object"}}, large, false);
  add(script, true, {}, large, true);
  add(R"({"image": "x"})", false, {}, {}, false);
  add(R"({"image": "x", "serviceAccountName": "deployer", "state": {"claimName": "shared",
      "backend": "PersistentVolumeClaim"}})",
      false, {}, {}, false);
  return all;
}

const Json& agent_of(const Json& pod, std::string_view name) {
  const Json& all = pod["spec"]["initContainers"];
  return *std::find_if(all.begin(), all.end(),
                       [&](const Json& one) { return one["name"] == name; });
}

bool knows(const Json& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

TEST_CASE("agent: an older one is asked for nothing that it does not know") {
  for (const Json& contract : contracts()) {
    for (const Json& pod : pods()) {
      for (const std::string_view name : {k_restore_container, k_collect_container}) {
        const std::string role(name);
        const Json& agent = agent_of(pod, name);
        REQUIRE(agent["args"].size() > 4);
        CHECK(agent["args"][0] == "agent");
        CHECK(agent["args"][1] == role);
        CHECK_FALSE(agent.contains("command"));
        CHECK_FALSE(agent.contains("env"));
        for (const std::string arg : agent["args"]) {
          CHECK_MESSAGE((!arg.starts_with("--") ||
                         knows(contract["flags"][role], arg.substr(0, arg.find('=')))),
                        arg);
        }
        for (const Json& mount : agent["volumeMounts"]) {
          CHECK_MESSAGE(knows(contract["folders"][role], mount["mountPath"]), mount.dump());
        }
      }
    }
    CHECK(state::given_hash(contract["input"]["data"]) == contract["input"]["sha256"]);
  }
}

TEST_CASE("agent: what an older or a newer one wrote is read") {
  for (const Json& contract : contracts()) {
    for (const Json& written : contract["marks"]) {
      Json newer = Json::parse(written["text"].get<std::string>());
      newer["ofALaterVersion"] = {{"new", 1}};
      newer["state"]["new"] = "x";
      for (const std::string& text : {written["text"].get<std::string>(), newer.dump()}) {
        const auto mark = state::parse_mark(text);
        REQUIRE_MESSAGE(mark, text);
        CHECK(*mark == state::Mark{written["job"], written["exports"], written["exportsError"],
                                   written["generation"], written["stateError"]});
      }
    }
    const Json& head = contract["head"];
    const auto read = state::parse_head(head["text"].get<std::string>());
    REQUIRE(read);
    CHECK(*read == state::Head{head["generation"], head["set"], head["chunks"], head["size"],
                               head["sha256"]});
    const auto part = state::parse_part(contract["part"]["text"].get<std::string>());
    REQUIRE(part);
    CHECK(part->generation == contract["part"]["generation"]);
    CHECK(part->sha256 == contract["part"]["sha256"]);
  }
}
