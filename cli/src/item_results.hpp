#pragma once
#include <functional>
#include <string>
#include <vector>

#include <kubist/cli/context.hpp>
#include <kubist/executors/session.hpp>
#include <kubist/util/deadline.hpp>

// What the commands that run DeployItems by name have in common.
namespace kubist::cli {

/// The DeployItems that the words name, in the command's namespace.
util::Result<std::vector<resources::ObjectRef>> named_items(Context& context,
                                                            const Arguments& arguments);
/// The words of a command of any kind for the items that the words name; with -f they name none.
std::vector<std::string> as_item_words(const Arguments& arguments);
std::function<void(const std::string&)> progress_log(Context& context);

/// One line an item: "deployitem/NAME succeeded". The exit code that the worst of them has.
util::Result<int> print_item_results(Context& context,
                                     const std::vector<executors::ItemResult>& results,
                                     const util::Deadline& deadline);
/// The same where the end of runs was asked for: that one failed is what was wanted.
util::Result<int> print_interrupted(Context& context,
                                    const std::vector<executors::ItemResult>& results,
                                    const util::Deadline& deadline);

}  // namespace kubist::cli
