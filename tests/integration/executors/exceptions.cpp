#include "exceptions.hpp"

#include <cstdlib>
#include <exception>

#include <doctest/doctest.h>

#include <kubist/setup/install.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "support/live.hpp"
#include "support/paths.hpp"

namespace it {

using namespace kubist;
using data::Json;
using util::cat;

namespace {

const std::string k_rbac = "rbac.authorization.k8s.io";

Json controller_rules() {
  Json rules = setup::controller_role()["rules"];
  rules.push_back({{"apiGroups", {"coordination.k8s.io"}},
                   {"resources", {"leases"}},
                   {"verbs", {"get", "list", "create", "update", "delete"}}});
  return rules;
}

Json rules_of(const std::string& verbs, const std::string& resources) {
  const auto dot = resources.find('.');
  const std::string group = dot == std::string::npos ? "" : resources.substr(dot + 1);
  return Json::array({{{"verbs", util::split(verbs, ',')},
                       {"resources", util::split(resources.substr(0, dot), ',')},
                       {"apiGroups", {group}}}});
}

/// A role, and its binding to the group.
void give(const std::string& ns, const std::string& name, const Json& rules,
          const std::string& group) {
  const std::string kind = ns.empty() ? "ClusterRole" : "Role";
  Json meta{{"name", name}};
  if (!ns.empty()) {
    meta["namespace"] = ns;
  }
  put("home",
      {{{"apiVersion", k_rbac + "/v1"}, {"kind", kind}, {"metadata", meta}, {"rules", rules}},
       {{"apiVersion", k_rbac + "/v1"},
        {"kind", kind + "Binding"},
        {"metadata", meta},
        {"roleRef", {{"apiGroup", k_rbac}, {"kind", kind}, {"name", name}}},
        {"subjects", Json::array({{{"apiGroup", k_rbac}, {"kind", "Group"}, {"name", group}}})}}});
}

}  // namespace

std::string exception_of(const std::string& test) {
  if (const char* tried = std::getenv("KUBIST_TEST_RIGHTS")) {
    return tried;
  }
  const auto table = util::read_file(paths::source_dir() + "/tests/rights-exceptions.tsv");
  REQUIRE(table);
  for (const std::string& line : util::split(*table, '\n')) {
    const auto cells = util::split(line, '\t');
    if (cells.front() == test) {
      return cells[1];
    }
  }
  return {};
}

void ExtraRights::grant(const std::string& group, const std::string& rights) {
  for (const std::string& each : util::split(rights, ';')) {
    const std::string text(util::trim(each));
    const auto words = util::split(text, ' ');
    const bool controller = text == "controller";
    REQUIRE_MESSAGE((controller || words.size() == 2 || (words.size() == 4 && words[2] == "in")),
                    text);
    const Right right{text, words.size() == 4 ? words[3] : "",
                      cat(group, "-extra-", m_rights.size())};
    give(right.ns, right.role, controller ? controller_rules() : rules_of(words[0], words[1]),
         group);
    m_rights.push_back(right);
  }
}

// What is judged beside requests leaves no trace: to impersonate, and to bind a role.
void ExtraRights::check_used(const Right& right) {
  const bool traced = !right.text.starts_with("impersonate ") && !right.text.starts_with("bind ");
  if (traced && std::uncaught_exceptions() == 0) {
    CHECK_MESSAGE(m_audit.let_through(right.role),
                  "a right of tests/rights-exceptions.tsv is not needed: ", right.text);
  }
}

void ExtraRights::end() {
  namespace known = kube::well_known;
  for (const Right& right : m_rights) {
    check_used(right);
    const bool everywhere = right.ns.empty();
    for (const auto* of :
         {everywhere ? &known::cluster_roles() : &known::roles(),
          everywhere ? &known::cluster_role_bindings() : &known::role_bindings()}) {
      static_cast<void>(client("home")->run(kube::remove(*of, right.ns, right.role)));
    }
  }
  m_rights.clear();
}

}  // namespace it
