// Everything at once, by chance: what a user wants and what others spoil changes while requests
// fail, kubist is killed, and the API server and etcd begin anew. At the end all is as the test's
// model says. The slices run it: KUBIST_SOAK_SECONDS says how long ($KUBIST_TEST_SEED repeats it).
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <thread>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "rules.hpp"
#include "support.hpp"
#include "support/fault_proxy.hpp"
#include "support/paths.hpp"

namespace {

using namespace faults;
using namespace it;
using kubist::util::cat;
using Clock = std::chrono::steady_clock;

std::chrono::seconds soak_time() {
  const char* given = std::getenv("KUBIST_SOAK_SECONDS");
  return std::chrono::seconds(given == nullptr ? 120 : std::atoi(given));
}

std::uint32_t seed() {
  const char* given = std::getenv("KUBIST_TEST_SEED");
  return given == nullptr ? std::random_device()()
                          : static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10));
}

/// Of the rules one is in force at a time, and often none.
std::vector<Json> spoilers() {
  const Json writes{{"method", "WRITE"}};
  const Json reads{{"method", "GET"}};
  return {Json::array(),
          Json::array({first(3, "reset", writes)}),
          Json::array({after(first(3, "reset", writes))}),
          Json::array({after(first(3, "abort", writes))}),
          Json::array({status(5, 503)}),
          Json::array({after(status(2, 503, writes))}),
          Json::array({status(5, 429, {{"retryAfter", "1"}})}),
          Json::array({status(3, 409, {{"method", "PATCH"}})}),
          Json::array({status(3, 410, reads)}),
          Json::array({status(5, 500, reads)}),
          Json::array({first(20, "goaway")}),
          Json::array({first(20, "latency", {{"milliseconds", 300}})})};
}

/// A project as its user wants it, a kubist that watches it, and who disturbs both.
class Soak {
 public:
  Soak(const std::string& project, std::uint32_t seed)
      : m_project(project), m_chance(seed), m_spoilers(spoilers()) {
    put("home", {object("Cluster", project, "home", {{"home", true}})});
    for (int i = 0; i < 4; ++i) {
      add_place();
    }
    change_item();
    start();
  }

  void step() {
    using Step = void (Soak::*)();
    // By how often.
    static const std::vector<std::pair<int, Step>> k_steps{
        {6, &Soak::change_place}, {4, &Soak::change_item}, {2, &Soak::add_place},
        {2, &Soak::remove_place}, {4, &Soak::take_label},  {4, &Soak::take_map},
        {3, &Soak::note},         {6, &Soak::spoil},       {1, &Soak::kill},
        {1, &Soak::restart}};
    int all = 0;
    for (const auto& [share, what] : k_steps) {
      all += share;
    }
    int at = below(all);
    for (const auto& [share, what] : k_steps) {
      if (at < share) {
        (this->*what)();
        break;
      }
      at -= share;
    }
    ++m_steps;
    std::this_thread::sleep_for(std::chrono::milliseconds(100 + below(400)));
  }

  /// What is not as it should be; empty: nothing.
  std::string difference() const {
    std::string all;
    for (const auto& [name, place] : m_places) {
      const std::string ns = cat(m_project, '-', name);
      const auto live = get("home", "namespace", ns);
      const bool ready = condition(get("home", "kvc", name, m_project), "Ready") == "True";
      const bool labelled = live && label(ns, "tier") == place.tier;
      const bool noted =
          live && (place.note.empty() ||
                   kubist::data::string_at(
                       *live, {"metadata", "annotations", "example.com/note"}) == place.note);
      all += ready && labelled && noted
                 ? ""
                 : cat(name, ready ? "" : " is not Ready", labelled ? "" : " has another tier",
                       noted ? "" : " has lost its note", "; ");
    }
    for (const Json& each : list("home", "kvc", m_project)) {
      const std::string name = each["metadata"]["name"];
      all += m_places.contains(name) ? "" : cat(name, " is still there; ");
    }
    for (const Json& each : list("home", "namespace")) {
      const std::string name = each["metadata"]["name"];
      const bool ours = name.starts_with(m_project + '-');
      all += !ours || m_places.contains(name.substr(m_project.size() + 1))
                 ? ""
                 : cat("namespace ", name, " is still there; ");
    }
    const auto map = get("home", "configmap", "web", m_project + "-place-0");
    const bool current = map && (*map)["data"]["value"] == std::to_string(m_value);
    return all + (current ? "" : "the item's ConfigMap is not the last one; ");
  }

  /// Nobody disturbs any more.
  void calm() {
    m_proxy.rules(Json::array());
    if (m_watch->wait(0)) {
      start();
    }
  }
  std::string output() const { return m_watch->output(); }
  int steps() const { return m_steps; }
  int kills() const { return m_kills; }
  int restarts() const { return m_restarts; }

