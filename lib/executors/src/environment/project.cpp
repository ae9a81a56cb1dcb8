#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/executors/status_store.hpp>
#include <kubist/notify/sink.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "keep/kinds.hpp"
#include "keep/namespaces.hpp"
#include "keep/project_rights.hpp"
#include "world/patterns.hpp"

namespace kubist::executors {

using engine::Alignment;
using util::cat;

namespace {

class ProjectExecutor final : public ManagedExecutor {
 public:
  using ManagedExecutor::ManagedExecutor;

 protected:
  util::Result<Alignment> align_node(Work& work) override {
    const NamespaceWish wish = project_wish(*work.node().object, work.spec());
    if (resources::is_reserved_namespace(wish.name)) {
      return util::fail(util::ErrorKind::invalid, cat("a project cannot own namespace ", wish.name),
                        "", "NamespaceReserved");
    }
    KUBIST_CHECK(check_patterns(work.spec()));
    KUBIST_CHECK(notify::read_sinks(work.spec()));
    auto kept = keep_namespace(work, work.home(), wish);
    if (!kept && kept.error().reason == k_namespace_terminating) {
      KUBIST_CHECK(check_all_go(work, wish.name));
    }
    KUBIST_TRY(const NamespaceFact fact, std::move(kept));
    KUBIST_CHECK(keep_project_account(work));
    Alignment alignment;
    alignment.status["namespace"] = wish.name;
    alignment.status["namespaceUID"] = resources::ObjectView(fact.live).uid();
    alignment.status["adopted"] = fact.adopted ? data::Json(true) : data::Json();
    alignment.status["inventory"] = fact.inventory;
    const auto& children = work.node().children;
    alignment.status["clusters"] = std::count_if(
        children.begin(), children.end(),
        [&](engine::NodeId id) { return work.context().graph[id].key.kind == "Cluster"; });
    return alignment;
  }

  util::Result<engine::Removal> remove_node(Work& work) override {
    const std::string ns = resources::project_namespace(*work.node().object);
    KUBIST_TRY(engine::Removal removal, remove_namespace(work, work.home(), ns));
    if (!removal.left_behind.empty()) {
      KUBIST_CHECK(drop_project_rights(work, ns));
    }
    return removal;
  }

 private:
  // A run that was planned before would wait for the namespace, and it for the run's removals.
  static util::Result<> check_all_go(Work& work, const std::string& ns) {
    const auto& nodes = work.context().graph.nodes();
    if (std::all_of(nodes.begin(), nodes.end(),
                    [&](const engine::Node& node) { return node.key.ns != ns || node.deleting; })) {
      return {};
    }
    return util::fail(plan_changed(cat("namespace ", ns, " is being deleted with all in it")));
  }
};

}  // namespace

std::shared_ptr<ManagedExecutor> make_project_executor(World& world) {
  return std::make_shared<ProjectExecutor>(world);
}

}  // namespace kubist::executors
