// What waiting says: each state once, and a sign of life now and then.
#include <doctest/doctest.h>

#include <kubist/apply/wait.hpp>
#include <kubist/kube/kubeconfig.hpp>

#include "apply_support.hpp"

using namespace kubist;
using namespace kubist::testing;
using namespace std::chrono_literals;

namespace {

std::shared_ptr<kube::Client> home() {
  return kube::Client::connect(kube::find_access({}, kube::process_environment()).value()).value();
}

/// Waits for a ConfigMap to be gone that nobody deletes; the lines that it says.
std::vector<std::string> lines_of(const TestNamespace& ns, const std::string& name,
                                  apply::WaitOptions options,
                                  const std::function<void(std::size_t)>& after_line = {}) {
  std::vector<std::string> lines;
  options.events = false;
  options.progress_every = 50ms;
  options.on_progress = [&](std::string_view line) {
    lines.emplace_back(line);
    if (after_line) {
      after_line(lines.size());
    }
  };
  const auto client = home();
  const auto left =
      apply::wait_gone(*client, {{kube::well_known::config_maps(), ns.name(), name, ""}}, options);
  CHECK(left.size() == 1);
  return lines;
}

}  // namespace

TEST_CASE("wait: a line is said when the state has changed, not over and over") {
  const TestNamespace ns;
  run_kubectl({"-n", ns.name(), "create", "cm", "held"});
  const auto steady = lines_of(ns, "held", {.timeout = 2s});
  REQUIRE(steady.size() <= 2);  // "not seen yet" may come first
  CHECK(steady.back().find("still there") != std::string::npos);

  const auto changed = lines_of(ns, "held", {.timeout = 3s}, [&](std::size_t count) {
    if (count == 1) {
      run_kubectl({"-n", ns.name(), "patch", "cm", "held", "--type=merge", "-p",
                   R"({"metadata":{"finalizers":["example.com/hold"]}})"});
    }
  });
  REQUIRE(changed.size() >= 2);
  CHECK(changed.size() <= 3);
  CHECK(changed.back().find("example.com/hold") != std::string::npos);

  const auto alive = lines_of(ns, "held", {.timeout = 2s, .heartbeat = 500ms});
  CHECK(alive.size() >= 3);
  CHECK(alive.size() <= 5);
  run_kubectl({"-n", ns.name(), "patch", "cm", "held", "--type=merge", "-p",
               R"({"metadata":{"finalizers":null}})"});
}
