#include "references.hpp"

#include <unordered_map>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/execution_items.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

/// One reference and the place where the object makes it.
struct Edge {
  ObjectRef to;
  std::string pointer;
};

class ReferenceChecker {
 public:
  ReferenceChecker(const std::vector<const Manifest*>& manifests, const ValidateContext& context)
      : m_manifests(manifests), m_context(context) {
    for (std::size_t i = 0; i < manifests.size(); ++i) {
      ObjectRef ref = ref_of(*manifests[i]);
      if (ref.kind == "Project") {
        m_projects.emplace(project_namespace(manifests[i]->object), i);
      }
      const auto [first, is_new] = m_index.emplace(to_key(ref), i);
      if (!is_new && !ref.name.empty()) {
        report_repeated(ref, manifests[i]->pos, manifests[first->second]->pos);
      }
    }
  }

  std::vector<util::Error> run() {
    for (const Manifest* manifest : m_manifests) {
      m_edges.emplace_back();
      for (Edge& edge : edges_of(*manifest)) {
        check(*manifest, edge);
        m_edges.back().push_back(std::move(edge));
      }
    }
    find_cycles();
    return std::move(m_errors);
  }

 private:
  /// The later one would silently win.
  void report_repeated(const ObjectRef& ref, const util::SourcePos& here,
                       const util::SourcePos& first) {
    m_errors.push_back(util::make_error(
        ErrorKind::invalid, here,
        cat(to_string(ref), " is in the input twice, first at ", util::to_string(first)),
        "remove one of the two"));
  }

  ObjectRef ref_of(const Manifest& manifest) const {
    ObjectRef ref = ObjectView(manifest.object).ref();
    place(ref);
    return ref;
  }

  /// Gives a namespaced reference without a namespace the default one, and others none.
  void place(ObjectRef& ref) const {
    const Kind* kind = find_kind(ref.group, ref.kind);
    if (kind != nullptr && !kind->namespaced && !ref.name.empty()) {
      ref.ns.clear();
    } else if (ref.ns.empty()) {
      ref.ns = m_context.default_namespace;
    }
  }

  std::vector<Edge> edges_of(const Manifest& manifest) const {
    std::vector<Edge> edges;
    // A DeployItem may be in any namespace (only that of a project makes it part of the tree), and
    // the targets of types of others are their own.
    const bool item = ObjectView(manifest.object).kind() == "DeployItem";
    const bool own = data::string_at(manifest.object, {"spec", "type"}).starts_with("kubist.io/");
    if (auto parent = parent_of(manifest.object);
        parent && !(item && (parent->name.empty() || !own))) {
      if (parent->name.empty()) {
        parent->ns = ObjectView(manifest.object).ns();
      }
      edges.push_back({*parent, parent_pointer(*parent, ObjectView(manifest.object).ref())});
    }
    const Json& depends = data::array_at(manifest.object, {"spec", "dependsOn"});
    for (std::size_t i = 0; i < depends.size(); ++i) {
      const Json& entry = depends[i];
      auto to = entry.is_string()
                    ? resolve_ref(manifest.object, entry.get_ref<const std::string&>())
                    : std::nullopt;
      if (to) {
        edges.push_back({std::move(*to), cat("/spec/dependsOn/", i)});
      }
    }
    const ObjectView view(manifest.object);
    for (const ImportedExecution& import : imported_executions(view.spec())) {
      edges.push_back(
          {{std::string(k_kubist_group), "Execution", std::string(view.ns()), import.name},
           cat("/spec", import.pointer)});
    }
    for (Edge& edge : edges) {
      place(edge.to);
    }
    return edges;
  }

  static std::string parent_pointer(const ObjectRef& parent, const ObjectRef& child) {
    if (parent.kind == "VirtualCluster" && child.kind == "DeployItem") {
      return "/spec/target/name";
    }
    if (parent.kind == "Cluster") {
      return "/spec/clusterRef/name";
    }
    return parent.kind == "VirtualCluster" ? "/spec/virtualClusterRef/name" : "/metadata/namespace";
  }

  bool in_input(const ObjectRef& to) const {
    if (to.kind == "Project" && to.name.empty()) {
      return m_projects.count(to.ns) > 0;
    }
    return m_index.count(to_key(to)) > 0;
  }

