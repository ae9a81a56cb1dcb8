#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include <kubist/engine/graph.hpp>
#include <kubist/executors/tree.hpp>

namespace kubist::executors {

/// The project namespaces that a selection lies in, so that a caller with rights on only these
/// projects can work on them; empty: the whole tree. For load_tree_view().
util::Result<std::set<std::string>> namespaces_of(kube::Client& home,
                                                  const std::vector<engine::Key>& selection,
                                                  const std::stop_token& stop);

/// The same of one namespace; empty or "*": the whole tree.
std::set<std::string> one_or_all(const std::string& ns);

/// What a run sees of the tree.
struct TreeView {
  Snapshot snapshot;
  /// Project namespaces whose objects could not be listed, and why.
  std::map<std::string, util::Error> hidden;
};

/// Loads the one namespace that is given, else all: where that is forbidden, or fails for what may
/// be one project's doing, each given one by itself. Where none is given, those of all Projects, or
/// those to which `source` is limited. `source` and `outside` as for load_snapshot().
util::Result<TreeView> load_tree_view(kube::Client& home, const std::set<std::string>& namespaces,
                                      const std::stop_token& stop, ObjectSource* source = nullptr,
                                      const Outside& outside = {});

/// Takes all nodes of a project namespace that is being deleted for deleted: the namespace
/// controller marks them one by one. Looks at the namespaces where it has begun to, or with `all`
/// at each.
void mark_going(kube::Client& home, bool all, Snapshot& snapshot, const std::stop_token& stop);

/// The tree; a Project whose namespace is hidden has that as its problem.
engine::Graph build_graph(const TreeView& view);

}  // namespace kubist::executors
