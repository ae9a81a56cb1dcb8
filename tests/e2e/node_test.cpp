// A node that really stops answering: its kubelet is killed, its pods run on. No other test may use
// the node meanwhile.
#include <csignal>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/support.hpp"
#include "support/paths.hpp"

namespace {

using namespace it;
using namespace std::chrono_literals;
using kubist::util::cat;
namespace data = kubist::data;

constexpr const char* k_items = "deployitems.landscaper.gardener.cloud";

/// The node's kubelet, stopped until start() or the end, and a node monitor that notices soon.
class StoppedKubelet {
 public:
  StoppedKubelet() { must(control("stop")); }
  ~StoppedKubelet() {
    if (!m_started) {
      control("start");
    }
  }
  StoppedKubelet(const StoppedKubelet&) = delete;
  StoppedKubelet& operator=(const StoppedKubelet&) = delete;
  void start() {
    m_started = true;
    must(control("start"));
  }

 private:
  static CommandResult control(const std::string& what) {
    kubist::util::Command command;
    command.args = {kubist::paths::source_dir() + "/tests/cluster/cluster", "kubelet", what};
    command.timeout = 120s;
    auto result = kubist::util::run_command(command);
    return result ? *result : CommandResult{-1, "", result.error().to_string()};
  }
  bool m_started = false;
};

Json item_of(const World& world) { return *get("home", k_items, "job", world.name()); }

std::string ready(const Json& object, std::string_view part) {
  for (const Json& each : object["status"]["conditions"]) {
    if (each["type"] == "Ready") {
      return std::string(data::string_at(each, {part}));
    }
  }
  return {};
}

std::chrono::system_clock::time_point time_of(std::string_view text) {
  const auto time = kubist::util::parse_time(text);
  REQUIRE_MESSAGE(time, std::string(text));
  return *time;
}

}  // namespace

TEST_CASE("node: one that stops answering is told within 5 s; its run completes on its return") {
  World world("node");
  world.make_project(world.name());
  put("home", {Json{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                    {"kind", "DeployItem"},
                    {"metadata", {{"name", "job"}, {"namespace", world.name()}}},
                    {"spec",
                     {{"type", "kubist.io/script"},
                      {"config",
                       {{"image", "localhost/busybox:1"},
                        {"script",
                         "echo kept > $STATE/x; sleep 20; echo \"runs: $(ls $STATE | wc -l)\" > "
                         "$EXPORT_PATH"}}}}}}});
  Audit audit("home");
  const Words words = world.as_user({"deployitem", "reconcile", "job", "-n", world.name()});
  const auto says = [&](const std::string& why) {
    const Json item = item_of(world);
    return item.contains("status") && item["status"].contains("conditions") &&
           ready(item, "reason") == why;
  };
  std::optional<Background> driver(words);
  REQUIRE_MESSAGE(eventually([&] { return says("Running"); }, 120), driver->output());
  {
    StoppedKubelet kubelet;
    REQUIRE(eventually([] { return ready(*get("home", "node", "node0"), "status") == "Unknown"; },
                       120));
    CHECK(eventually([&] { return says("NodeLost"); }, 60));
    // By the API server's clock; the node's time has whole seconds.
    const auto unknown = time_of(ready(*get("home", "node", "node0"), "lastTransitionTime"));
    std::optional<std::chrono::system_clock::time_point> told;
    for (const Json& request : audit.requests(world.user())) {
      const auto at = time_of(data::string_at(request, {"requestReceivedTimestamp"}));
      if (data::string_at(request, {"objectRef", "resource"}) == "deployitems" &&
          data::string_at(request, {"objectRef", "subresource"}) == "status" && at >= unknown) {
        told = told.value_or(at);
      }
    }
    REQUIRE(told.has_value());
    // 5 s on a machine that is not busy.
    CHECK(*told - unknown < 20s);
    CHECK(ready(item_of(world), "message").find("node node0") != std::string::npos);

    // Who comes anew sees the same, and starts no pod either.
    driver->signal(SIGKILL);
    REQUIRE(driver->wait(10) == 128 + SIGKILL);
    driver.emplace(words);
    CHECK_MESSAGE(
        eventually([&] { return driver->output().find("stopped answering") != std::string::npos; }),
        driver->output());
    CHECK_FALSE(driver->wait(1));
    CHECK(says("NodeLost"));
    kubelet.start();
  }
  CHECK_MESSAGE(driver->wait(120) == 0, driver->output());
  CHECK(data::string_at(item_of(world), {"status", "phase"}) == "Succeeded");
  CHECK(must(run_kubist({"deployitem", "exports", "job", "--show", "-n", world.name()})) ==
        "runs: 1\n");
  std::size_t pods = 0;
  for (const AuditedWrite& write : audit.writes(world.user())) {
    pods += write.resource == "pods" && write.verb == "create" ? 1 : 0;
  }
  CHECK(pods == 1);
}
