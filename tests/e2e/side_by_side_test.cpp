// Under --watch what takes its time holds up nothing else.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/programs.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

constexpr int k_scripts = 16;  // as many as --parallelism has places by default

std::string script_name(int i) { return cat("s", i); }

Json script(const std::string& ns, int i, const std::string& text) {
  const Json item{{"name", "run"},
                  {"type", "Script"},
                  {"image", "localhost/busybox:1"},
                  {"timeout", "15m"},
                  {"script", text}};
  return object("Execution", ns, script_name(i),
                {{"virtualClusterRef", {{"name", "dev"}}}, {"items", Json::array({item})}});
}

std::vector<std::string> phases(const std::string& ns) {
  std::vector<std::string> all;
  for (const Json& item : list("home", k_items, ns)) {
    all.emplace_back(data::string_at(item, {"status", "phase"}));
  }
  return all;
}

/// Running pods of scripts, by their uids.
std::set<std::string> running_pods(const std::string& ns) {
  std::set<std::string> uids;
  for (const Json& pod : list("home", "pod", ns)) {
    if (data::string_at(pod, {"status", "phase"}) == "Running") {
      uids.emplace(data::string_at(pod, {"metadata", "uid"}));
    }
  }
  return uids;
}

std::string namespace_uid(const std::string& name) {
  const auto live = get("home", "namespace", name);
  const bool goes = live && (*live)["metadata"].contains("deletionTimestamp");
  return live && !goes ? std::string(data::string_at(*live, {"metadata", "uid"})) : "";
}

/// Ends every sleep of that many seconds.
void end_naps(const std::string& nap) {
  while (const auto sleeper = process_with({cat("sleep", '\0', nap, '\0')})) {
    ::kill(*sleeper, SIGKILL);
  }
}

/// Definitions are cluster-scoped: it goes with this.
class HangingPolicy {
 public:
  HangingPolicy(std::string name, const std::string& program) : m_name(std::move(name)) {
    put("home", {{{"apiVersion", "kubist.io/v1alpha1"},
                  {"kind", "ClusterPolicyDefinition"},
                  {"metadata", {{"name", m_name}}},
                  {"spec", {{"runtime", {{"exec", program}}}}}}});
  }
  ~HangingPolicy() { it::remove("home", "clusterpolicydefinitions.kubist.io", m_name); }
  HangingPolicy(const HangingPolicy&) = delete;
  HangingPolicy& operator=(const HangingPolicy&) = delete;
  const std::string& name() const { return m_name; }

 private:
  std::string m_name;
};

}  // namespace

TEST_CASE("side by side: neither scripts that run nor a policy that hangs hold up what drifted") {
  World world("beside");
  const std::string ns = world.name();
  world.make_project(ns);
  const std::string nap = cat(2'000'000 + ::getpid());  // seconds: the words of no other sleep
  const std::string hang = cat(3'000'000 + ::getpid());
  Programs programs;
  programs.add("hang", cat("exec sleep ", hang), ", timeout: 900s");
  const HangingPolicy policy(world.name("hang"), "hang");
  std::vector<Json> objects{
      object("Cluster", ns, "home", {{"home", true}}),
      virtual_cluster(ns, "dev", "home", world.name("dev")),
      virtual_cluster(ns, "other", "home", world.name("other")),
      virtual_cluster(ns, "stuck", "home", world.name("stuck"),
                      {{"policies", Json::array({{{"name", policy.name()}}})}})};
  objects.push_back({{"apiVersion", "v1"},
                     {"kind", "Namespace"},
                     {"metadata", {{"name", world.name("system")}}}});
  put("home", objects);
  Background watch({"reconcile", "Project/" + ns, "--watch"});
  for (int i = 0; i < k_scripts; ++i) {  // each is a change, and so a run, of its own
    put("home", {script(ns, i, cat("sleep ", nap, " || true"))});
    REQUIRE_MESSAGE(
        eventually([&] { return phases(ns).size() == static_cast<std::size_t>(i) + 1; }, 60),
        watch.output());
  }
  REQUIRE_MESSAGE(
      eventually([&] { return running_pods(world.name("dev")).size() == k_scripts; }, 180),
      watch.output());
  REQUIRE(eventually([&] { return process_with({cat("sleep", '\0', hang, '\0')}).has_value(); }));
  const auto running = running_pods(world.name("dev"));

  const std::string before = namespace_uid(world.name("other"));
  REQUIRE(!before.empty());
  it::remove("home", "namespace", world.name("other"));
  const auto is_made_again = [&] {
    const std::string uid = namespace_uid(world.name("other"));
    return !uid.empty() && uid != before;
  };
  CHECK_MESSAGE(eventually(is_made_again, 60), watch.output());
  put("home",
      {virtual_cluster(ns, "other", "home", world.name("other"), {{"labels", {{"tier", "new"}}}}),
       virtual_cluster(ns, "late", "home", world.name("late"))});
  CHECK_MESSAGE(eventually([&] { return label(world.name("other"), "tier") == "new"; }, 60),
                watch.output());
  CHECK_MESSAGE(
      eventually([&] { return condition(get("home", "kvc", "late", ns), "Ready") == "True"; }, 60),
      watch.output());
  // All that was while every script ran and the policy hung.
  CHECK(running_pods(world.name("dev")) == running);
  CHECK(phases(ns) == std::vector<std::string>(k_scripts, "Progressing"));
  CHECK(process_with({cat("sleep", '\0', hang, '\0')}).has_value());
  CHECK(condition(get("home", "kvc", "stuck", ns), "Ready") != "True");

  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(5) == 143, watch.output());
  CHECK(running_pods(world.name("dev")) == running);

  // So does a controller, which others share the work with: it ends with 0.
  Background controller({"controller", "--bind-address", "0", "-n", world.name("system")});
  REQUIRE_MESSAGE(
      eventually([&] { return process_with({cat("sleep", '\0', hang, '\0')}).has_value(); }, 60),
      controller.output());
  it::remove("home", "namespace", world.name("late"));
  CHECK_MESSAGE(eventually([&] { return !namespace_uid(world.name("late")).empty(); }, 60),
                controller.output());
  controller.signal(SIGTERM);
  CHECK_MESSAGE(controller.wait(5) == 0, controller.output());
  CHECK(running_pods(world.name("dev")) == running);
  CHECK(phases(ns) == std::vector<std::string>(k_scripts, "Progressing"));

  // The next process takes up what runs.
  patch("home", "kvc", "stuck", ns, kubist::kube::PatchType::merge,
        {{"spec", {{"policies", nullptr}}}});
  Background next({"reconcile", "Project/" + ns, "--timeout=300s"});
  end_naps(nap);
  CHECK_MESSAGE(next.wait(300) == 0, next.output());
  CHECK(phases(ns) == std::vector<std::string>(k_scripts, "Succeeded"));
}
