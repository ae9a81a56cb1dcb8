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

struct Line {
  std::string text;
  std::chrono::steady_clock::time_point said = std::chrono::steady_clock::now();
};
using Lines = std::vector<Line>;

/// Waits for a ConfigMap to be gone that nobody deletes, until the lines are `enough`; what it
/// said.
Lines lines_of(const TestNamespace& ns, const std::string& name, apply::WaitOptions options,
               const std::function<bool(const Lines& lines)>& enough) {
  Lines lines;
  std::stop_source over;
  options.events = false;
  options.progress_every = 50ms;
  options.on_progress = [&](std::string_view line) {
    lines.push_back({std::string(line)});
    if (enough(lines)) {
      over.request_stop();
    }
  };
  const auto client = home();
  const auto left = apply::wait_gone(
      *client, {{kube::well_known::config_maps(), ns.name(), name, ""}}, options, over.get_token());
  CHECK(left.size() == 1);
  return lines;
}

}  // namespace

TEST_CASE("wait: a line is said when the state has changed, not over and over") {
  const TestNamespace ns;
  run_kubectl({"-n", ns.name(), "create", "cm", "held"});
  const auto steady =
      lines_of(ns, "held", {.timeout = 60s, .heartbeat = 2s}, [](const Lines& lines) {
        return lines.size() > 1 && lines.back().text == lines[lines.size() - 2].text &&
               lines.back().text.find("still there") != std::string::npos;
      });
  REQUIRE(steady.size() > 1);  // "not seen yet" may come first
  CHECK(steady.back().text.find("still there") != std::string::npos);
  for (std::size_t at = 1; at < steady.size(); ++at) {
    const bool is_new = steady[at].text != steady[at - 1].text;
    CHECK((is_new || steady[at].said - steady[at - 1].said >= 1s));
  }

  const auto changed = lines_of(ns, "held", {.timeout = 60s}, [&](const Lines& lines) {
    if (lines.size() == 1) {
      CHECK(run_kubectl({"-n", ns.name(), "patch", "cm", "held", "--type=merge", "-p",
                         R"({"metadata":{"finalizers":["example.com/hold"]}})"})
                .exit_code == 0);
    }
    return lines.back().text.find("example.com/hold") != std::string::npos;
  });
  CHECK(changed.size() >= 2);
  CHECK(changed.size() <= 3);
  REQUIRE(!changed.empty());
  CHECK(changed.back().text.find("example.com/hold") != std::string::npos);

  // What has not changed is said again, once in a heartbeat.
  const auto alive = lines_of(ns, "held", {.timeout = 60s, .heartbeat = 500ms},
                              [](const Lines& lines) { return lines.size() == 4; });
  REQUIRE(alive.size() == 4);
  CHECK(alive[3].text == alive[2].text);
  CHECK(alive[3].said - alive[2].said >= 100ms);
  run_kubectl({"-n", ns.name(), "patch", "cm", "held", "--type=merge", "-p",
               R"({"metadata":{"finalizers":null}})"});
}
