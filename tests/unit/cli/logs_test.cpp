// Which pod of several `logs` takes: as kubectl.
#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>

#include "log_sources.hpp"

using namespace kubist;

TEST_CASE(
    "logs: of several pods the one that runs, is ready longest, or restarts most comes first") {
  std::vector<data::Json> pods;
  const auto add = [&](const std::string& name, const std::string& node, const std::string& phase,
                       const std::string& ready, int restarts, const std::string& made) {
    data::Json pod{
        {"metadata", {{"name", name}, {"creationTimestamp", made}}},
        {"spec", data::Json::object()},
        {"status",
         {{"phase", phase}, {"containerStatuses", {{{"name", "c"}, {"restartCount", restarts}}}}}}};
    if (!node.empty()) {
      pod["spec"]["nodeName"] = node;
    }
    pod["status"]["conditions"].push_back({{"type", "Ready"},
                                           {"status", ready.empty() ? "False" : "True"},
                                           {"lastTransitionTime", ready.empty() ? "2026" : ready}});
    pods.push_back(std::move(pod));
  };
  add("unassigned", "", "Pending", "", 0, "2020");
  add("pending", "n", "Pending", "", 0, "2020");
  add("young", "n", "Running", "", 0, "2026-02");
  add("old", "n", "Running", "", 0, "2026-01");
  add("restarted", "n", "Running", "", 3, "2026-03");
  add("ready", "n", "Running", "2026-06", 0, "2026-04");
  add("ready-longer", "n", "Running", "2026-05", 0, "2026-04");
  cli::sort_for_logs(pods);
  std::vector<std::string> names;
  for (const data::Json& pod : pods) {
    names.emplace_back(data::string_at(pod, {"metadata", "name"}));
  }
  CHECK((names == std::vector<std::string>{"ready-longer", "ready", "restarted", "old", "young",
                                           "pending", "unassigned"}));
}
