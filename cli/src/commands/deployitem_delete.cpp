#include "../item_results.hpp"
#include "commands.hpp"

namespace kubist::cli {

CommandSpec deployitem_delete_command() {
  return {
      .path = "deployitem delete",
      .group = "Day to day",
      .summary = "Delete DeployItems, with what runs at their deletion",
      .details =
          "The same as 'kubist delete deployitems', with all its flags. If something runs at its "
          "deletion, the item goes when that has succeeded and what it kept is gone.",
      .arguments = "NAME...",
      .max_words = -1,
      .completes = Completes::deploy_items,
      .flags = delete_command().flags,
      .examples = {{"Undo it and delete it", "kubist deployitem delete hello-greet -n quickstart"},
                   {"Its target is gone for good",
                    "kubist deployitem delete hello-greet --force-cleanup"}},
      .run = [](Context& context, const Arguments& arguments) {
        return delete_command().run(context, arguments.with_words(as_item_words(arguments)));
      }};
}

}  // namespace kubist::cli
