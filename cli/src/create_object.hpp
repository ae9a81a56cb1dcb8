#pragma once
#include <string>
#include <vector>

#include <kubist/cli/context.hpp>
#include <kubist/data/json.hpp>
#include <kubist/kube/api_resource.hpp>

namespace kubist::cli {

/// `own`, then --dry-run and -o.
std::vector<Flag> create_flags(std::vector<Flag> own);

/// Makes the object, which has no namespace yet, in the namespace in effect, and prints it. Errors:
/// those of the server; conflict, see kube::already_exists().
util::Result<int> create_object(Context& context, const kube::ApiResource& resource,
                                data::Json object);

/// The record of `create KIND NAME`, with the group, words and flags that they share.
CommandSpec create_command(std::string_view path, std::string_view summary,
                           std::string_view details, std::vector<Flag> own,
                           std::vector<Example> examples);

}  // namespace kubist::cli
