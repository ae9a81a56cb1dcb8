#pragma once
#include <string>
#include <vector>

#include <kubist/engine/executor.hpp>
#include <kubist/executors/world.hpp>

namespace kubist::executors {

/// "HOME_UID/Kind/namespace/name": the value of annotation kubist.io/owner on what is made for it.
std::string owner_mark(std::string_view home_uid, const engine::Key& key);
/// Why a status could not be written: a CRD of somebody's own may have no room for what kubist
/// writes (fields are checked strictly).
util::Error status_refused(util::Error error, const engine::Node& node);
/// "kubist-" and a short hash of the owner mark.
std::string field_manager(std::string_view owner_mark);

/// One executor call: the node, what the engine gave, and every write that is made for it. Writes
/// go through here, so that each is locked, left out in a dry run, and reported.
class Work {
 public:
  Work(World& world, const engine::Node& node, const engine::Context& context)
      : m_world(world), m_node(node), m_context(context) {}

  World& world() { return m_world; }
  const engine::Node& node() const { return m_node; }
  const engine::Context& context() const { return m_context; }
  const data::Json& spec() const { return m_context.spec; }
  const std::stop_token& stop() const { return m_context.stop; }
  bool dry() const { return m_world.dry_run != kube::DryRun::none; }
  std::vector<engine::Write>& writes() { return m_writes; }

  std::string owner_mark() const { return executors::owner_mark(m_world.home_uid, m_node.key); }
  std::string field_manager() const { return executors::field_manager(owner_mark()); }
  /// The namespace of the project that the node belongs to; empty for the Root.
  std::string project_namespace() const;

  /// Asked before every write: takes the project's lock where one is needed.
  util::Result<> may_write();
  /// Goes with every write: that lock still holds. Null where none is needed.
  http::Permit permit();
  /// Server-side apply with the node's field manager, left out when nothing would change. `live` is
  /// what the server has (null: nothing). Returns the object as it is then (in a dry run: as sent).
  util::Result<data::Json> apply(kube::Client& client, const std::string& cluster,
                                 const kube::ApiResource& resource, const data::Json& object,
                                 const data::Json* live);
  /// The same where the caller has compared already. `force` takes fields over from other managers;
  /// `detail` is for the report. A dry run on the server that finds no namespace is one on the client.
  util::Result<data::Json> apply_now(kube::Client& client, const std::string& cluster,
                                     const kube::ApiResource& resource, const data::Json& object,
                                     const data::Json* live, bool force, std::string detail);
  /// Any other call that changes something; `verb` and `object` are for the report.
  util::Result<> send(kube::Client& client, const std::string& cluster, kube::ApiCall call,
                      std::string verb, std::string object);
  /// Writes status.inventory of the node ahead of the objects that it names.
  util::Result<> record_inventory(const data::Json& entries);
  /// The node's own API resource.
  util::Result<kube::ApiResource> resource();

 private:
  void note(std::string verb, std::string object, const std::string& cluster,
            std::string detail = {});
  World& m_world;
  const engine::Node& m_node;
  const engine::Context& m_context;
  std::vector<engine::Write> m_writes;
};

}  // namespace kubist::executors