  void check(const Manifest& manifest, const Edge& edge) {
    const ObjectRef& to = edge.to;
    bool optional = to.kind == "Root";                // projects stand without one
    bool nowhere = to.name.empty() && to.ns.empty();  // the namespace comes with the request
    if (optional || nowhere || in_input(to) || !m_context.exists) {
      return;
    }
    auto exists = m_context.exists(to);
    if (!exists || *exists) {
      return;
    }
    m_errors.push_back(util::make_error(ErrorKind::invalid, manifest.position(edge.pointer),
                                        cat(to_string(ref_of(manifest)), ": ", missing_text(to)),
                                        hint(to)));
  }

  static std::string missing_text(const ObjectRef& to) {
    if (to.name.empty()) {
      return cat("no Project owns the namespace \"", to.ns, '"');
    }
    return cat("there is no ", to_string(to),
               to.ns.empty() ? std::string{} : cat(" in namespace \"", to.ns, '"'));
  }

  std::string hint(const ObjectRef& to) const {
    if (to.name.empty()) {
      return "apply the Project first or with it; its spec.namespace (by default its name) must be "
             "this namespace";
    }
    std::vector<std::string> names;
    for (const Manifest* manifest : m_manifests) {
      ObjectRef other = ref_of(*manifest);
      if (other.kind == to.kind && other.ns == to.ns) {
        names.push_back(other.name);
      }
    }
    auto near = util::nearest(to.name, names);
    return near ? cat("did you mean ", to.kind, '/', *near, '?')
                : cat("apply the ", to.kind, " first or with it");
  }

  std::optional<std::size_t> find(const ObjectRef& to) const {
    if (to.kind == "Project" && to.name.empty()) {
      auto found = m_projects.find(to.ns);
      return found == m_projects.end() ? std::nullopt : std::optional(found->second);
    }
    auto found = m_index.find(to_key(to));
    return found == m_index.end() ? std::nullopt : std::optional(found->second);
  }

  /// Depth first, with a stack of its own: trees of 10,000 nodes are usual. Each cycle is met once,
  /// at the edge that closes it.
  void find_cycles() {
    enum class Mark : char { fresh, open, closed };
    std::vector<Mark> marks(m_manifests.size(), Mark::fresh);
    struct Step {
      std::size_t node;
      std::size_t next = 0;
    };
    for (std::size_t start = 0; start < m_manifests.size(); ++start) {
      std::vector<Step> path;
      if (marks[start] == Mark::fresh) {
        path.push_back({start});
        marks[start] = Mark::open;
      }
      while (!path.empty()) {
        Step& step = path.back();
        if (step.next == m_edges[step.node].size()) {
          marks[step.node] = Mark::closed;
          path.pop_back();
          continue;
        }
        const Edge& edge = m_edges[step.node][step.next++];
        auto to = find(edge.to);
        if (!to || marks[*to] == Mark::closed) {
          continue;
        }
        if (marks[*to] == Mark::fresh) {
          marks[*to] = Mark::open;
          path.push_back({*to});
          continue;
        }
        std::vector<std::size_t> cycle;
        for (auto it = path.rbegin(); it != path.rend(); ++it) {
          cycle.push_back(it->node);
          if (it->node == *to) {
            break;
          }
        }
        report_cycle(cycle, edge);
      }
    }
  }

  /// `cycle` holds the nodes backwards; `closing` leads from its first to its last.
  void report_cycle(const std::vector<std::size_t>& cycle, const Edge& closing) {
    std::string text;
    for (auto it = cycle.rbegin(); it != cycle.rend(); ++it) {
      text += cat(to_string(ref_of(*m_manifests[*it])), " -> ");
    }
    text += to_string(ref_of(*m_manifests[cycle.back()]));
    m_errors.push_back(util::make_error(ErrorKind::invalid,
                                        m_manifests[cycle.front()]->position(closing.pointer),
                                        cat("these wait for each other: ", text),
                                        "an object waits for its parent and for what dependsOn and "
                                        "imports name: remove one of them"));
  }

  const std::vector<const Manifest*>& m_manifests;
  const ValidateContext& m_context;
  std::unordered_map<std::string, std::size_t> m_index;
  std::unordered_map<std::string, std::size_t> m_projects;  ///< by the namespace they own
  std::vector<std::vector<Edge>> m_edges;
  std::vector<util::Error> m_errors;
};

}  // namespace

std::vector<util::Error> check_references(const std::vector<const Manifest*>& manifests,
                                          const ValidateContext& context) {
  return ReferenceChecker(manifests, context).run();
}

}  // namespace kubist::resources
