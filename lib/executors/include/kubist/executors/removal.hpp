#pragma once
#include <stop_token>
#include <vector>

#include <kubist/apply/remove.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/resources/served.hpp>

namespace kubist::executors {

/// Does the engine take objects of that resource away (behind a finalizer)? The kinds of the tree
/// but for the Root, which keeps nothing: its projects outlive it; and those that are served.
bool is_removed_by_engine(const kube::ApiResource& resource,
                          const std::vector<resources::ServedKind>& served);

/// Asks for the deletion of objects of the tree, and no more: a run of the engine does the rest,
/// this process's or any later one. Objects that no run has seen yet get the finalizer first, so
/// that what is below them (or was made for them by `apply`) is not forgotten. Options and report
/// are those of apply::remove_set(), without waiting. Blocks.
apply::Report request_removal(kube::Client& home, const std::vector<apply::Target>& targets,
                              apply::RemoveOptions options, const std::stop_token& stop);

}  // namespace kubist::executors