 private:
  struct Place {
    std::string tier;
    std::string note;  ///< another client's annotation, which must stay
  };

  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(m_chance); }
  std::pair<const std::string, Place>& any_place() {
    return *std::next(m_places.begin(), below(static_cast<int>(m_places.size())));
  }
  bool is_there(const std::string& name) const {
    const auto live = get("home", "namespace", cat(m_project, '-', name));
    return live && !live->at("metadata").contains("deletionTimestamp");
  }

  void start() {
    m_watch = std::make_unique<Background>(
        m_proxy.through({"reconcile", "Project/" + m_project, "--watch", "--request-timeout=5s"}));
  }
  void write_place(const std::string& name) const {
    put("home", {virtual_cluster(m_project, name, "home", cat(m_project, '-', name),
                                 {{"labels", {{"tier", m_places.at(name).tier}}}})});
  }
  void add_place() {
    if (m_places.size() < 8) {
      const std::string name = cat("place-", m_next++);
      m_places[name].tier = "new";
      write_place(name);
    }
  }
  void remove_place() {
    const std::string name = any_place().first;
    if (m_places.size() > 2 && name != "place-0") {  // the item's
      m_places.erase(name);
      it::remove("home", "kvc", name, m_project);
    }
  }
  void change_place() {
    auto& [name, place] = any_place();
    place.tier = cat("t", m_steps);
    write_place(name);
  }
  void change_item() {
    ++m_value;
    Json item =
        object("DeployItem", m_project, "web",
               yaml(cat("{type: kubist.io/manifest, target: {name: place-0}, config: {manifests: "
                        "[{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {value: '",
                        m_value, "'}}]}}")));
    item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
    put("home", {item});
  }
  void take_label() {
    const std::string name = any_place().first;
    if (is_there(name)) {
      patch("home", "namespace", cat(m_project, '-', name), "", kubist::kube::PatchType::merge,
            {{"metadata", {{"labels", {{"tier", nullptr}}}}}});
    }
  }
  void take_map() { it::remove("home", "configmap", "web", m_project + "-place-0"); }
  void note() {
    auto& [name, place] = any_place();
    if (is_there(name)) {
      place.note = cat("n", m_steps);
      patch("home", "namespace", cat(m_project, '-', name), "", kubist::kube::PatchType::merge,
            {{"metadata", {{"annotations", {{"example.com/note", place.note}}}}}});
    }
  }
  void spoil() { m_proxy.rules(m_spoilers[static_cast<std::size_t>(below(12))]); }
  void kill() {
    ++m_kills;
    m_watch->signal(SIGKILL);
    m_watch->wait(10);
    start();
  }
  void restart() {
    ++m_restarts;
    const std::string which = below(2) == 0 ? "etcd" : "apiserver";
    const auto done = kubist::util::run_command(
        {.args = {kubist::paths::source_dir() + "/tests/cluster/cluster", "restart", which}});
    REQUIRE_MESSAGE((done && done->exit_code == 0), which, ": ", done ? done->err : "");
    // The test's own client has connections that ended; roles are known some moments later.
    REQUIRE(eventually([&] {
      return client("home")->list(kubist::kube::well_known::namespaces(), "").has_value() &&
             client("home")->list(kubist::kube::well_known::config_maps(), m_project).has_value();
    }));
  }

  std::string m_project;
  std::mt19937 m_chance;
  std::vector<Json> m_spoilers;
  FaultProxy m_proxy;
  std::map<std::string, Place> m_places;
  int m_next = 0, m_value = 0, m_steps = 0, m_kills = 0, m_restarts = 0;
  std::unique_ptr<Background> m_watch;
};

/// Of a process: resident memory in kB, and open files.
std::pair<long, long> size_of(pid_t pid) {
  const auto status = kubist::util::read_file(cat("/proc/", pid, "/status"));
  REQUIRE(status);
  const auto at = status->find("VmRSS:");
  REQUIRE(at != std::string::npos);
  long files = 0;
  for ([[maybe_unused]] const auto& each :
       std::filesystem::directory_iterator(cat("/proc/", pid, "/fd"))) {
    ++files;
  }
  return {std::atol(status->c_str() + at + 6), files};
}

}  // namespace

TEST_CASE("soak: by chance, with faults, kills and restarts" * doctest::skip()) {
  World world("soak");
  world.make_project(world.name());
  const auto chance = seed();
  CAPTURE(chance);
  Soak soak(world.name(), chance);
  const auto until = Clock::now() + soak_time();
  while (Clock::now() < until) {
    soak.step();
  }
  soak.calm();
  std::string different;
  CHECK_MESSAGE(eventually([&] { return (different = soak.difference()).empty(); }, 120), different,
                soak.output());
  MESSAGE(soak.steps(), " steps, ", soak.kills(), " kills, ", soak.restarts(), " restarts");
  CHECK(soak.steps() > 60);
}

TEST_CASE("soak: memory and files are flat at 50 changes a second" * doctest::skip()) {
  World world("soakflat");
  const std::string project = world.name();
  make_place(world);
  Background watch({"reconcile", "Project/" + project, "--watch"});
  REQUIRE(eventually([&] { return condition(vc(project, "dev"), "Ready") == "True"; }));
  const auto change = [&](std::chrono::seconds time) {
    const auto start = Clock::now();
    int changes = 0;
    for (auto at = start; at < start + time; at += std::chrono::milliseconds(20)) {
      std::this_thread::sleep_until(at);
      patch("home", "kvc", "dev", project, kubist::kube::PatchType::merge,
            {{"spec", {{"labels", {{"tier", cat("t", changes++)}}}}}});
    }
    return changes;
  };
  change(std::chrono::seconds(10));
  const auto before = size_of(watch.pid());
  const int changes = change(soak_time() / 2);
  const auto after = size_of(watch.pid());
  MESSAGE(changes, " changes; kB and files ", before.first, " and ", before.second, ", then ",
          after.first, " and ", after.second);
  CHECK(after.first <= before.first * 5 / 4 + 4096);
  CHECK(after.second <= before.second + 8);
  CHECK(eventually([&] {
    return label(world.name("dev"), "tier") ==
           kubist::data::string_at(*vc(project, "dev"), {"spec", "labels", "tier"});
  }));
  watch.signal(SIGTERM);
  CHECK(watch.wait(20) == 143);
}
