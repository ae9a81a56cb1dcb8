#include "world/work.hpp"

#include <kubist/apply/compare.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/executors/status_store.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/served.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "world/shared_lists.hpp"

namespace kubist::executors {

using data::Json;
using util::cat;
using util::ErrorKind;

util::Result<std::string> cluster_uid(kube::Client& client, const std::stop_token& stop) {
  KUBIST_TRY(const Json system,
             client.json(kube::get(kube::well_known::namespaces(), "", "kube-system"), stop));
  return std::string(resources::ObjectView(system).uid());
}

std::string owner_mark(std::string_view home_uid, const engine::Key& key) {
  return cat(home_uid, '/', resources::qualified_kind(key), '/', key.ns, '/', key.name);
}

std::string field_manager(std::string_view owner_mark) {
  return cat("kubist-", util::sha256_hex(owner_mark).substr(0, 10));
}

std::string Work::project_namespace() const {
  return m_node.key.kind == "Project" ? resources::project_namespace(*m_node.object)
                                      : m_node.key.ns;
}

util::Result<> Work::may_write() {
  const std::string ns = project_namespace();
  return ns.empty() || dry() ? util::Result<>{} : m_world.locks.before_write(ns, stop());
}

http::Permit Work::permit() {
  const std::string ns = project_namespace();
  return ns.empty() || dry() ? nullptr : m_world.locks.permit(ns);
}

void Work::note(std::string verb, std::string object, const std::string& cluster,
                std::string detail) {
  m_writes.push_back({std::move(verb), std::move(object), cluster, std::move(detail)});
}

util::Result<Json> Work::apply(kube::Client& client, const std::string& cluster,
                               const kube::ApiResource& resource, const Json& object,
                               const Json* live) {
  if (live != nullptr) {
    const std::string manager = field_manager();
    const auto comparison = apply::compare(
        object, *live, {.manager = manager, .built_in = apply::is_built_in_group(resource.group)});
    if (comparison.verdict == apply::Verdict::unchanged) {
      return *live;
    }
  }
  return apply_now(client, cluster, resource, object, live, false, "");
}

util::Result<Json> Work::apply_now(kube::Client& client, const std::string& cluster,
                                   const kube::ApiResource& resource, const Json& object,
                                   const Json* live, bool force, std::string detail) {
  const resources::ObjectView view(object);
  const std::string what = cat(resource.api_version(), ' ', resource.kind, '/', view.name());
  const char* verb = live == nullptr ? "create" : "apply";
  kube::ApplyOptions options;
  options.field_manager = field_manager();
  options.force = force;
  if (dry()) {
    note(verb, what, cluster, std::move(detail));
    if (m_world.dry_run == kube::DryRun::client) {
      return object;
    }
    options.dry_run = kube::DryRun::server;
    auto would_be = client.json(kube::apply(resource, object, options), stop());
    const bool nowhere = !would_be && would_be.error().http_status == 404 && live == nullptr;
    return nowhere && !view.ns().empty() ? util::Result<Json>(object) : would_be;
  }
  KUBIST_CHECK(may_write());
  kube::ApiCall call = kube::apply(resource, object, options);
  call.permit = permit();
  auto written = client.json(call);
  m_world.lists->written(client, resource, std::string(view.ns()));
  KUBIST_TRY(Json after, std::move(written));
  if (live == nullptr || resources::ObjectView(*live).resource_version() !=
                             resources::ObjectView(after).resource_version()) {
    note(verb, what, cluster, std::move(detail));
  }
  return after;
}

util::Result<> Work::send(kube::Client& client, const std::string& cluster, kube::ApiCall call,
                          std::string verb, std::string object) {
  if (!dry()) {
    KUBIST_CHECK(may_write());
    call.permit = permit();
    // A write that was begun is finished, also when the run is being stopped.
    const auto sent = client.run(call);
    m_world.lists->written(client);
    KUBIST_CHECK(sent);
  }
  note(std::move(verb), std::move(object), cluster);
  return {};
}

util::Result<kube::ApiResource> Work::resource() {
  const std::string_view version = resources::ObjectView(*m_node.object).api_version();
  return m_world.home->discovery().find_kind(version, m_node.key.kind, stop());
}

util::Error status_refused(util::Error error, const engine::Node& node) {
  constexpr std::string_view k_unknown = "unknown field \"status.";
  const auto at = error.message.find(k_unknown);
  if (resources::find_kind(node.key.group, node.key.kind) != nullptr || at == std::string::npos) {
    return error;
  }
  error.message = cat("the status of ", node.key.kind, '.', node.key.group,
                      " cannot be written: for its CRD it has an ", error.message.substr(at));
  error.hint = "Set x-kubernetes-preserve-unknown-fields: true in the schema of its status.";
  error.reason = "StatusNotWritable";
  return error;
}

util::Result<> Work::record_inventory(const Json& entries) {
  const Json* present = data::find_path(m_node.status(), {"inventory"});
  if (dry() || (present != nullptr && *present == entries)) {
    return {};
  }
  KUBIST_TRY(const auto own, resource());
  if (m_node.selected) {
    KUBIST_CHECK(m_world.statuses->record_inventory(m_node, entries));
    note("patch", cat(own.api_version(), ' ', own.kind, '/', m_node.key.name, " (inventory)"), "");
    return {};
  }
  kube::WriteOptions options;
  options.field_manager = k_status_manager;
  options.subresource = "status";
  const auto sent =
      send(*m_world.home, "",
           kube::patch(own, m_node.key.ns, m_node.key.name, kube::PatchType::merge,
                       {{"status", {{"inventory", entries}}}}, options),
           "patch", cat(own.api_version(), ' ', own.kind, '/', m_node.key.name, " (inventory)"));
  return sent ? sent : util::fail(status_refused(sent.error(), m_node));
}

}  // namespace kubist::executors
