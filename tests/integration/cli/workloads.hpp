#pragma once
#include <string>

#include "twins.hpp"

namespace kubist::testing {

/// A Deployment "web" of two pods, a StatefulSet "db" and a DaemonSet "ds", all with the label
/// app=web, whose containers write some lines and stay; a Job "job" that ends. In w.yaml.
inline void make_workloads(const Twins& twins) {
  const auto pods = [](const std::string& app, const std::string& script) {
    return util::cat("  selector: {matchLabels: {app: ", app,
                     "}}\n  template:\n    metadata: {labels: {app: ", app,
                     "}}\n    spec:\n      terminationGracePeriodSeconds: 0\n      containers:\n"
                     "      - {name: main, image: 'localhost/busybox:1', command: [sh, -c, '",
                     script, "']}\n");
  };
  const auto head = [](const std::string& api, const std::string& kind, const std::string& name) {
    return util::cat("---\napiVersion: ", api, "\nkind: ", kind, "\nmetadata: {name: ", name,
                     ", labels: {app: web}}\nspec:\n");
  };
  twins.write(
      "w.yaml",
      util::cat(head("apps/v1", "Deployment", "web"), "  replicas: 2\n",
                pods("web", "echo one; echo two; echo three; exec sleep 1000"),
                "      - {name: side, image: 'localhost/busybox:1', command: [sh, -c, 'echo aside; "
                "exec sleep 1000']}\n",
                head("apps/v1", "StatefulSet", "db"), "  serviceName: db\n",
                pods("db", "echo first; echo second; exec sleep 1000"),
                head("apps/v1", "DaemonSet", "ds"), pods("ds", "echo here; exec sleep 1000"),
                head("batch/v1", "Job", "job"),
                "  template:\n    spec:\n      restartPolicy: Never\n      containers:\n"
                "      - {name: main, image: 'localhost/busybox:1', command: [sh, -c, 'echo "
                "done']}\n"));
  twins.make({"apply", "-f", "FOLDER/w.yaml"});
  twins.make({"rollout", "status", "deployment,sts,ds", "--timeout=200s"});
  twins.make({"wait", "job/job", "--for=condition=complete", "--timeout=200s"});
}

}  // namespace kubist::testing
