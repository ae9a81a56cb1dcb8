#pragma once
#include <optional>
#include <string>
#include <vector>

#include <kubist/engine/executor.hpp>
#include <kubist/executors/world.hpp>
#include <kubist/kube/writer.hpp>

namespace kubist::executors {

/// "HOME_UID/Kind/namespace/name": the value of annotation kubist.io/owner on what is made for it.
std::string owner_mark(std::string_view home_uid, const engine::Key& key);
/// Why a status could not be written: a CRD of somebody's own may have no room for what kubist
/// writes (fields are checked strictly).
util::Error status_refused(util::Error error, const engine::Node& node);
/// "kubist-" and a short hash of the owner mark.
std::string field_manager(std::string_view owner_mark);

/// One executor call: the node, what the engine gave, and the writer for all that is written for
/// it, which holds the project's lock, knows the dry run and reports.
class Work {
 public:
  Work(World& world, const engine::Node& node, const engine::Context& context);
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  World& world() { return m_world; }
  const engine::Node& node() const { return m_node; }
  const engine::Context& context() const { return m_context; }
  const data::Json& spec() const { return m_context.spec; }
  const std::stop_token& stop() const { return m_context.stop; }
  bool dry() const { return m_writer.dry(); }
  /// Is this the first look at the node, so that nothing has been made for it? What it shall have
  /// is made unseen then (ApplyOf::only_new), and looked for where that is a conflict. Never in a
  /// dry run.
  bool is_new() const { return m_new; }
  std::vector<engine::Write>& writes() { return m_writes; }

  std::string owner_mark() const { return executors::owner_mark(m_world.home_uid, m_node.key); }
  /// The namespace of the project that the node belongs to; empty for the Root.
  std::string project_namespace() const;

  /// Its field manager is the node's own.
  const kube::Writer& writer() const { return m_writer; }
  const std::string& field_manager() const { return m_writer.rules().field_manager; }
  kube::Target home() const { return {*m_world.home}; }
  /// Writer::apply, of which ReconcileOptions::changes is told.
  util::Result<data::Json> write(const kube::Target& target, const kube::ApiResource& resource,
                                 const data::Json& object, const kube::ApplyOf& how);
  /// The same, left out when nothing would change. `live` is what the server has (null:
  /// nothing, and a conflict where that is no longer so). `repair`: it was applied before, so that
  /// fields which other managers took since are taken again; else they are a conflict. The object
  /// as it is then, or as Writer::apply gives it in a dry run.
  util::Result<data::Json> apply(const kube::Target& target, const kube::ApiResource& resource,
                                 const data::Json& object, const data::Json* live,
                                 bool repair = false);
  /// Adds or takes away a finalizer of an object at home, as manager k_status_manager: see Writer.
  util::Result<> set_finalizer(const kube::ApiResource& resource, std::string_view ns,
                               std::string_view name, std::string_view finalizer, bool present,
                               std::optional<data::Json> known = {});
  /// Writes these fields of the node's status (InventoryBook::fields) ahead of the objects that
  /// they name. Not_found: the node's object is gone, and nothing may be made for it.
  util::Result<> record(const data::Json& fields);
  /// What was recorded ahead turned out to be somebody else's: the node's next status has these.
  void correct(const data::Json& fields) { m_recorded.update(fields); }
  /// The fields that the node's status has to have, were it not said otherwise.
  const data::Json& recorded() const { return m_recorded; }
  /// The node's own API resource.
  util::Result<kube::ApiResource> resource();

 private:
  kube::Writer::Rules rules();
  void tell_made(const kube::Write& write) const;
  World& m_world;
  const engine::Node& m_node;
  const engine::Context& m_context;
  std::vector<engine::Write> m_writes;
  data::Json m_recorded = data::Json::object();
  bool m_new;
  kube::Writer m_writer;
};

}  // namespace kubist::executors
