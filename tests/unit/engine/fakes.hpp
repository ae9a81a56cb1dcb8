#pragma once
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <kubist/engine/runner.hpp>
#include <kubist/engine/status.hpp>

#include "support/fake_clock.hpp"

namespace kubist::engine::testing {

inline Key key(const std::string& kind, const std::string& ns, const std::string& name) {
  return {std::string(resources::k_kubist_group), kind, ns, name};
}

inline Json make_object(const std::string& kind, const std::string& ns, const std::string& name,
                        Json spec = Json::object()) {
  Json object = {{"apiVersion", "kubist.io/v1alpha1"},
                 {"kind", kind},
                 {"metadata", {{"name", name}, {"uid", kind + "-" + name}, {"generation", 1}}},
                 {"spec", std::move(spec)}};
  if (!ns.empty()) {
    object["metadata"]["namespace"] = ns;
  }
  return object;
}

/// A home cluster of kubist objects in memory, whose statuses are written like the real ones.
class FakeHome : public StatusStore {
 public:
  Json& add(const std::string& kind, const std::string& ns, const std::string& name,
            Json spec = Json::object()) {
    return objects[key(kind, ns, name)] = make_object(kind, ns, name, std::move(spec));
  }
  Json& at(const std::string& kind, const std::string& ns, const std::string& name) {
    return objects.at(key(kind, ns, name));
  }
  Graph graph() {
    std::vector<Node> nodes;
    const std::lock_guard lock(mutex);
    for (const auto& [name, object] : objects) {
      nodes.push_back(make_node(object));
    }
    return Graph::build(std::move(nodes));
  }
  util::Result<StatusWritten> change(const Node& node, const Change& change) override {
    std::lock_guard lock(mutex);
    const Json before = objects.at(node.key).value("status", Json::object());
    const Json after = change(before);
    if (after == before) {
      return StatusWritten{after, false};
    }
    ++writes;
    changed.insert(node.key.name);
    objects.at(node.key)["status"] = after;
    return StatusWritten{after, true};
  }
  std::shared_ptr<const Json> written(const Node& node) const override {
    std::lock_guard lock(mutex);
    return changed.contains(node.key.name)
               ? std::make_shared<const Json>(objects.at(node.key)["status"])
               : nullptr;
  }

  std::map<Key, Json> objects;
  mutable std::recursive_mutex mutex;  ///< a change may ask for what was written
  int writes = 0;
  std::set<std::string> changed;
};

/// Does nothing but what it is told to, and remembers the order of calls.
class FakeExecutor : public Executor {
 public:
  util::Result<Alignment> align(const Node& node, const Context& context) override {
    enter("align " + node.key.name);
    int running = ++m_running;
    max_running = std::max<int>(max_running, running);
    if (delay.count() > 0) {
      std::this_thread::sleep_for(delay);
    }
    --m_running;
    if (on_align) {
      on_align(node, context);
    }
    leave(node.key.name);
    std::lock_guard lock(mutex);
    specs[node.key.name] = context.spec;
    decisions[node.key.name] = context.decision;
    if (auto fault = faults.find(node.key.name); fault != faults.end()) {
      return util::fail(fault->second);
    }
    if (auto script = scripts.find(node.key.name);
        script != scripts.end() && !script->second.empty()) {
      Alignment next = script->second.front();
      if (script->second.size() > 1) {
        script->second.erase(script->second.begin());
      }
      return next;
    }
    return Alignment{};
  }

  util::Result<Removal> remove(const Node& node, const Context& /*context*/) override {
    enter("remove " + node.key.name);
    leave(node.key.name);
    std::lock_guard lock(mutex);
    if (auto fault = faults.find(node.key.name); fault != faults.end()) {
      return util::fail(fault->second);
    }
    if (auto left = removals.find(node.key.name); left != removals.end() && left->second-- > 0) {
      Removal running;
      running.state = RemovalState::running;
      running.requeue_after = std::chrono::milliseconds(1);
      return running;
    }
    return Removal{};
  }

  bool aligns_without_policies() const override { return without_policies; }
  Waits waits(const Node& /*node*/) const override {
    return waiting ? Waits::for_others : Waits::no;
  }
  std::vector<Key> followers(const Node& node) const override {
    const auto found = followed_by.find(node.key.name);
    return found != followed_by.end() ? found->second : std::vector<Key>();
  }

  /// Position of a call in the log, or -1.
  int place(const std::string& call) const {
    auto found = std::find(log.begin(), log.end(), call);
    return found == log.end() ? -1 : static_cast<int>(found - log.begin());
  }
  int count(const std::string& call) const {
    return static_cast<int>(std::count(log.begin(), log.end(), call));
  }

