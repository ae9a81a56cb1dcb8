#include <kubist/policies/ab_test.hpp>
#include <kubist/policies/approval.hpp>
#include <kubist/policies/blue_green.hpp>
#include <kubist/policies/builtins.hpp>
#include <kubist/policies/expression_policy.hpp>
#include <kubist/policies/health.hpp>
#include <kubist/policies/json_patch.hpp>
#include <kubist/policies/metric.hpp>
#include <kubist/policies/statistical_policy.hpp>
#include <kubist/policies/steps.hpp>
#include <kubist/policies/timed.hpp>
#include <kubist/policies/timed_window.hpp>

namespace kubist::policies {

const std::vector<Builtin>& builtins() {
  static const std::vector<Builtin> table{ab_test(), approval(),   blue_green(),  expression(),
                                          health(),  json_patch(), metric(),      statistical(),
                                          steps(),   timed(),      timed_window()};
  return table;
}

void add_builtins(engine::PolicyCatalog& catalog) {
  for (const Builtin& builtin : builtins()) {
    catalog.add_builtin(builtin.definition, builtin.aliases);
  }
}

}  // namespace kubist::policies
