#pragma once
#include <vector>

#include <kubist/apply/remove.hpp>
#include <kubist/cli/context.hpp>

#include "delete_tree.hpp"

namespace kubist::cli {

/// Is it the resource of DeployItems?
bool is_deploy_item(const kube::ApiResource& resource);

/// Deletes DeployItems by themselves: requests their deletion, then does what their Execution's
/// removal would do (what runs at their deletion, what they keep), since nobody else may be there
/// to do it; a dry run tells what would run. Says so where an Execution will make an item again.
/// Results go to the printer and into `report`. The exit code, or the error that gives it: timeout,
/// cancelled.
util::Result<int> delete_items(Context& context, const Arguments& arguments,
                               const std::vector<apply::Target>& items,
                               apply::RemoveOptions options, DeletionPrinter& printer,
                               apply::Report& report);

}  // namespace kubist::cli
