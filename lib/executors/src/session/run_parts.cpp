#include "session/run_parts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <kubist/resources/kinds.hpp>

#include "session/busy_nodes.hpp"

namespace kubist::executors {

namespace {

/// As many projects have runs of their own at a time.
constexpr std::size_t k_most_parts = 16;

using Parts = std::map<std::string, std::vector<Agenda::Due>>;

/// The namespace that a run about that node has to read, see ReconcileOptions::only_namespace.
std::string namespace_to_read(const engine::Key& key, const engine::Graph& tree,
                              const std::string& watched) {
  if (!key.ns.empty()) {
    return key.ns;
  }
  const auto found = tree.find(key);
  return key.kind == "Project" && !found.empty()
             ? resources::project_namespace(*tree[found.front()].object)
             : watched;
}

Parts by_project(std::vector<Agenda::Due> due, const engine::Graph& tree,
                 const std::string& watched) {
  Parts parts;
  if (watched == "*") {
    for (const Agenda::Due& entry : due) {
      parts[namespace_to_read(entry.key, tree, watched)].push_back(entry);
    }
  }
  if (parts.empty() || parts.size() > k_most_parts || parts.contains(watched)) {
    return {{watched, std::move(due)}};
  }
  return parts;
}

}  // namespace

std::vector<RunPart> run_parts(std::vector<Agenda::Due> due, const engine::Graph& tree,
                               const std::string& watched) {
  std::vector<RunPart> runs;
  for (auto& [ns, part] : by_project(std::move(due), tree, watched)) {
    const auto waits = std::stable_partition(part.begin(), part.end(), [](const auto& entry) {
      return !BusyNodes::only_waits(entry.key);
    });
    for (const auto& [from, to] : {std::pair(part.begin(), waits), std::pair(waits, part.end())}) {
      if (from != to) {
        runs.push_back({ns, std::vector<Agenda::Due>(from, to)});
      }
    }
  }
  return runs;
}

}  // namespace kubist::executors
