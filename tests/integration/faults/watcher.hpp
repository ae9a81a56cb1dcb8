#pragma once
#include <csignal>
#include <memory>

#include <doctest/doctest.h>

#include "credentials.hpp"
#include "support.hpp"
#include "support/fault_proxy.hpp"

/// What the tests of watches share.
namespace faults {

using namespace it;

/// Projects whose namespaces PROJECT-dev kubist keeps labelled, made side by side.
inline void make_projects(const Words& names) {
  std::vector<Json> projects, objects;
  std::vector<std::unique_ptr<Background>> runs;
  for (const std::string& name : names) {
    projects.push_back(object("Project", "", name));
    objects.push_back(object("Cluster", name, "home", {{"home", true}}));
    objects.push_back(virtual_cluster(name, "dev", "home", name + "-dev", in_the_mesh()));
  }
  put("home", projects);
  for (const std::string& name : names) {
    runs.push_back(
        std::make_unique<Background>(as_administrator({"reconcile", "Project/" + name})));
  }
  for (const auto& run : runs) {
    REQUIRE_MESSAGE(run->wait(60) == 0, run->output());
  }
  put("home", objects);
}

/// A kubist that watches a project.
class Watcher {
 public:
  Watcher(const std::string& project, const Words& flags) : m_ns(project + "-dev") {
    Words words{"reconcile", "Project/" + project, "--watch"};
    words.insert(words.end(), flags.begin(), flags.end());
    m_run = std::make_unique<Background>(words);
  }
  void end() const {
    m_run->signal(SIGTERM);
    CHECK_MESSAGE(m_run->wait(20) == 143, output());
  }
  /// Takes away what kubist keeps.
  void drift() const {
    it::patch("home", "namespace", m_ns, "", kubist::kube::PatchType::merge,
              {{"metadata", {{"labels", {{"istio-injection", nullptr}}}}}});
  }
  bool is_mended() const {
    return eventually([&] { return label(m_ns, "istio-injection") == "enabled"; });
  }
  std::string output() const { return m_run->output(); }

 private:
  std::string m_ns;
  std::unique_ptr<Background> m_run;
};

}  // namespace faults