  bool without_policies = false;
  bool waiting = false;
  std::map<std::string, std::vector<Key>> followed_by;
  std::map<std::string, std::optional<Decision>> decisions;  ///< of the last call
  std::map<std::string, util::Error> faults;
  std::map<std::string, std::vector<Alignment>> scripts;  ///< the last one repeats
  std::map<std::string, int> removals;                    ///< how often `running` comes first
  std::map<std::string, Json> specs;
  std::function<void(const Node&, const Context&)> on_align;
  std::chrono::milliseconds delay{0};
  std::mutex mutex;
  std::vector<std::string> log;  ///< "align NAME", "remove NAME", "end NAME"
  std::atomic<int> max_running{0};

 private:
  void enter(const std::string& what) {
    std::lock_guard lock(mutex);
    log.push_back(what);
  }
  void leave(const std::string& name) {
    std::lock_guard lock(mutex);
    log.push_back("end " + name);
  }
  std::atomic<int> m_running{0};
};

/// A built-in policy with this runtime.
inline std::shared_ptr<PolicyDefinition> definition_of(const std::string& name,
                                                       std::shared_ptr<PolicyRuntime> runtime,
                                                       Json parameters = Json::object()) {
  auto definition = std::make_shared<PolicyDefinition>();
  definition->name = name;
  definition->origin = k_built_in;
  definition->parameters = std::move(parameters);
  definition->schema = *compile_parameters(definition->parameters, name);
  definition->runtime = std::move(runtime);
  return definition;
}

/// Lets a thread wait until a node has been aligned in another. Threads: any.
class AlignedNode {
 public:
  explicit AlignedNode(std::string name) : m_name(std::move(name)) {}
  /// For FakeExecutor::on_align.
  void aligned(const Node& node) {
    const std::lock_guard lock(m_mutex);
    m_aligned = m_aligned || node.key.name == m_name;
    m_changed.notify_all();
  }
  /// False: it was not in time.
  bool wait(std::chrono::seconds most) {
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, most, [this] { return m_aligned; });
  }

 private:
  const std::string m_name;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  bool m_aligned = false;
};

using kubist::testing::FakeClock;

/// A whole engine in memory.
struct World {
  World() {
    set.add("Default", executor, {}, {"Root", "Project", "Cluster", "VirtualCluster", "Execution"},
            {"Standard"});
  }
  Report run(RunOptions options = {}, std::stop_token stop = {}) {
    Graph graph = home.graph();
    return run(graph, graph.roots(), options, stop);
  }
  Report run(const Graph& graph, const std::vector<NodeId>& selected, RunOptions options = {},
             std::stop_token stop = {}) {
    RunInfo info{"run-" + std::to_string(++runs), clock.now(), false, causes, cause};
    RunParts parts{set, home, policies, policy_world, observer, clock};
    return engine::run(graph, selected, info, options, parts, stop);
  }
  std::map<Key, std::string> causes;
  std::string cause;
  /// The report of the node with that name, from the last graph's order of names.
  static const NodeReport& node(const Report& report, const std::string& name) {
    for (const NodeReport& node : report.nodes) {
      if (node.key.name == name) {
        return node;
      }
    }
    throw std::out_of_range(name);
  }
  std::string condition(const std::string& kind, const std::string& ns, const std::string& name,
                        const std::string& type) {
    const std::lock_guard lock(home.mutex);  // a run may go on
    const Json& object = home.at(kind, ns, name);
    if (!object.contains("status")) {
      return "";
    }
    const Json* found = find_condition(object["status"], type);
    return found ? found->value("status", "") + " " + found->value("reason", "") : "";
  }

  /// Root, two projects with two clusters each, two virtual clusters on each.
  void add_tree() {
    home.add("Root", "", "root");
    for (std::string project : {"p1", "p2"}) {
      home.add("Project", "", project);
      for (std::string cluster : {"c1", "c2"}) {
        home.add("Cluster", project, project + cluster);
        for (std::string vc : {"v1", "v2"}) {
          home.add("VirtualCluster", project, project + cluster + vc,
                   {{"clusterRef", {{"name", project + cluster}}}});
        }
      }
    }
  }

  void use_policy(const std::string& project, const std::string& virtual_cluster,
                  const std::string& policy) {
    home.at("VirtualCluster", project, virtual_cluster)["spec"]["policies"] =
        Json::array({{{"name", policy}}});
  }

  FakeHome home;
  std::shared_ptr<FakeExecutor> executor = std::make_shared<FakeExecutor>();
  ExecutorSet set;
  PolicyCatalog policies;
  PolicyWorld policy_world;
  Observer observer;
  FakeClock clock;
  int runs = 0;
};

}  // namespace kubist::engine::testing
