#include <algorithm>
#include <map>
#include <set>

#include <kubist/engine/executor.hpp>
#include <kubist/executors/tree_view.hpp>
#include <kubist/kube/room.hpp>
#include <kubist/resources/kinds.hpp>

namespace kubist::executors {

using data::Json;
using util::ErrorKind;

namespace {

kube::ApiResource projects() {
  return resource_of(*resources::find_kind(resources::k_kubist_group, "Project"));
}

/// The namespaces of all Projects, by their names.
util::Result<std::map<std::string, std::string>> namespaces_by_project(
    kube::Client& home, const std::stop_token& stop) {
  kube::Room room;
  kube::ListOptions options;
  options.room = &room;
  KUBIST_TRY(const auto listed, home.list(projects(), "", options, stop));
  std::map<std::string, std::string> namespaces;
  for (const Json& project : listed.items) {
    namespaces.emplace(resources::ObjectView(project).name(),
                       resources::project_namespace(project));
  }
  return namespaces;
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

template <class T>
void merge_new(std::vector<T>& into, std::vector<T>&& from) {
  for (T& each : from) {
    if (std::find(into.begin(), into.end(), each) == into.end()) {
      into.push_back(std::move(each));
    }
  }
}

/// Would each project's lists fail in the same way? kubist's kinds are missing, or it is over.
bool is_same_for_all(const util::Error& error) {
  return error.kind == ErrorKind::not_found || error.kind == ErrorKind::cancelled;
}

/// May one project be what the lists of all failed for? Not where the server is down, or has too
/// much to do already.
bool may_be_one_projects(const util::Error& error) {
  return !is_same_for_all(error) &&
         (error.kind != ErrorKind::unavailable || error.http_status == 500);
}

/// Those that cannot be read are hidden.
util::Result<TreeView> load_each(kube::Client& home, const std::set<std::string>& places,
                                 const std::stop_token& stop, ObjectSource* source,
                                 const Outside& outside) {
  TreeView view;
  bool first = true;
  for (const std::string& ns : places) {
    auto part = load_snapshot(home, ns, stop, source, outside);
    if (!part) {
      if (is_same_for_all(part.error())) {
        return util::fail(std::move(part).error());
      }
      view.hidden.emplace(ns, std::move(part).error());
      continue;
    }
    merge(view.snapshot.nodes, std::move(part->nodes), first);
    view.snapshot.unreadable.merge(part->unreadable);
    merge(view.snapshot.definitions, std::move(part->definitions), first);
    merge_new(view.snapshot.served, std::move(part->served));
    merge_new(view.snapshot.warnings, std::move(part->warnings));
    view.snapshot.incomplete = view.snapshot.incomplete || part->incomplete;
    view.snapshot.left_alone.merge(part->left_alone);
    first = false;
  }
  return view;
}

/// The same; an error where none of them can be read.
util::Result<TreeView> load_any(kube::Client& home, const std::set<std::string>& places,
                                const std::stop_token& stop, ObjectSource* source,
                                const Outside& outside) {
  KUBIST_TRY(TreeView view, load_each(home, places, stop, source, outside));
  return view.hidden.size() == places.size()
             ? util::Result<TreeView>(util::fail(view.hidden.begin()->second))
             : view;
}

/// Also the namespaces of items of no project that somebody named.
util::Result<TreeView> load_each_project(kube::Client& home, const util::Error& refused,
                                         const std::stop_token& stop, ObjectSource* source,
                                         const Outside& outside) {
  KUBIST_TRY(const auto namespaces, namespaces_by_project(home, stop));
  if (namespaces.empty()) {
    return util::fail(refused);
  }
  std::set<std::string> places;
  for (const auto& [_, ns] : namespaces) {
    places.insert(ns);
  }
  for (const resources::ObjectRef& item : outside.named) {
    places.insert(item.ns);
  }
  KUBIST_TRY(TreeView view, load_each(home, places, stop, source, outside));
  if (view.hidden.size() == places.size()) {
    return util::fail(refused);
  }
  if (outside.all) {
    view.snapshot.warnings.push_back(
        "DeployItems of no project are not run: those of all namespaces cannot be listed: " +
        refused.to_string());
  }
  return view;
}

/// Of the Projects that are there: of more than a few by one list, where all may be listed.
util::Result<std::set<std::string>> namespaces_of_projects(kube::Client& home,
                                                           const std::set<std::string>& names,
                                                           const std::stop_token& stop) {
  constexpr std::size_t k_few = 2;
  std::set<std::string> namespaces;
  if (names.size() > k_few) {
    const auto all = namespaces_by_project(home, stop);
    if (!all && all.error().kind != ErrorKind::forbidden) {
      return util::fail(all.error());
    }
    if (all) {
      for (const auto& [name, ns] : *all) {
        if (names.contains(name)) {
          namespaces.insert(ns);
        }
      }
      return namespaces;
    }
  }
  for (const std::string& name : names) {
    KUBIST_TRY(const auto project, home.find(projects(), "", name, stop));
    if (project) {
      namespaces.insert(resources::project_namespace(*project));
    }
  }
  return namespaces;
}

}  // namespace

util::Result<std::set<std::string>> namespaces_of(kube::Client& home,
                                                  const std::vector<engine::Key>& selection,
                                                  const std::stop_token& stop) {
  std::set<std::string> namespaces, names;
  for (const engine::Key& key : selection) {
    if (key.ns.empty() && key.kind != "Project") {
      return std::set<std::string>();
    }
    key.ns.empty() ? names.insert(key.name) : namespaces.insert(key.ns);
  }
  KUBIST_TRY(auto of_projects, namespaces_of_projects(home, names, stop));
  namespaces.merge(of_projects);
  return namespaces;
}

std::set<std::string> one_or_all(const std::string& ns) {
  return ns.empty() || ns == "*" ? std::set<std::string>() : std::set<std::string>{ns};
}

util::Result<TreeView> load_tree_view(kube::Client& home, const std::set<std::string>& namespaces,
                                      const std::stop_token& stop, ObjectSource* source,
                                      const Outside& outside) {
  const bool is_one = namespaces.size() == 1;
  if (const auto limits =
          is_one || source == nullptr ? std::set<std::string>() : source->limits(stop);
      !limits.empty()) {
    return load_any(home, limits, stop, source, outside);
  }
  auto snapshot =
      load_snapshot(home, is_one ? *namespaces.begin() : std::string(), stop, source, outside);
  if (snapshot) {
    return TreeView{*std::move(snapshot), {}};
  }
  if (is_one || !may_be_one_projects(snapshot.error())) {
    return util::fail(snapshot.error());
  }
  return namespaces.empty() ? load_each_project(home, snapshot.error(), stop, source, outside)
                            : load_any(home, namespaces, stop, source, outside);
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
      node.problem_reason = engine::alignment_of(hidden->second).reason;
    }
  }
  return engine::Graph::build(std::move(nodes));
}

}  // namespace kubist::executors
