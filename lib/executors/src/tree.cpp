#include <algorithm>
#include <future>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/execution.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "item_world.hpp"

namespace kubist::executors {

using data::Json;
using util::ErrorKind;

kube::ApiResource resource_of(const resources::Kind& kind) {
  kube::ApiResource resource;
  resource.group = kind.group;
  resource.version = resources::k_version;
  resource.kind = kind.name;
  resource.plural = kind.plural;
  resource.namespaced = kind.namespaced;
  return resource;
}

std::string tree_selector(const resources::Kind& kind) {
  return kind.name == "DeployItem" ? util::cat("!", deployers::k_execution_label) : std::string();
}

namespace {

bool is_wanted(const resources::Kind& kind) {
  return kind.node || kind.name.ends_with("Definition");
}

using Listed = util::Result<kube::ObjectList>;

Listed list_kind(kube::Client& home, const resources::Kind& kind, const std::string& ns,
                 const std::stop_token& stop) {
  kube::ListOptions options;
  options.label_selector = tree_selector(kind);
  return home.list(resource_of(kind), kind.namespaced ? ns : std::string(), options, stop);
}

/// DeployItems are part of the tree where a project owns their namespace.
void drop_homeless(std::vector<Json>& nodes) {
  std::set<std::string, std::less<>> owned;
  for (const Json& object : nodes) {
    if (resources::ObjectView(object).kind() == "Project") {
      owned.insert(resources::project_namespace(object));
    }
  }
  std::erase_if(nodes, [&](const Json& object) {
    const resources::ObjectView view(object);
    return view.kind() == "DeployItem" && !owned.contains(view.ns());
  });
}

/// Where somebody else's DeployItems are, those of types that are not ours are not, either.
util::Result<> drop_foreign(kube::Client& home, std::vector<Json>& nodes,
                            const std::stop_token& stop) {
  const auto is_other = [](const Json& object) {
    const resources::ObjectView view(object);
    return view.kind() == "DeployItem" &&
           !data::string_at(object, {"spec", "type"}).starts_with("kubist.io/");
  };
  if (std::none_of(nodes.begin(), nodes.end(), is_other)) {
    return {};
  }
  KUBIST_TRY(const bool foreign, has_foreign_items(home, stop));
  if (foreign) {
    std::erase_if(nodes, is_other);
  }
  return {};
}

util::Error explain(util::Error error, const resources::Kind& kind) {
  error = util::with_context(std::move(error), util::cat("cannot list ", kind.plural));
  if (error.kind == ErrorKind::not_found) {
    error.hint = "Install kubist's kinds on this cluster with 'kubist init'.";
  }
  return error;
}

}  // namespace

util::Result<Snapshot> load_snapshot(kube::Client& home, const std::string& ns,
                                     const std::stop_token& stop) {
  std::vector<std::pair<const resources::Kind*, std::future<Listed>>> lists;
  for (const resources::Kind& kind : resources::kinds()) {
    if (is_wanted(kind)) {
      lists.emplace_back(&kind, std::async(std::launch::async, [&home, &kind, &ns, &stop] {
        return list_kind(home, kind, ns, stop);
      }));
    }
  }
  Snapshot snapshot;
  std::optional<util::Error> failed;
  for (auto& [kind, list] : lists) {
    Listed listed = list.get();
    if (!listed) {
      failed = failed ? failed : explain(listed.error(), *kind);
      continue;
    }
    auto& target = kind->node ? snapshot.nodes : snapshot.definitions;
    std::move(listed->items.begin(), listed->items.end(), std::back_inserter(target));
  }
  if (failed) {
    return util::fail(std::move(*failed));
  }
  drop_homeless(snapshot.nodes);
  KUBIST_CHECK(drop_foreign(home, snapshot.nodes, stop));
  return snapshot;
}

util::Result<std::vector<Json>> load_policy_definitions(kube::Client& home, const std::string& ns,
                                                        const std::stop_token& stop) {
  std::vector<Json> definitions;
  for (const char* name : {"PolicyDefinition", "ClusterPolicyDefinition"}) {
    const resources::Kind* kind = resources::find_kind(resources::k_kubist_group, name);
    Listed listed = list_kind(home, *kind, ns, stop);
    if (!listed) {
      return util::fail(explain(listed.error(), *kind));
    }
    std::move(listed->items.begin(), listed->items.end(), std::back_inserter(definitions));
  }
  return definitions;
}

engine::Graph build_graph(const Snapshot& snapshot) {
  std::vector<engine::Node> nodes;
  nodes.reserve(snapshot.nodes.size());
  for (const Json& object : snapshot.nodes) {
    nodes.push_back(engine::make_node(object));
  }
  return engine::Graph::build(std::move(nodes));
}

}  // namespace kubist::executors
