#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

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
      // Chunks of states are long; whether it runs is said by a pod's status.
      list.form = resource == resources.front() ? kube::Form::object : kube::Form::metadata;
      KUBIST_TRY(const auto found, m_place.client->list(*resource, m_place.ns, list, m_stop));
      for (const Json& object : found.items) {
        note(*resource, object);
      }
    }
    for (const Found& found : m_found) {
      KUBIST_CHECK(look_at(found));
    }
    return {};
  }

 private:
  struct Found {
    const kube::ApiResource* resource;
    std::string name, uid, item, item_uid;
    bool runs;
  };

  void note(const kube::ApiResource& resource, const Json& object) {
    const resources::ObjectView view(object);
    const auto phase = data::string_at(object, {"status", "phase"});
    const Found& found = m_found.emplace_back(
        Found{&resource, std::string(view.name()), std::string(view.uid()),
              std::string(view.annotation(deployers::k_deploy_item_annotation)),
              std::string(view.label(deployers::k_item_label)),
              resource.kind == "Pod" && phase != "Succeeded" && phase != "Failed"});
    m_named[found.item_uid].insert(found.item);
    if (found.runs) {
      m_running.insert(found.item_uid);
    }
  }

  util::Result<> look_at(const Found& found) {
    KUBIST_TRY(const bool gone, is_gone(found.item, found.item_uid));
    if (!gone) {
      return {};
    }
    GarbageResult result{
        m_place.cluster, found.resource->kind, m_place.ns, found.name, found.item, "", true};
    // Who may label an object here may write any uid and any name.
    if (m_named[found.item_uid].size() > 1) {
      result.why = "objects with its label name different items";
    } else if (found.runs) {
      result.why = "it still runs";
    } else if (m_running.contains(found.item_uid)) {
      result.why = "a pod of its item still runs";
    }
    result.removed = result.why.empty();
    if (result.removed && m_options.dry_run == kube::DryRun::none) {
      KUBIST_CHECK(
          m_writer.remove({*m_place.client}, *found.resource, m_place.ns, found.name, found.uid));
    }
    m_options.on_result(result);
    return {};
  }

  /// Only a definite answer counts: it does not exist, or another one has its name.
  util::Result<bool> is_gone(const std::string& item, const std::string& uid) {
    const auto parts = util::split(item, '/');
    if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
      return false;
    }
    if (const auto known = m_gone.find({uid, item}); known != m_gone.end()) {
      return known->second;
    }
    KUBIST_TRY(const auto live, m_home.find(deployers::deploy_items(), parts[0], parts[1], m_stop));
    const bool gone = !live || resources::ObjectView(*live).uid() != uid;
    m_gone.emplace(std::pair(uid, item), gone);
    return gone;
  }

  kube::Client& m_home;
  deployers::Place m_place;
  const Session::GarbageOptions& m_options;
  kube::Writer m_writer;
  const std::stop_token& m_stop;
  std::vector<Found> m_found;
  std::map<std::string, std::set<std::string>> m_named;        ///< items, by their uid
  std::set<std::string> m_running;                             ///< uids of items
  std::map<std::pair<std::string, std::string>, bool> m_gone;  ///< by uid and item
};

}  // namespace

util::Result<> Session::collect_garbage(const GarbageOptions& options,
                                        const std::stop_token& stop) {
  KUBIST_TRY(const TreeView view, load_tree_view(*m_home, one_or_all(options.ns), stop));
  const engine::Graph graph = build_graph(view);
  for (const auto& [ns, why] : view.hidden) {
    options.on_trouble(util::with_context(why, cat("namespace ", ns)));
  }
  ProjectLocks::Options locking = lock_options(new_run_id());
  locking.timeout = options.lock_timeout;
  ProjectLocks locks(m_home, std::move(locking));
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
