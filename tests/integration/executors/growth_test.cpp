// What a run asks for where there is nothing to do, by the size of the tree.
#include <map>

#include <doctest/doctest.h>

#include "execution_support.hpp"

namespace {

using namespace it;
using namespace it::executions;

constexpr int k_each = 4;  // items of a virtual cluster

/// Virtual clusters of the home cluster, with items that keep a ConfigMap each.
std::vector<Json> environments(const std::string& project, int first, int end) {
  std::vector<Json> all;
  for (int v = first; v < end; ++v) {
    const std::string name = cat('v', v);
    all.push_back(virtual_cluster(project, name, "home", cat(project, '-', name)));
    for (int item = 0; item < k_each; ++item) {
      all.push_back(kept_item(project, cat(name, '-', item),
                              Json::array({kept_map(cat("made-", item))}), name));
    }
  }
  return all;
}

/// Verb and resource, and as whom.
std::map<std::string, int> requests_of(Audit& audit, const std::string& user) {
  std::map<std::string, int> counts;
  for (const Json& event : audit.requests(user)) {
    ++counts[cat(data::string_at(event, {"verb"}), ' ',
                 data::string_at(event, {"objectRef", "resource"}), ' ',
                 data::string_at(event, {"impersonatedUser", "username"}))];
  }
  return counts;
}

/// A project that grows, and what a run of it asks for that has nothing to do.
struct Growing {
  explicit Growing(World& of) : world(of) {
    world.make_project(world.name());
    put("home", {object("Cluster", world.name(), "home", {{"home", true}})});
  }
  /// With `count` virtual clusters.
  std::map<std::string, int> unchanged_with(int count) {
    const Words reconcile = world.as_user({"reconcile", "Project/" + world.name()});
    put("home", environments(world.name(), m_count, count));
    m_count = count;
    must(run_kubist(reconcile));
    Audit audit("home");
    const std::string out = must(run_kubist(reconcile));
    CHECK_MESSAGE(out.find("; 0 writes") != std::string::npos, out);
    auto requests = requests_of(audit, world.user());
    CHECK(requests.size() > 10);
    return requests;
  }
  World& world;

 private:
  int m_count = 0;
};

void check_no_growth(std::map<std::string, int> few, const std::map<std::string, int>& more) {
  for (const auto& [what, count] : more) {
    CHECK_MESSAGE(count <= few[what], what, ": ", few[what], ", then ", count);
  }
}

constexpr int k_few = 10, k_more = 20;

}  // namespace

TEST_CASE("unchanged: who may list all namespaces asks no more for more virtual clusters") {
  World world("level");
  Growing growing(world);
  const auto few = growing.unchanged_with(k_few);
  const auto more = growing.unchanged_with(k_more);
  CHECK(more.at("list configmaps ") >= 1);
  check_no_growth(few, more);
}

TEST_CASE("unchanged: with the printed rights a virtual cluster more is three requests more") {
  World world("growth");
  Growing growing(world);
  auto few = growing.unchanged_with(k_few);
  auto more = growing.unchanged_with(k_more);
  const std::string account = cat("system:serviceaccount:", world.name(), ":kubist-project");
  for (const std::string& each :
       {cat("list configmaps ", account), cat("get namespaces "), cat("get rolebindings ")}) {
    CHECK_MESSAGE(more[each] - few[each] == k_more - k_few, each, ": ", more[each]);
    few.erase(each);
    more.erase(each);
  }
  check_no_growth(few, more);
}
