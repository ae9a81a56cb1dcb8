#pragma once
#include <kubist/executors/deletion.hpp>

namespace kubist::executors {

struct TreeDeletion {
  apply::Report report;
  bool gone = true;  ///< nothing of the tree is left
};

/// The tree (not empty) and the others that follow when nothing of it is left (delete_objects()).
util::Result<TreeDeletion> delete_tree(kube::Client& home, const std::vector<apply::Target>& tree,
                                       const std::vector<apply::Target>& others,
                                       const DeletionOptions& options, const DeletionHooks& hooks,
                                       const std::stop_token& stop);

/// DeployItems by themselves (delete_objects()). Adds to the report.
util::Result<> delete_items(kube::Client& home, const std::vector<apply::Target>& items,
                            const DeletionOptions& options, const DeletionHooks& hooks,
                            apply::Report& report, const std::stop_token& stop);

}  // namespace kubist::executors
