#include "session/rechecks.hpp"

#include <algorithm>
#include <utility>

#include <kubist/executors/status_store.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::executors {

using engine::Graph;
using util::cat;

namespace {

/// What a plan was made of besides the objects in its projects, which alone are looked at again.
class AroundProjects final : public ObjectSource {
 public:
  AroundProjects(const Graph& graph, const std::vector<data::Json>& definitions)
      : m_graph(graph), m_definitions(definitions) {}

  std::optional<Objects> list(const kube::ApiResource& resource, const std::string&,
                              const std::stop_token&) override {
    if (resource.namespaced && resource.kind != "PolicyDefinition") {
      return std::nullopt;
    }
    Objects objects;
    for (const engine::Node& node : m_graph.nodes()) {
      if (node.key.kind == "Project" && resource.kind == "Project") {
        objects.items.push_back(node.object);
      }
    }
    for (const data::Json& definition : m_definitions) {
      if (resource.kind == "ExecutorDefinition" &&
          resources::ObjectView(definition).kind() == resource.kind) {
        objects.items.push_back(std::make_shared<const data::Json>(definition));
      }
    }
    return objects;
  }
  void wrote(const engine::Key&, const std::string&, const std::string&) override {}

 private:
  const Graph& m_graph;
  const std::vector<data::Json>& m_definitions;
};

bool is_as_planned(const Graph& graph, const data::Json& object) {
  const resources::ObjectView view(object);
  const auto found = graph.find(view.ref());
  return !found.empty() && graph[found[0]].uid == view.uid() &&
         graph[found[0]].generation == view.generation() &&
         graph[found[0]].deleting == !view.deletion_timestamp().empty();
}

/// What the run of a few DeployItems is about: these, what stands above them in the project, and
/// what all of that waits for. Nothing has a place below an item. Empty: the run is about more.
std::set<engine::Key> few_items(const Graph& graph, const std::vector<engine::NodeId>& selected) {
  constexpr std::size_t k_few = 8;  // as many are read by name
  std::set<engine::Key> keys;
  for (const engine::NodeId top : selected) {
    if (graph[top].key.kind != "DeployItem" || keys.size() > k_few) {
      return {};
    }
    for (engine::NodeId id = top; id != engine::k_no_node; id = graph[id].parent) {
      keys.insert(graph[id].key);
      for (const engine::NodeId other : graph[id].waits_for) {
        keys.insert(graph[other].key);
      }
    }
  }
  std::erase_if(keys, [](const engine::Key& key) { return key.ns.empty(); });
  const bool all_known = std::all_of(keys.begin(), keys.end(), [](const engine::Key& key) {
    return resources::find_kind(key.group, key.kind) != nullptr;
  });
  return all_known && keys.size() <= k_few ? keys : std::set<engine::Key>();
}

util::Error changed_meanwhile(const std::string& ns) {
  return plan_changed(cat("the objects of namespace ", ns, " changed while the run was planned"));
}

/// Asks for each by its name: the list of a large project takes the API server a second.
util::Result<> recheck_each(kube::Client& home, const Graph& graph,
                            const std::set<engine::Key>& few, const std::string& ns,
                            const std::stop_token& stop) {
  const std::vector<engine::Key> keys(few.begin(), few.end());
  std::vector<util::Result<std::optional<data::Json>>> found(keys.size());
  util::for_each_index(keys.size(), keys.size(), [&](std::size_t i) {
    const resources::Kind* kind = resources::find_kind(keys[i].group, keys[i].kind);
    found[i] = util::guarded(
        [&] { return home.find(resource_of(*kind), keys[i].ns, keys[i].name, stop); });
  });
  for (const auto& each : found) {
    if (!each) {
      return util::fail(each.error());
    }
    if (!*each || !is_as_planned(graph, **each)) {
      return util::fail(changed_meanwhile(ns));
    }
  }
  return {};
}

}  // namespace

/// One list, for those who asked before it began.
struct Rechecks::Round {
  std::set<std::string> namespaces;
  std::optional<util::Result<Snapshot>> found;
};

Rechecks::Rechecks(kube::Client& home, const Graph& graph,
                   const std::vector<engine::NodeId>& selected,
                   const std::vector<data::Json>& definitions, std::stop_token stop)
    : m_home(home),
      m_graph(graph),
      m_definitions(definitions),
      m_few(few_items(graph, selected)),
      m_stop(std::move(stop)) {}

util::Result<> Rechecks::check(const std::string& ns) {
  if (!m_few.empty()) {
    return recheck_each(m_home, m_graph, m_few, ns, m_stop);
  }
  const auto round = ask(ns);
  const util::Result<Snapshot>& found = *round->found;
  if (found) {
    return compare(*found, ns);
  }
  if (round->namespaces.size() == 1) {
    return util::fail(found.error());
  }
  KUBIST_TRY(const Snapshot own, list({ns}));  // who may not list all may list that one
  return compare(own, ns);
}

/// A list that began after this was asked: the next one, which all share who ask while one is under
/// way.
std::shared_ptr<const Rechecks::Round> Rechecks::ask(const std::string& ns) {
  std::unique_lock lock(m_mutex);
  if (!m_next) {
    m_next = std::make_shared<Round>();
  }
  const auto round = m_next;
  round->namespaces.insert(ns);
  while (!round->found) {
    if (m_lists) {
      m_ended.wait(lock);
      continue;
    }
    m_lists = true;
    m_next = nullptr;
    lock.unlock();
    auto found = util::guarded([&] { return list(round->namespaces); });
    lock.lock();
    round->found = std::move(found);
    m_lists = false;
    m_ended.notify_all();
  }
  return round;
}

/// One namespace's objects by themselves, those of several in one list of all.
util::Result<Snapshot> Rechecks::list(const std::set<std::string>& namespaces) {
  AroundProjects around(m_graph, m_definitions);
  return load_snapshot(m_home, namespaces.size() == 1 ? *namespaces.begin() : "", m_stop, &around);
}

util::Result<> Rechecks::compare(const Snapshot& now, const std::string& ns) const {
  std::size_t count = 0;
  bool same = true;
  for (const ObjectPtr& object : now.nodes) {
    const resources::ObjectView view(*object);
    if (view.ns() != ns) {
      continue;
    }
    const auto found = m_graph.find(view.ref());
    count += found.empty() ? 1 : found.size();
    same = same && is_as_planned(m_graph, *object);
  }
  const auto planned = std::count_if(m_graph.nodes().begin(), m_graph.nodes().end(),
                                     [&](const engine::Node& node) { return node.key.ns == ns; });
  if (same && count == static_cast<std::size_t>(planned)) {
    return {};
  }
  return util::fail(changed_meanwhile(ns));
}

}  // namespace kubist::executors
