#include <array>
#include <map>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/executors/session.hpp>
#include <kubist/executors/tree_view.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "keep/sites.hpp"
#include "world/work.hpp"

namespace kubist::executors {

using data::Json;
using util::cat;

namespace {

/// What is asked of one namespace of one cluster.
class Collector {
 public:
  Collector(kube::Client& home, deployers::Place place, const Session::GarbageOptions& options,
            kube::Writer writer, const std::stop_token& stop)
      : m_home(home),
        m_place(std::move(place)),
        m_options(options),
        m_writer(std::move(writer)),
        m_stop(stop) {}

  util::Result<> run() {
    // Pods first, so that none is left without what it needs; roles after their bindings.
    const std::array resources{
        &kube::well_known::pods(),    &kube::well_known::role_bindings(),
        &kube::well_known::roles(),   &kube::well_known::service_accounts(),
        &kube::well_known::secrets(), &kube::well_known::persistent_volume_claims()};
    kube::ListOptions list;
    list.label_selector = std::string(deployers::k_item_label);
    for (const kube::ApiResource* resource : resources) {
      KUBIST_TRY(const auto found, m_place.client->list(*resource, m_place.ns, list, m_stop));
      for (const Json& object : found.items) {
        KUBIST_CHECK(look_at(*resource, object));
      }
    }
    return {};
  }

 private:
  util::Result<> look_at(const kube::ApiResource& resource, const Json& object) {
    const resources::ObjectView view(object);
    const auto item = view.annotation(deployers::k_deploy_item_annotation);
    KUBIST_TRY(const bool gone, is_gone(std::string(item), view));
    if (!gone) {
      return {};
    }
    GarbageResult result{m_place.cluster,
                         resource.kind,
                         m_place.ns,
                         std::string(view.name()),
                         std::string(item),
                         "",
                         true};
    const auto phase = data::string_at(object, {"status", "phase"});
    if (resource.kind == "Pod" && phase != "Succeeded" && phase != "Failed") {
      m_running.insert(std::string(item));
      result.removed = false;
      result.why = "it still runs";
    } else if (m_running.contains(std::string(item))) {
      result.removed = false;
      result.why = "a pod of its item still runs";
    } else if (m_options.dry_run == kube::DryRun::none) {
      KUBIST_CHECK(
          m_writer.remove({*m_place.client}, resource, m_place.ns, view.name(), view.uid()));
    }
    m_options.on_result(result);
    return {};
  }

  /// Only a definite answer counts: it does not exist, or another one has its name.
  util::Result<bool> is_gone(const std::string& item, const resources::ObjectView& object) {
    const auto parts = util::split(item, '/');
    if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
      return false;
    }
    const std::string uid(data::string_at(object.labels(), {deployers::k_item_label}));
    if (const auto known = m_gone.find(uid); known != m_gone.end()) {
      return known->second;
    }
    KUBIST_TRY(const auto live, m_home.find(deployers::deploy_items(), parts[0], parts[1], m_stop));
    const bool gone = !live || resources::ObjectView(*live).uid() != uid;
    m_gone.emplace(uid, gone);
    return gone;
  }

  kube::Client& m_home;
  deployers::Place m_place;
  const Session::GarbageOptions& m_options;
  kube::Writer m_writer;
  const std::stop_token& m_stop;
  std::map<std::string, bool> m_gone;  ///< by the uid of the item
  std::set<std::string> m_running;
};

}  // namespace

util::Result<> Session::collect_garbage(const GarbageOptions& options,
                                        const std::stop_token& stop) {
  KUBIST_TRY(const TreeView view, load_tree_view(*m_home, one_or_all(options.ns), stop));
  const engine::Graph graph = build_graph(view);
  for (const auto& [ns, why] : view.hidden) {
    options.on_trouble(util::with_context(why, cat("namespace ", ns)));
  }
  ProjectLocks locks(m_home, {m_options.identity, new_run_id(), options.lock_timeout, nullptr,
                              nullptr, m_options.clock, m_options.sleep});
  begin_run(false, kube::DryRun::none);
  for (const engine::Node& node : graph.nodes()) {
    if (node.key.kind != "VirtualCluster" || node.parent == engine::k_no_node) {
      continue;
    }
    const std::string ns = node.key.ns;
    auto place = m_sites->of(graph, ns, node.key.name, stop);
    if (!place) {
      options.on_trouble(util::with_context(place.error(), engine::to_string(node)));
      continue;
    }
    // What lies in a namespace of another home's may belong to an item there.
    KUBIST_TRY(const auto live,
               m_sites->own(*place)->find(kube::well_known::namespaces(), "", place->ns, stop));
    if (!live) {
      continue;
    }
    if (resources::ObjectView(*live).annotation(resources::k_owner_annotation) !=
        owner_mark(m_home_uid, node.key)) {
      options.on_trouble(util::make_error(
          util::ErrorKind::conflict, cat("namespace ", place->ns, " of ", engine::to_string(node),
                                         " is not kubist's own here: nothing in it is checked")));
      continue;
    }
    Collector collector(*m_home, *std::move(place), options, kube::Writer(locks.rules(ns, stop)),
                        stop);
    if (const auto done = collector.run(); !done) {
      options.on_trouble(util::with_context(done.error(), engine::to_string(node)));
    }
  }
  return {};
}

}  // namespace kubist::executors
