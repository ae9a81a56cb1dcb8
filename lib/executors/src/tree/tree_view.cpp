#include <set>

#include <kubist/executors/tree_view.hpp>
#include <kubist/resources/kinds.hpp>

namespace kubist::executors {

using data::Json;
using util::ErrorKind;

namespace {

kube::ApiResource projects() {
  return resource_of(*resources::find_kind(resources::k_kubist_group, "Project"));
}

std::string_view namespace_in(const Json& object) { return resources::ObjectView(object).ns(); }
std::string_view namespace_in(const ObjectPtr& object) { return namespace_in(*object); }

/// Takes over what is not cluster-scoped, and that too where it is the first.
template <class Object>
void merge(std::vector<Object>& into, std::vector<Object>&& from, bool first) {
  for (Object& object : from) {
    if (first || !namespace_in(object).empty()) {
      into.push_back(std::move(object));
    }
  }
}

util::Result<TreeView> load_each_project(kube::Client& home, const util::Error& refused,
                                         const std::stop_token& stop, ObjectSource* source) {
  kube::ListOptions options;
  options.skip_unreadable = true;
  auto listed = home.list(projects(), "", options, stop);
  if (!listed || listed->items.empty()) {
    return util::fail(listed ? refused : listed.error());
  }
  TreeView view;
  bool first = true;
  for (const Json& project : listed->items) {
    const std::string ns = resources::project_namespace(project);
    auto found = load_snapshot(home, ns, stop, source);
    if (!found && found.error().kind == ErrorKind::forbidden) {
      view.hidden.emplace(ns, found.error());
      continue;
    }
    KUBIST_TRY(Snapshot part, std::move(found));
    merge(view.snapshot.nodes, std::move(part.nodes), first);
    view.snapshot.unreadable.merge(part.unreadable);
    merge(view.snapshot.definitions, std::move(part.definitions), first);
    if (first) {
      view.snapshot.served = std::move(part.served);
      view.snapshot.warnings = std::move(part.warnings);
    }
    first = false;
  }
  return first ? util::Result<TreeView>(util::fail(refused)) : view;
}

}  // namespace

util::Result<std::string> namespace_of(kube::Client& home,
                                       const std::vector<engine::Key>& selection,
                                       const std::stop_token& stop) {
  std::set<std::string> namespaces;
  for (const engine::Key& key : selection) {
    if (!key.ns.empty()) {
      namespaces.insert(key.ns);
      continue;
    }
    if (key.kind != "Project") {
      return "*";
    }
    KUBIST_TRY(const auto project, home.find(projects(), "", key.name, stop));
    if (project) {
      namespaces.insert(resources::project_namespace(*project));
    }
  }
  return namespaces.size() == 1 ? *namespaces.begin() : "*";
}

util::Result<TreeView> load_tree_view(kube::Client& home, const std::string& ns,
                                      const std::stop_token& stop, ObjectSource* source) {
  auto snapshot = load_snapshot(home, ns == "*" ? "" : ns, stop, source);
  if (!snapshot) {
    return ns == "*" && snapshot.error().kind == ErrorKind::forbidden
               ? load_each_project(home, snapshot.error(), stop, source)
               : util::Result<TreeView>(util::fail(snapshot.error()));
  }
  return TreeView{*std::move(snapshot), {}};
}

void mark_going(kube::Client& home, bool all, Snapshot& snapshot, const std::stop_token& stop) {
  std::set<std::string> owned;
  std::set<std::string> suspects;
  for (const ObjectPtr& object : snapshot.nodes) {
    const resources::ObjectView view(*object);
    if (view.kind() == "Project") {
      owned.insert(resources::project_namespace(*object));
    } else if (all || !view.deletion_timestamp().empty()) {
      suspects.emplace(view.ns());
    }
  }
  for (const std::string& ns : suspects) {
    if (!owned.contains(ns)) {
      continue;
    }
    const auto live = home.find(kube::well_known::namespaces(), "", ns, stop);
    if (!live || !*live) {
      continue;  // an error is the Project's to report
    }
    const std::string since(resources::ObjectView(**live).deletion_timestamp());
    for (ObjectPtr& object : snapshot.nodes) {
      const resources::ObjectView view(*object);
      if (!since.empty() && view.ns() == ns && view.deletion_timestamp().empty()) {
        Json going = *object;
        going["metadata"]["deletionTimestamp"] = since;
        object = std::make_shared<const Json>(std::move(going));
      }
    }
  }
}

engine::Graph build_graph(const TreeView& view) {
  std::vector<engine::Node> nodes = nodes_of(view.snapshot);
  for (engine::Node& node : nodes) {
    const auto hidden = node.key.kind == "Project"
                            ? view.hidden.find(resources::project_namespace(*node.object))
                            : view.hidden.end();
    if (hidden != view.hidden.end()) {
      node.problem = hidden->second;
      node.problem_reason = "Forbidden";
    }
  }
  return engine::Graph::build(std::move(nodes));
}

}  // namespace kubist::executors
