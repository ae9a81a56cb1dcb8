#pragma once
#include <vector>

#include <kubist/apply/remove.hpp>
#include <kubist/cli/context.hpp>

namespace kubist::cli {

/// What `delete` is about: the objects of -f, or those that the words
/// TYPE NAME, TYPE/NAME, TYPE -l SELECTOR and TYPE --all name. Usage: the words say nothing or too
/// much; not_found: an unknown type, or (without `ignore_unknown`) a kind that is not served.
util::Result<std::vector<apply::Target>> delete_targets(Context& context,
                                                        const Arguments& arguments,
                                                        bool ignore_unknown);

}  // namespace kubist::cli
