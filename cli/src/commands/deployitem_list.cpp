#include <kubist/cli/context.hpp>

#include "commands.hpp"
#include "item_results.hpp"
#include "query/get_run.hpp"

namespace kubist::cli {

CommandSpec deployitem_list_command() {
  return {
      .path = "deployitem list",
      .group = "Day to day",
      .summary = "List DeployItems with their phases",
      .details =
          "The same as 'kubist get deployitems', with all its flags. EXPORTS counts how often the "
          "exports have changed, FINISHED is the time since the last run ended.",
      .arguments = "[NAME...]",
      .max_words = -1,
      .completes = Completes::deploy_items,
      .flags = get_flags(),
      .examples = {{"Of one project", "kubist deployitem list -n quickstart"},
                   {"Their names", "kubist deployitem list -n quickstart -o name"},
                   {"Follow them", "kubist deployitem list -A -w"}},
      .run = [](Context& context, const Arguments& arguments) {
        return run_get(context, arguments, as_item_words(arguments));
      }};
}

}  // namespace kubist::cli
