#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <signal.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"
#include "support/fault_proxy.hpp"

namespace it {

/// Replicas, each under a user of its own, by whom the audit log knows it.
class Replicas {
 public:
  explicit Replicas(const std::string& test) : world(test) {
    put("home", {{{"apiVersion", "v1"},
                  {"kind", "Namespace"},
                  {"metadata", {{"name", world.name("system")}}}}});
  }
  ~Replicas() {
    for (const auto& [name, process] : running) {
      process->signal(SIGCONT);
    }
  }
  void start(const std::string& name, const FaultProxy* through = nullptr, const Words& more = {}) {
    Words words{"controller", "--bind-address", "127.0.0.1:0", "-n", world.name("system")};
    words.insert(words.end(), more.begin(), more.end());
    running[name] = std::make_unique<Background>(
        world.as_user(through == nullptr ? words : through->through(words), "-" + name));
  }
  /// Returns when each has seen all the others: none takes a project then that it soon gives up.
  void know_each_other() {
    using kubist::data::string_at;
    const std::string system = world.name("system");
    const auto all_there = [&] {
      return list("home", "leases.coordination.k8s.io", system).size() == running.size();
    };
    REQUIRE_MESSAGE(eventually(all_there, 60), output());
    Audit audit("home");
    const auto has_seen_them = [&](const auto& replica) {
      const auto requests = audit.requests(user(replica.first));
      const auto looks = std::count_if(requests.begin(), requests.end(), [&](const Json& event) {
        return string_at(event, {"verb"}) == "list" &&
               string_at(event, {"objectRef", "resource"}) == "leases" &&
               string_at(event, {"objectRef", "namespace"}) == system;
      });
      return looks > 1;  // one may have begun before
    };
    REQUIRE_MESSAGE(
        eventually([&] { return std::all_of(running.begin(), running.end(), has_seen_them); }, 60),
        output());
  }
  std::string user(const std::string& name) const { return world.user() + "-" + name; }
  /// The name of the replica that has the project; empty: nobody does.
  std::string holder(const std::string& project) {
    const auto lease = get("home", "leases.coordination.k8s.io", "kubist", project);
    const std::string identity(lease ? kubist::data::string_at(*lease, {"spec", "holderIdentity"})
                                     : std::string_view());
    for (const auto& [name, process] : running) {
      if (!identity.empty() && process->output().find(kubist::util::cat(
                                   "replica ", identity, " has Lease")) != std::string::npos) {
        return name;
      }
    }
    return identity;
  }
  bool all_held_by(const std::vector<std::string>& projects, const std::vector<std::string>& by) {
    return std::all_of(projects.begin(), projects.end(), [&](const std::string& project) {
      return std::find(by.begin(), by.end(), holder(project)) != by.end();
    });
  }
  std::vector<std::string> of(const std::vector<std::string>& projects, const std::string& name) {
    std::vector<std::string> found;
    std::copy_if(projects.begin(), projects.end(), std::back_inserter(found),
                 [&](const std::string& project) { return holder(project) == name; });
    return found;
  }
  std::string output() const {
    std::string all;
    for (const auto& [name, process] : running) {
      all += kubist::util::cat("---- ", name, '\n', process->output());
    }
    return all;
  }

  World world;
  std::map<std::string, std::unique_ptr<Background>> running;
};

/// Projects that exist, with a virtual cluster in each.
inline std::vector<std::string> make_projects(const World& world, int count) {
  std::vector<std::string> names;
  std::vector<Json> projects;
  std::vector<Json> rest;
  for (int i = 0; i < count; ++i) {
    const std::string name = world.name(kubist::util::cat("p", i));
    names.push_back(name);
    projects.push_back(object("Project", "", name, Json::object()));
    rest.push_back(object("Cluster", name, "home", {{"home", true}}));
    rest.push_back(virtual_cluster(name, "dev", "home", name + "-dev"));
  }
  put("home", projects);
  REQUIRE(eventually(
      [&] {
        return std::all_of(names.begin(), names.end(), [](const std::string& name) {
          return get("home", "namespace", name).has_value();
        });
      },
      60));
  put("home", rest);
  return names;
}

}  // namespace it
