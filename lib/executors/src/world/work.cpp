#include "world/work.hpp"

#include <algorithm>

#include <kubist/apply/compare.hpp>
#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/executors/status_store.hpp>
#include <kubist/kube/namespaces.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/served.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "world/shared_lists.hpp"

namespace kubist::executors {

using data::Json;
using util::cat;

util::Result<std::string> cluster_uid(kube::Client& client, const std::stop_token& stop) {
  return kube::cluster_uid(client, stop);
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

Work::Work(World& world, const engine::Node& node, const engine::Context& context)
    : m_world(world),
      m_node(node),
      m_context(context),
      // Nothing is made before the finalizer is there, and no look ends without a status.
      m_new(world.dry_run == kube::DryRun::none &&
            std::find(node.finalizers.begin(), node.finalizers.end(), k_finalizer) ==
                node.finalizers.end() &&
            !world.statuses->written(node)),
      m_writer(rules()) {}

kube::Writer::Rules Work::rules() {
  const std::string ns = project_namespace();
  kube::Writer::Rules rules;
  if (!ns.empty()) {  // only the Root belongs to no project
    rules = m_world.locks.rules(ns, stop());
  }
  rules.field_manager = executors::field_manager(owner_mark());
  rules.dry_run = m_world.dry_run;
  rules.sent = [this](kube::Client& client, const kube::ApiResource& resource,
                      std::string_view in) {
    m_world.lists->written(client, resource, std::string(in));
  };
  rules.told = [this](const kube::Write& write) {
    m_writes.push_back({write.verb, write.object, write.cluster, write.detail});
    if (m_world.keep_calls && !write.call.path.empty()) {
      m_writes.back().call = std::make_shared<const kube::ApiCall>(write.call);
    }
    if (m_world.changes && write.verb == "create") {
      tell_made(write);
    }
  };
  return rules;
}

void Work::tell_made(const kube::Write& write) const {
  const auto made = data::parse_json(write.call.body ? *write.call.body : "null", "what was sent");
  if (made && made->is_object()) {
    m_world.changes(m_node, {write.object, write.cluster, Json(), *made});
  }
}

util::Result<Json> Work::write(const kube::Target& target, const kube::ApiResource& resource,
                               const Json& object, const kube::ApplyOf& how) {
  KUBIST_TRY(Json after, m_writer.apply(target, resource, object, how));
  if (m_world.changes && how.live != nullptr) {
    m_world.changes(m_node, deployers::change_of(m_writer, target, *how.live, object, after));
  }
  return after;
}

util::Result<Json> Work::apply(const kube::Target& target, const kube::ApiResource& resource,
                               const Json& object, const Json* live, bool repair) {
  std::string why;
  if (live != nullptr) {
    const auto comparison = apply::compare(
        object, *live,
        {.manager = field_manager(), .built_in = apply::is_built_in_group(resource.group)});
    if (comparison.verdict == apply::Verdict::unchanged) {
      return *live;
    }
    why = repair ? "repaired: " + comparison.reason : "";
  }
  return write(target, resource, object,
               {.live = live, .force = repair, .only_new = live == nullptr, .detail = why});
}

util::Result<> Work::set_finalizer(const kube::ApiResource& resource, std::string_view ns,
                                   std::string_view name, std::string_view finalizer, bool present,
                                   std::optional<Json> known) {
  KUBIST_TRY(const auto written,
             m_writer.with_manager(k_status_manager)
                 .set_finalizer(home(), resource, ns, name, finalizer, present, std::move(known)));
  if (written && present && m_node.key.kind == "Project") {
    m_world.statuses->saw(m_node, *written);
  }
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
  return util::with_reason(std::move(error), "StatusNotWritable");
}

util::Result<> Work::record(const Json& fields) {
  const Json& present = m_node.status();
  const bool known = std::all_of(
      fields.items().begin(), fields.items().end(),
      [&](const auto& field) { return present.value(field.key(), Json()) == field.value(); });
  if (dry() || known) {
    return {};
  }
  m_recorded.update(fields);
  KUBIST_TRY(const bool sent, m_world.statuses->record(m_node, fields));
  if (sent) {
    const std::string_view version = resources::ObjectView(*m_node.object).api_version();
    m_writes.push_back({"patch status",
                        cat(version, ' ', m_node.key.kind, '/', m_node.key.ns,
                            m_node.key.ns.empty() ? "" : "/", m_node.key.name),
                        "", "inventory"});
  }
  return {};
}

}  // namespace kubist::executors
