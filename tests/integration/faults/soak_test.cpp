// Everything at once, by chance: what a user wants and what others spoil changes while requests
// fail, kubist is killed, and the API server and etcd begin anew. At the end all is as the test's
// model says. The slices run it: KUBIST_SOAK_SECONDS says how long ($KUBIST_TEST_SEED repeats it).
#include "soak.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <thread>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"
#include "support/fault_proxy.hpp"
#include "support/paths.hpp"

namespace {

using namespace faults;
using namespace it;
using kubist::util::cat;
using Clock = std::chrono::steady_clock;

std::uint32_t seed() {
  const char* given = std::getenv("KUBIST_TEST_SEED");
  return given == nullptr ? std::random_device()()
                          : static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10));
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
        {6, &Soak::change_place}, {4, &Soak::change_item},   {2, &Soak::add_place},
        {2, &Soak::remove_place}, {4, &Soak::take_label},    {4, &Soak::take_map},
        {3, &Soak::note},         {8, &Soak::spoil},         {1, &Soak::kill},
        {1, &Soak::restart_etcd}, {1, &Soak::restart_server}};
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
    begin_anew();
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

  /// What is rare, and has not come by chance.
  void make_up() {
    using Step = void (Soak::*)();
    for (const auto& [count, what] : {std::pair<int, Step>{m_kills, &Soak::kill},
                                      {m_restarts.at("etcd"), &Soak::restart_etcd},
                                      {m_restarts.at("apiserver"), &Soak::restart_server}}) {
      if (count == 0) {
        (this->*what)();
      }
    }
  }
  /// Nobody disturbs any more.
  void calm() {
    m_proxy.rules(Json::array());
    begin_anew();
  }
  std::string output() const { return m_watch->output(); }
  Json faults() const { return m_faults; }
  int steps() const { return m_steps; }
  int kills() const { return m_kills; }
  int restarts(const std::string& component) const { return m_restarts.at(component); }
  /// How often kubist gave up by itself, as it does where it cannot begin.
  int ends() const { return m_ends; }

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
  /// As who supervises it would.
  void begin_anew() {
    if (const auto ended = m_watch->wait(0)) {
      ++m_ends;
      CHECK_MESSAGE(ended < 128, m_watch->output());  // none by a signal
      start();
    }
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
  void spoil() {
    note_faults();
    const Json& rules = *std::next(m_spoilers.begin(), below(static_cast<int>(m_spoilers.size())));
    m_rules = rules;
    m_proxy.rules(rules);
    if (rules == half_open()) {
      m_proxy.cut();  // so that it connects anew
    }
  }
  /// Those that were met since the rules were given.
  void note_faults() {
    const auto counts = m_proxy.counts();
    for (std::size_t at = 0; at < counts.size(); ++at) {
      m_faults[m_rules[at]["fault"]] += counts[at].acted;
    }
  }
  void kill() {
    m_watch->signal(SIGKILL);
    m_kills += m_watch->wait(10) == 128 + SIGKILL ? 1 : 0;
    start();
  }
  void restart_etcd() { restart("etcd"); }
  void restart_server() { restart("apiserver"); }
  void restart(const std::string& which) {
    ++m_restarts[which];
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
  Json m_rules = Json::array();         ///< those in force
  std::map<std::string, int> m_faults;  ///< met so far
  FaultProxy m_proxy;
  std::map<std::string, Place> m_places;
  int m_next = 0, m_value = 0, m_steps = 0, m_kills = 0, m_ends = 0;
  std::map<std::string, int> m_restarts{{"etcd", 0}, {"apiserver", 0}};
  std::unique_ptr<Background> m_watch;
};

}  // namespace

TEST_CASE("soak: by chance, with faults, kills and restarts" * doctest::skip()) {
  World world("soak");
  world.make_project(world.name());
  const auto chance = seed();
  CAPTURE(chance);
  Soak soak(world.name(), chance);
  const auto until = Clock::now() + soak_time();
  for (bool made_up = false; Clock::now() < until;) {
    soak.step();
    if (!made_up && Clock::now() > until - soak_time() / 2) {
      made_up = true;
      soak.make_up();
    }
  }
  soak.calm();
  std::string different;
  CHECK_MESSAGE(eventually([&] { return (different = soak.difference()).empty(); }, 120), different,
                soak.output());
  // The cluster's controllers ended with its API server: who comes next counts on them.
  put("home", {kubist::testing::plain("Namespace", "", world.name("after"))});
  CHECK(eventually(
      [&] { return get("home", "serviceaccount", "default", world.name("after")).has_value(); },
      60));
  MESSAGE(soak.steps(), " steps, ", soak.kills(), " kills, ", soak.ends(), " ends, restarts: etcd ",
          soak.restarts("etcd"), ", API server ", soak.restarts("apiserver"), ", faults ",
          soak.faults().dump());
  CHECK(soak.steps() * 3 > soak_time().count());
  CHECK(soak.kills() > 0);
  CHECK(soak.restarts("etcd") > 0);
  CHECK(soak.restarts("apiserver") > 0);
}
