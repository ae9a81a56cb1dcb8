#pragma once
#include <kubist/kube/client.hpp>

#include "get_options.hpp"
#include "output/server_table.hpp"

namespace kubist::cli {

/// How the table of one kind looks under these flags.
ServerTableOptions table_options(const GetOptions& options, const kube::ApiResource& resource,
                                 bool several_kinds);
/// What to ask the server for: Tables with no more of the objects than is needed.
kube::ListOptions table_list_options(const GetOptions& options);

}  // namespace kubist::cli
