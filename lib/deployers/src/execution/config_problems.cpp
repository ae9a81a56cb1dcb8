#include <kubist/data/pointer.hpp>
#include <kubist/deployers/config_problems.hpp>
#include <kubist/deployers/deployer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"

namespace kubist::deployers {
namespace {

util::Result<> check_config(const Json& deploy_item, const Settings& settings) {
  const auto type = data::string_at(deploy_item, {"spec", "type"});
  if (!type.starts_with(util::cat(resources::k_kubist_group, "/"))) {
    return {};
  }
  KUBIST_TRY(const Item item, parse_item(deploy_item));
  const Deployer* deployer = find_deployer(item.type, settings);
  return deployer == nullptr ? util::Result<>() : deployer->check(item, settings);
}

}  // namespace

std::vector<ConfigProblem> config_problems(const Json& object, const Settings& settings) {
  const resources::ObjectView view(object);
  std::vector<ConfigProblem> problems;
  if (deploy_items().api_version() == view.api_version() && view.kind() == deploy_items().kind) {
    if (const auto checked = check_config(object, settings); !checked) {
      problems.push_back({"/spec/config", checked.error()});
    }
  }
  if (executions().api_version() != view.api_version() || view.kind() != executions().kind) {
    return problems;
  }
  const Json& spec = view.spec();
  const auto group = render_execution({.object = object, .spec = spec});
  for (std::size_t i = 0; group && i < group->items.size(); ++i) {
    const RenderedItem& item = group->items[i];
    if (item.deploy_item.is_null()) {
      continue;  // its parts are known once it has been rendered
    }
    if (const auto checked = check_config(item.deploy_item, settings); !checked) {
      problems.push_back({util::cat("/spec/items/", i),
                          util::with_context(checked.error(), util::cat("item ", item.name))});
    }
  }
  return problems;
}

}  // namespace kubist::deployers
