// What a run planned, looked at again under its lock.
#include <algorithm>

#include <kubist/executors/session.hpp>
#include <kubist/executors/tree_view.hpp>
#include <kubist/util/text.hpp>

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

}  // namespace

// What was planned holds as long as no object of the project was changed, added or taken away.
util::Result<> Session::recheck(const Graph& graph, const std::vector<data::Json>& definitions,
                                const std::string& ns, const std::stop_token& stop) {
  AroundProjects around(graph, definitions);
  KUBIST_TRY(const Snapshot now, load_snapshot(*m_home, ns, stop, &around));
  std::size_t count = 0;
  bool same = true;
  for (const ObjectPtr& object : now.nodes) {
    const resources::ObjectView view(*object);
    if (view.ns() != ns) {
      continue;
    }
    const auto found = graph.find(view.ref());
    count += found.empty() ? 1 : found.size();
    same = same && !found.empty() && graph[found[0]].uid == view.uid() &&
           graph[found[0]].generation == view.generation() &&
           graph[found[0]].deleting == !view.deletion_timestamp().empty();
  }
  const auto planned = std::count_if(graph.nodes().begin(), graph.nodes().end(),
                                     [&](const engine::Node& node) { return node.key.ns == ns; });
  if (same && count == static_cast<std::size_t>(planned)) {
    return {};
  }
  return util::fail(
      plan_changed(cat("the objects of namespace ", ns, " changed while the run was planned")));
}

}  // namespace kubist::executors
