#include <algorithm>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/execution.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/kube/room.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "keep/item_world.hpp"

namespace kubist::executors {

using data::Json;
using util::ErrorKind;

std::string tree_selector(const resources::Kind& kind) {
  return kind.name == "DeployItem" ? util::cat("!", deployers::k_execution_label) : std::string();
}

namespace {

bool is_wanted(const resources::Kind& kind) { return kind.node || kind.definition; }

using Listed = util::Result<Objects>;

Listed list_objects(kube::Client& home, const kube::ApiResource& resource,
                    const std::string& selector, const std::string& ns, const std::stop_token& stop,
                    kube::Room& room, ObjectSource* source) {
  if (source != nullptr) {
    if (auto held = source->list(resource, ns, stop)) {
      return *std::move(held);
    }
  }
  kube::ListOptions options;
  options.label_selector = selector;
  options.room = &room;
  KUBIST_TRY(auto listed, home.list(resource, ns, options, stop));
  Objects objects;
  objects.items.reserve(listed.items.size());
  for (Json& item : listed.items) {
    objects.items.push_back(std::make_shared<const Json>(std::move(item)));
  }
  objects.unreadable = std::move(listed.unreadable);
  return objects;
}

Listed list_kind(kube::Client& home, const resources::Kind& kind, const std::string& ns,
                 const std::stop_token& stop, kube::Room& room, ObjectSource* source = nullptr) {
  return list_objects(home, resource_of(kind), tree_selector(kind),
                      kind.namespaced ? ns : std::string(), stop, room, source);
}

/// Takes over the nodes of a kind, those that cannot be read too.
void add_nodes(Snapshot& snapshot, Objects&& list) {
  std::move(list.items.begin(), list.items.end(), std::back_inserter(snapshot.nodes));
  for (kube::Unreadable& each : list.unreadable) {
    snapshot.unreadable.emplace(resources::ObjectView(*each.outline).uid(), std::move(each.error));
    snapshot.nodes.push_back(std::move(each.outline));
  }
}

void add_copies(std::vector<Json>& to, const Objects& list) {
  for (const ObjectPtr& item : list.items) {
    to.push_back(*item);
  }
}

/// A definition that cannot be read fails what uses it, as one without a spec does.
void add_definitions(Snapshot& snapshot, Objects&& list) {
  add_copies(snapshot.definitions, list);
  for (kube::Unreadable& each : list.unreadable) {
    snapshot.warnings.push_back(each.error.to_string());
    snapshot.definitions.push_back(*each.outline);
  }
}

/// Objects of kinds that are not kubist's are part of the tree where a project owns their
/// namespace; DeployItems elsewhere too, where they are asked for.
void drop_homeless(Snapshot& snapshot, const Outside& outside) {
  std::set<std::string, std::less<>> owned;
  for (const ObjectPtr& object : snapshot.nodes) {
    if (resources::ObjectView(*object).kind() == "Project") {
      owned.insert(resources::project_namespace(*object));
    }
  }
  std::erase_if(snapshot.nodes, [&](const ObjectPtr& object) {
    const resources::ObjectView view(*object);
    if (view.group() == resources::k_kubist_group || owned.contains(view.ns())) {
      return false;
    }
    if (view.kind() != "DeployItem") {
      return true;
    }
    if (outside.all || outside.named.contains(view.ref())) {
      return false;
    }
    ++snapshot.left_alone[std::string(view.ns())];
    return true;
  });
}

/// Where somebody else's DeployItems are, those of types that are not ours are not, either.
util::Result<> drop_foreign(kube::Client& home, std::vector<ObjectPtr>& nodes,
                            const std::stop_token& stop) {
  const auto is_other = [](const ObjectPtr& object) {
    const resources::ObjectView view(*object);
    return view.kind() == "DeployItem" &&
           !data::string_at(*object, {"spec", "type"}).starts_with("kubist.io/");
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

/// The resource of a served kind; invalid: its objects cannot be nodes.
util::Result<kube::ApiResource> served_resource(kube::Client& home,
                                                const resources::ServedKind& served,
                                                const std::stop_token& stop) {
  KUBIST_CHECK(resources::check_served(served));
  KUBIST_TRY(auto resource, home.discovery().find_kind(served.api_version, served.kind, stop));
  if (!resource.namespaced || !resource.has_subresource("status")) {
    return util::fail(
        ErrorKind::invalid,
        util::cat(resource.group_resource(),
                  resource.namespaced ? " has no subresource status" : " is cluster-scoped"),
        "Correct its CustomResourceDefinition.");
  }
  return resource;
}

/// Is it not what a definition says, or whose rights these are, but the server?
bool may_come_back(const util::Error& error) {
  return error.kind == ErrorKind::unavailable || error.kind == ErrorKind::timeout ||
         error.kind == ErrorKind::internal;
}

/// Where one cannot be listed the rest of the tree goes on without it.
void add_served(kube::Client& home, const std::string& ns, Snapshot& snapshot,
                const std::stop_token& stop, kube::Room& room, ObjectSource* source) {
  for (const Json& definition : snapshot.definitions) {
    const auto served = resources::served_kind(definition);
    if (!served) {
      continue;
    }
    auto resource = served_resource(home, *served, stop);
    if (resource && std::find(snapshot.served.begin(), snapshot.served.end(), *resource) !=
                        snapshot.served.end()) {
      continue;
    }
    auto listed = resource ? list_objects(home, *resource, "", ns, stop, room, source)
                           : Listed(util::fail(resource.error()));
    if (!listed) {
      snapshot.warnings.push_back(util::cat("ExecutorDefinition/", served->by, " serves ",
                                            served->kind, '.', served->group,
                                            ", which is left out: ", listed.error().to_string()));
      snapshot.incomplete = snapshot.incomplete || may_come_back(listed.error());
      continue;
    }
    snapshot.served.push_back(*std::move(resource));
    add_nodes(snapshot, *std::move(listed));
  }
}

}  // namespace

util::Result<Snapshot> load_snapshot(kube::Client& home, const std::string& ns,
                                     const std::stop_token& stop, ObjectSource* source,
                                     const Outside& outside) {
  std::vector<std::pair<const resources::Kind*, Listed>> lists;
  for (const resources::Kind& kind : resources::kinds()) {
    if (is_wanted(kind)) {
      lists.emplace_back(&kind, Objects());
    }
  }
  kube::Room room;
  util::for_each_index(lists.size(), lists.size(), [&](std::size_t i) {
    const resources::Kind& kind = *lists[i].first;
    lists[i].second = util::guarded([&] { return list_kind(home, kind, ns, stop, room, source); });
  });
  Snapshot snapshot;
  std::optional<util::Error> failed;
  for (auto& [kind, listed] : lists) {
    if (!listed) {
      failed = failed ? failed : explain(listed.error(), *kind);
    } else if (kind->node) {
      add_nodes(snapshot, *std::move(listed));
    } else {
      add_definitions(snapshot, *std::move(listed));
    }
  }
  if (failed) {
    return util::fail(std::move(*failed));
  }
  KUBIST_CHECK(drop_foreign(home, snapshot.nodes, stop));
  add_served(home, ns, snapshot, stop, room, source);
  drop_homeless(snapshot, outside);
  return snapshot;
}

util::Result<std::vector<resources::ServedKind>> load_served_kinds(kube::Client& home,
                                                                   const std::stop_token& stop) {
  KUBIST_TRY(const auto definitions, load_executor_definitions(home, stop));
  return served_kinds(definitions);
}

std::vector<resources::ServedKind> served_kinds(const std::vector<Json>& definitions) {
  std::vector<resources::ServedKind> all;
  for (const Json& definition : definitions) {
    auto served = resources::served_kind(definition);
    if (served && resources::check_served(*served)) {
      all.push_back(*std::move(served));
    }
  }
  return all;
}

namespace {

util::Result<std::vector<Json>> load_definitions(kube::Client& home,
                                                 std::initializer_list<const char*> kinds,
                                                 const std::string& ns,
                                                 const std::stop_token& stop) {
  std::vector<Json> definitions;
  kube::Room room;
  for (const char* name : kinds) {
    const resources::Kind* kind = resources::find_kind(resources::k_kubist_group, name);
    Listed listed = list_kind(home, *kind, ns, stop, room);
    if (!listed) {
      return util::fail(explain(listed.error(), *kind));
    }
    add_copies(definitions, *listed);
    for (kube::Unreadable& each : listed->unreadable) {
      definitions.push_back(*each.outline);
    }
  }
  return definitions;
}

}  // namespace

util::Result<std::vector<Json>> load_executor_definitions(kube::Client& home,
                                                          const std::stop_token& stop) {
  return load_definitions(home, {"ExecutorDefinition"}, "", stop);
}

util::Result<std::vector<Json>> load_policy_definitions(kube::Client& home, const std::string& ns,
                                                        const std::stop_token& stop) {
  return load_definitions(home, {"PolicyDefinition", "ClusterPolicyDefinition"}, ns, stop);
}

std::vector<engine::Node> nodes_of(const Snapshot& snapshot) {
  std::vector<engine::Node> nodes;
  nodes.reserve(snapshot.nodes.size());
  for (const ObjectPtr& object : snapshot.nodes) {
    engine::Node& node = nodes.emplace_back(engine::make_node(object));
    if (const auto why = snapshot.unreadable.find(node.uid); why != snapshot.unreadable.end()) {
      node.make_unreadable(why->second);
    }
  }
  return nodes;
}

}  // namespace kubist::executors
