#include "../item_results.hpp"
#include "commands.hpp"

namespace kubist::cli {

CommandSpec deployitem_describe_command() {
  return {
      .path = "deployitem describe",
      .group = "Day to day",
      .summary = "Print all about DeployItems, with their events",
      .details = "The same as 'kubist describe deployitems', with all its flags.",
      .arguments = "[NAME...]",
      .max_words = -1,
      .completes = Completes::deploy_items,
      .flags = describe_command().flags,
      .examples = {{"Why did it fail?", "kubist deployitem describe hello-greet -n quickstart"}},
      .run = [](Context& context, const Arguments& arguments) {
        return describe_command().run(context, arguments.with_words(as_item_words(arguments)));
      }};
}

}  // namespace kubist::cli
