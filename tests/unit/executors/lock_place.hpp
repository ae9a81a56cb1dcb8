#pragma once
#include <memory>
#include <string>
#include <vector>

#include <kubist/executors/lease.hpp>

#include "site.hpp"

namespace site {

/// A project's namespace on a cluster of its own, and the locks of who works there.
struct LockPlace {
  LockPlace() { home->put(plain("Namespace", "", "shop")); }

  executors::ProjectLocks::Options options(std::chrono::nanoseconds timeout = {}) {
    executors::ProjectLocks::Options made;
    made.identity = "me@test";
    made.run_id = "run-1";
    made.timeout = timeout;
    made.progress = [this](const std::string& line) { said.push_back(line); };
    made.clock = &clock;
    made.sleep = [this](auto duration, const auto& stop) {
      return clock.sleep_for(duration, stop);
    };
    return made;
  }
  /// Somebody else's Lease, renewed at that second.
  void held_by_other(int renewed = 0) {
    Json lease{
        {"apiVersion", "coordination.k8s.io/v1"},
        {"kind", "Lease"},
        {"metadata",
         {{"name", "kubist"},
          {"namespace", "shop"},
          {"annotations", {{"kubist.io/run", "run-7"}}}}},
        {"spec",
         {{"holderIdentity", "somebody@else"},
          {"leaseDurationSeconds", 15},
          {"renewTime", cat("2026-01-01T00:00:", renewed < 10 ? "0" : "", renewed, ".000000Z")}}}};
    home->put(lease);
  }
  std::string holder() {
    return std::string(
        data::string_at(home->get("leases", "kubist", "shop"), {"spec", "holderIdentity"}));
  }

  testing::FakeClock clock;
  std::vector<std::string> said;
  std::shared_ptr<testing::FakeCluster> home = std::make_shared<testing::FakeCluster>();
  std::shared_ptr<kube::Client> client = home->connect();
};

}  // namespace site
