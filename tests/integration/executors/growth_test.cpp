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

}  // namespace

TEST_CASE("unchanged: a virtual cluster more is one list more, as the project's account") {
  World world("growth");
  const std::string project = world.name();
  world.make_project(project);
  put("home", {object("Cluster", project, "home", {{"home", true}})});
  const Words reconcile = world.as_user({"reconcile", "Project/" + project});
  const auto unchanged = [&](int first, int end) {
    put("home", environments(project, first, end));
    must(run_kubist(reconcile));
    Audit audit("home");
    const std::string out = must(run_kubist(reconcile));
    CHECK_MESSAGE(out.find("; 0 writes") != std::string::npos, out);
    return requests_of(audit, world.user());
  };
  constexpr int k_few = 10, k_more = 20;
  auto few = unchanged(0, k_few);
  auto more = unchanged(k_few, k_more);
  const std::string listed =
      cat("list configmaps system:serviceaccount:", project, ":kubist-project");
  CHECK(few[listed] == k_few);
  CHECK(more[listed] == k_more);
  few.erase(listed);
  more.erase(listed);
  CHECK(few.size() > 10);
  for (const auto& [what, count] : more) {
    CHECK_MESSAGE(count <= few[what], what, ": ", few[what], ", then ", count);
  }
}
