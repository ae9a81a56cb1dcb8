#pragma once
#include <string>
#include <vector>

#include <kubist/cli/context.hpp>
#include <kubist/engine/node.hpp>

namespace kubist::cli {

/// "KIND/NAME..." or "KIND NAME..." words as keys of the tree; familiar words (vc, cluster,
/// project) work. Usage error for anything else; namespaced kinds take the namespace in effect.
util::Result<std::vector<engine::Key>> read_selection(Context& context,
                                                      const std::vector<std::string>& words);

}  // namespace kubist::cli
