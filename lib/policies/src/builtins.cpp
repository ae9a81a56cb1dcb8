#include <kubist/policies/approval.hpp>
#include <kubist/policies/builtins.hpp>
#include <kubist/policies/health.hpp>
#include <kubist/policies/json_patch.hpp>
#include <kubist/policies/statistical_policy.hpp>
#include <kubist/policies/timed.hpp>
#include <kubist/policies/timed_window.hpp>

namespace kubist::policies {

const std::vector<Builtin>& builtins() {
  static const std::vector<Builtin> table{approval(),    health(), json_patch(),
                                          statistical(), timed(),  timed_window()};
  return table;
}

void add_builtins(engine::PolicyCatalog& catalog) {
  for (const Builtin& builtin : builtins()) {
    catalog.add_builtin(builtin.definition, builtin.aliases);
  }
}

}  // namespace kubist::policies
