#include "exceptions.hpp"

#include <doctest/doctest.h>

#include <kubist/setup/install.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "support/paths.hpp"

namespace it {

using namespace kubist;
using data::Json;

Json rules_of_exception(const std::string& rights) {
  Json rules = Json::array();
  for (const std::string& right : util::split(rights, ';')) {
    const auto words = util::split(std::string(util::trim(right)), ' ');
    if (words[0] == "controller") {
      const Json role = setup::controller_role()["rules"];
      rules.insert(rules.end(), role.begin(), role.end());
      rules.push_back({{"apiGroups", {"coordination.k8s.io"}},
                       {"resources", {"leases"}},
                       {"verbs", {"get", "list", "create", "update", "delete"}}});
      continue;
    }
    REQUIRE_MESSAGE(words.size() == 2, right);
    const auto dot = words[1].find('.');
    rules.push_back(
        {{"verbs", util::split(words[0], ',')},
         {"resources", {words[1].substr(0, dot)}},
         {"apiGroups", {dot == std::string::npos ? std::string() : words[1].substr(dot + 1)}}});
  }
  return rules;
}

std::string exception_of(const std::string& test) {
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

}  // namespace it
