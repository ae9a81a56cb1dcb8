#include "session/rechecks.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <kubist/data/pointer.hpp>
#include <kubist/executors/status_store.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::executors {

using engine::Graph;
using util::cat;

namespace {

/// What a plan was made of besides the objects in its projects, which are all that is checked
/// again.
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
  if (found.empty()) {
    return false;
  }
  const engine::Node& node = graph[found[0]];
  return node.uid == view.uid() && node.generation == view.generation() &&
         node.deleting == !view.deletion_timestamp().empty();
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

/// What was found for those who asked before it began: by namespace, or of all by "".
struct Rechecks::Round {
  std::set<std::string> namespaces;
  std::map<std::string, util::Result<Snapshot>> found;
  bool is_done = false;
};

Rechecks::Rechecks(kube::Client& home, const Graph& graph,
                   const std::vector<engine::NodeId>& selected,
                   const std::vector<data::Json>& definitions, const Outside& outside,
                   std::stop_token stop)
    : m_home(home),
      m_graph(graph),
      m_definitions(definitions),
      m_outside(outside),
      m_few(few_items(graph, selected)),
      m_projects(static_cast<std::size_t>(std::ranges::count(
          graph.nodes(), "Project", [](const engine::Node& node) { return node.key.kind; }))),
      m_stop(std::move(stop)) {}

util::Result<> Rechecks::check(const std::string& ns) {
  if (!m_few.empty()) {
    return recheck_each(m_home, m_graph, m_few, ns, m_stop);
  }
  const auto round = ask(ns);
  if (const auto own = round->found.find(ns); own != round->found.end()) {
    return own->second ? compare(*own->second, ns) : util::fail(own->second.error());
  }
  const util::Result<Snapshot>& all = round->found.at("");
  if (all && all->warnings.empty()) {
    return compare(*all, ns);
  }
  KUBIST_TRY(const Snapshot own, list_in(ns));  // what spoils the list of all may be of another
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
  while (!round->is_done) {
    if (m_lists) {
      m_ended.wait(lock);
      continue;
    }
    m_lists = true;
    m_next = nullptr;
    lock.unlock();
    const auto listed = util::guarded([&] { list(*round); });
    lock.lock();
    if (!listed) {
      round->found.emplace("", util::fail(listed.error()));
    }
    round->is_done = true;
    m_lists = false;
    m_ended.notify_all();
  }
  return round;
}

/// All, or where that would be much more than was asked for, each namespace: they are locked, and
/// no lock is renewed meanwhile.
void Rechecks::list(Round& round) const {
  const std::set<std::string>& asked = round.namespaces;
  const bool is_all = asked.size() > 1 && 2 * asked.size() >= m_projects;
  const std::vector<std::string> places =
      is_all ? std::vector<std::string>{""} : std::vector<std::string>(asked.begin(), asked.end());
  std::vector<std::optional<util::Result<Snapshot>>> found(places.size());
  util::for_each_index(places.size(), places.size(), [&](std::size_t i) {
    found[i] = util::guarded([&] { return list_in(places[i]); });
  });
  for (std::size_t i = 0; i < places.size(); ++i) {
    round.found.emplace(places[i], *std::move(found[i]));
  }
}

/// Of all namespaces: "".
util::Result<Snapshot> Rechecks::list_in(const std::string& ns) const {
  AroundProjects around(m_graph, m_definitions);
  return load_snapshot(m_home, ns, m_stop, &around, m_outside);
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
