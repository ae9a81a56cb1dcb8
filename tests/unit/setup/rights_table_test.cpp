// docs/reference/rights.md says which verb on which kind is done by which account: what the roles
// have.
#include <cstdlib>
#include <map>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/setup/install.hpp>
#include <kubist/setup/target.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "support/paths.hpp"

using namespace kubist;
using namespace kubist::setup;
using data::Json;
using util::cat;

namespace {

std::string words(const Json& list, const char* between) {
  std::string text;
  for (const Json& each : list) {
    text += (text.empty() ? "" : between) + each.get<std::string>();
  }
  return text;
}

/// A line for each rule.
std::string table(const Json& role) {
  std::string text = "| kinds | of the group | names | verbs |\n|---|---|---|---|\n";
  for (const Json& rule : role.at("rules")) {
    const std::string group = words(rule.at("apiGroups"), ", ");
    text += cat("| ", words(rule.at("resources"), ", "), " | ", group.empty() ? "core" : group,
                " | ", rule.contains("resourceNames") ? words(rule["resourceNames"], ", ") : "any",
                " | ", words(rule.at("verbs"), ", "), " |\n");
  }
  return util::replace_all(text, "*", "all");
}

/// The role of that kind and namespace among these objects.
Json role_in(const std::vector<Json>& objects, std::string_view kind, std::string_view ns,
             std::string_view name = {}) {
  for (const Json& object : objects) {
    if (data::string_at(object, {"kind"}) == kind &&
        data::string_at(object, {"metadata", "namespace"}) == ns &&
        (name.empty() || data::string_at(object, {"metadata", "name"}) == name)) {
      return object;
    }
  }
  FAIL("no ", kind, " in namespace '", ns, "'");
  return {};
}

/// The tables, by the word of their markers.
std::map<std::string, std::string> tables() {
  const auto printed = project_rbac({"PROJECT", "PROJECT", "ops", "kubist", {"NAMESPACE"}});
  const auto creating = project_rbac({"PROJECT", "PROJECT", "ops", "kubist", {"NAMESPACE"}, true});
  return {{"virtual-cluster", table(role_in(project_roles(), "ClusterRole", "", k_project_role))},
          {"project", table(role_in(project_roles(), "ClusterRole", "", k_own_namespace_role))},
          {"caller-project", table(role_in(printed, "Role", "PROJECT"))},
          {"caller-namespace", table(role_in(printed, "Role", "NAMESPACE"))},
          {"caller-cluster", table(role_in(printed, "ClusterRole", ""))},
          {"caller-creating", table(role_in(creating, "ClusterRole", ""))},
          {"controller", table(controller_role())},
          {"target", table(target_role())},
          {"init", table(role_in(init_rbac(), "ClusterRole", ""))}};
}

/// The page with these tables after their markers, `<!-- WORD -->`.
std::string filled(const std::string& page, const std::map<std::string, std::string>& tables) {
  std::string text;
  std::size_t markers = 0;
  bool old = false;
  for (const std::string& line : util::split(page, '\n')) {
    if (old && line.starts_with('|')) {
      continue;
    }
    old = false;
    text += line + '\n';
    if (line.starts_with("<!-- ") && line.ends_with(" -->")) {
      const auto found = tables.find(line.substr(5, line.size() - 9));
      REQUIRE_MESSAGE(found != tables.end(), line);
      text += found->second;
      old = true;
      ++markers;
    }
  }
  CHECK(markers == tables.size());
  text.pop_back();  // the last line's end
  return text;
}

}  // namespace

TEST_CASE("rights: docs/reference/rights.md has what the roles have") {
  const std::string path = paths::source_dir() + "/docs/reference/rights.md";
  const auto page = util::read_file(path);
  REQUIRE(page);
  const std::string expected = filled(*page, tables());
  if (std::getenv("KUBIST_TEST_ACCEPT") != nullptr) {
    REQUIRE(util::write_file(path, expected));
  }
  CHECK_MESSAGE(*page == expected, "KUBIST_TEST_ACCEPT=1 writes what changed into ", path);
}
