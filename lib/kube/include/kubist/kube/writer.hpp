#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <kubist/kube/client.hpp>

namespace kubist::kube {

/// A cluster to write to. The client must outlive the call.
struct Target {
  Client& client;
  std::string cluster = {};  ///< the Cluster object's name, for reports; empty: home
};

/// One change that was made or, in a dry run, would be.
struct Write {
  std::string verb;     ///< "create", "apply", "patch", "patch status" or "delete"
  std::string object;   ///< "v1 Secret/NAMESPACE/NAME"; in dry runs NAME may be a generateName
  std::string cluster;  ///< as Target
  std::string detail;   ///< why, for people; never a secret value; may be empty
  /// The request, in a client's dry run that of a run. Its body may hold secret values.
  ApiCall call;
};

/// How Writer::apply() applies an object.
struct ApplyOf {
  const data::Json* live = nullptr;  ///< what the server has; null: nothing
  bool force = false;                ///< take over fields of other managers
  bool only_new = false;             ///< a conflict where there is one (ApplyOptions)
  std::string detail = {};           ///< for the report
};

/// How Writer::patch() patches an object.
struct PatchOf {
  std::string subresource = {};  ///< "status", ...; empty: the object itself
  std::string detail = {};       ///< for the report
};

/// Every write of a run goes through one: it takes the lock, leaves out what a dry run must not
/// send, and tells what was changed. Copies share nothing but the order in which they tell. Any
/// thread.
///
/// A write that was begun is finished, also when the run is being stopped: no stop token. Errors
/// are those of Rules::before and of the request (kube/api_error.hpp).
class Writer {
 public:
  struct Rules {
    std::string field_manager{k_default_manager};
    /// client: nothing is sent. server: all is sent with dryRun=All. Either is told, too.
    DryRun dry_run = DryRun::none;
    /// Asked before each write, not in dry runs: takes the lock that it needs. May be empty.
    std::function<util::Result<>()> before = {};
    http::Permit permit = {};  ///< goes with each write: what `before` took still holds
    /// Called after each write that was sent, whatever came of it: what is known of that namespace
    /// is old. Not in dry runs. May be empty; any thread.
    std::function<void(Client&, const ApiResource&, std::string_view ns)> sent = {};
    /// Called for each change, by one thread at a time, so it must not write by this Writer or a
    /// copy. Not where a request failed, though one whose answer was lost may have changed
    /// something. May be empty.
    std::function<void(const Write&)> told = {};
  };

  Writer() = default;
  explicit Writer(Rules rules) : m_rules(std::move(rules)) {}
  const Rules& rules() const { return m_rules; }
  bool dry() const { return m_rules.dry_run != DryRun::none; }
  /// Asks Rules::before, as each write does: for those that are sent by other means.
  util::Result<> may_write() const;
  /// One with another rule, which tells in one order with this one.
  Writer with_before(std::function<util::Result<>()> before) const;
  Writer with_manager(std::string_view field_manager) const;

  /// Server-side apply. The object as it is then; in a dry run as it would be (client, or a server
  /// that has no namespace for it yet: as sent). Not told where the server changed nothing, which
  /// it does not say in a dry run: compare first (apply/compare.hpp).
  util::Result<data::Json> apply(const Target& target, const ApiResource& resource,
                                 const data::Json& object, const ApplyOf& how = {}) const;
  /// The object as made; in dry runs as apply(). Conflict, see already_exists().
  util::Result<data::Json> create(const Target& target, const ApiResource& resource,
                                  const data::Json& object) const;
  /// The object as it is then; null in a client dry run, and in a server dry run where the object
  /// is not there (an earlier write of the run would have made it).
  util::Result<data::Json> patch(const Target& target, const ApiResource& resource,
                                 std::string_view ns, std::string_view name, PatchType type,
                                 const data::Json& body, const PatchOf& how = {}) const;
  /// True when it had been there (200 does not mean gone), and in each client dry run. `uid` is a
  /// precondition where given: conflict.
  util::Result<bool> remove(const Target& target, const ApiResource& resource, std::string_view ns,
                            std::string_view name, std::string_view uid = {}) const;
  /// Adds or takes away a finalizer by a JSON Patch with a test: no other finalizer is lost.
  /// `known` is the object as last read; without it the object is read first, as after each
  /// conflict. Sends nothing where it is as wanted, and adds none to what is being deleted. The
  /// object as it is then, in a client dry run as it was read; nothing: it is gone, or another has
  /// its name now.
  util::Result<std::optional<data::Json>> set_finalizer(const Target& target,
                                                        const ApiResource& resource,
                                                        std::string_view ns, std::string_view name,
                                                        std::string_view finalizer, bool present,
                                                        std::optional<data::Json> known = {}) const;
  /// Tells of a write that was sent by other means: apply::apply_set, which has many on their way
  /// at once, or a chart's repair in a dry run, whose Write::call is empty: it is not rendered.
  void tell(const Write& write) const;

 private:
  struct Place;
  DryRun asked_for() const;
  util::Result<data::Json> send(const Place& place, ApiCall call) const;
  void tell(const Place& place, std::string verb, std::string detail, const ApiCall& call) const;
  Rules m_rules;
  std::shared_ptr<std::mutex> m_telling = std::make_shared<std::mutex>();
};

}  // namespace kubist::kube
