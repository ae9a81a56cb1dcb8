// `kubist tree --watch`: what changes is shown by watches.
#include <map>

#include <doctest/doctest.h>
#include <signal.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"

using namespace it;
using kubist::data::string_at;

namespace {

void set_ready(const World& world, const char* status, const char* message) {
  patch("home", "virtualclusters.kubist.io", "dev", world.name(), kubist::kube::PatchType::merge,
        {{"status",
          {{"conditions", Json::array({{{"type", "Ready"},
                                        {"status", status},
                                        {"reason", "Unreachable"},
                                        {"message", message},
                                        {"lastTransitionTime", "2026-11-27T09:00:00Z"}}})}}}},
        "status");
}

bool has_line(const Background& watch, const std::vector<std::string>& words) {
  for (const std::string& line : kubist::util::split(watch.output(), '\n')) {
    if (std::all_of(words.begin(), words.end(), [&](const std::string& word) {
          return line.find(word) != std::string::npos;
        })) {
      return true;
    }
  }
  return false;
}

/// Lists of kubist's kinds, by resource, and how many watches.
std::pair<std::map<std::string, int>, int> asked(Audit& audit, const std::string& user) {
  std::map<std::string, int> lists;
  int watches = 0;
  for (const Json& event : audit.requests(user)) {
    if (string_at(event, {"verb"}) == "list") {
      ++lists[std::string(string_at(event, {"objectRef", "resource"}))];
    }
    watches += string_at(event, {"verb"}) == "watch" ? 1 : 0;
  }
  return {lists, watches};
}

}  // namespace

TEST_CASE("tree --watch: shows the tree and each line that changes, by watches") {
  World world("treewatch");
  make_place(world);
  const std::string dev = "VirtualCluster/" + world.name() + "/dev";
  Audit audit("home");
  Background watch(world.as_user({"tree", "--watch", "Project/" + world.name()}, "-tree"));
  REQUIRE_MESSAGE(eventually([&] {
                    return has_line(watch, {"VirtualCluster/dev", "-"});
                  }),
                  watch.output());
  CHECK(has_line(watch, {"NAME", "READY", "TREE", "REASON", "MESSAGE"}));
  must(run_kubist({"reconcile", "Project/" + world.name()}));
  CHECK_MESSAGE(eventually([&] { return has_line(watch, {dev, "True"}); }), watch.output());

  set_ready(world, "False", "gone for lunch");
  CHECK_MESSAGE(eventually([&] {
                  return has_line(watch, {dev, "False", "Unreachable", "gone for lunch"});
                }),
                watch.output());
  for (const char* message : {"one", "two", "three", "four", "five"}) {
    set_ready(world, "False", message);
    CHECK_MESSAGE(eventually([&] { return has_line(watch, {dev, message}); }), watch.output());
  }
  put("home", {virtual_cluster(world.name(), "late", "home", world.name("late"))});
  const std::string late = "VirtualCluster/" + world.name() + "/late";
  CHECK_MESSAGE(eventually([&] { return has_line(watch, {late}); }), watch.output());
  it::remove("home", "virtualclusters.kubist.io", "late", world.name());
  CHECK_MESSAGE(eventually([&] { return has_line(watch, {late, "Deleted"}); }), watch.output());

  watch.signal(SIGINT);
  CHECK_MESSAGE(watch.wait(20) == 130, watch.output());
  // Watches are in the audit log when they end. Each kind was listed before its watch, once.
  const auto [lists, watches] = asked(audit, world.user() + "-tree");
  CHECK(watches >= 10);
  CHECK(!lists.empty());
  for (const auto& [resource, count] : lists) {
    CAPTURE(resource);
    CHECK(count == 1);
  }
}

TEST_CASE("tree --watch: what is not there, and flags that do not go with it, are refused") {
  install_crds();
  CHECK(run_kubist({"tree", "--watch", "Project/nosuchproject"}).exit_code == 1);
  CHECK(run_kubist({"tree", "--watch", "-o", "json"}).exit_code == 64);
}
