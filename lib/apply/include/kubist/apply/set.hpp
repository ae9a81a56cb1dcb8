#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/apply/report.hpp>
#include <kubist/data/json.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/kube/room.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/resources/readiness.hpp>
#include <kubist/util/result.hpp>

namespace kubist::apply {

/// What a hook decides about one object before it is written.
struct Admission {
  bool write = true;   ///< false: it is left as it is, its outcome is `kept`
  std::string reason;  ///< why it is left: the result's message
};

/// Asked once for every object that would be written, on the caller's thread. `live` is the object
/// on the server (null: there is none). An error fails only that object.
using Admit = std::function<util::Result<Admission>(std::size_t index, const data::Json* live)>;

/// An object that a set needs first and that is not of the input.
struct Needed {
  data::Json object;
  std::string manager;  ///< field manager
};

using Needs = std::function<util::Result<std::vector<Needed>>(
    kube::Client& client, const std::vector<resources::Manifest>& objects, std::stop_token stop)>;

/// Where `--prune` remembers what it applied: a ConfigMap, by ApplySet's rules (KEP-3659).
struct InventoryName {
  std::string ns;
  std::string name;
};

struct Options {
  std::string manager{kube::k_default_manager};  ///< field manager
  bool force_conflicts = false;
  kube::DryRun dry_run = kube::DryRun::none;
  kube::FieldValidation validation = kube::FieldValidation::strict;
  /// For namespaced objects that name none; empty: the client's default.
  std::string default_namespace;
  /// Objects of another namespace are an error (kubectl's -n).
  bool enforce_namespace = false;
  /// Take over what client-side `kubectl apply` owns of an object, once this one's fields are
  /// applied: what left the input goes, and so does its annotation. Two writes more, once.
  bool take_over_client_side = false;
  bool keep_objects = false;  ///< fill ObjectResult::live
  /// Fill ObjectResult::calls, also of a result for each time that the inventory is written. In a
  /// client dry run the inventory's last write is there where it needs no answer of the run.
  bool keep_calls = false;
  /// The live objects that the run keeps take their memory there. Where there is no room, the run
  /// ends before its first write, or an object fails that was written. Null: they take what they
  /// need. It outlives the run.
  kube::Reservation* reservation = nullptr;
  Admit admit;
  /// With `admit`: objects, by their index, that are most likely not there. They are made without
  /// being looked for, and looked for where the server has them.
  std::set<std::size_t> unseen;
  http::Permit permit;  ///< goes with the write of each object (http::Request)
  /// With strict validation: look for fields that do not exist in the objects that would be
  /// written, before the first write. By the server's OpenAPI v3 (kube/open_api.hpp), so without a
  /// request once that is cached; where it is not to be had, the server finds them at each object's
  /// PATCH. kubist's own kinds are left out: resources::validate() knows them better.
  bool check_fields = false;
  /// Asked after all checks, for objects that are not there: they are made first, as Namespaces of
  /// Projects are. An error of it, or of a write of these, ends the run with nothing else written.
  /// A dry run goes on, but not after an error of it that is not forbidden. May be empty.
  Needs needs;
  /// A namespace that the caller makes before a real run, besides the set's own; empty: none. What
  /// lies there is not an error of a server dry run.
  std::string brings_namespace;
  /// Called for each result on the caller's thread, in the order of Report::results.
  std::function<void(const ObjectResult&)> on_result;
  /// Keep this inventory; with `prune`, delete what is in it and no longer in the input.
  std::optional<InventoryName> inventory;
  bool prune = false;
  /// After applying, wait until every object is ready (kstatus).
  bool wait = false;
  resources::ReadyMode ready_mode = resources::ReadyMode::kstatus;
  /// For waiting, also on CRDs and namespaces between waves. 0: none.
  std::chrono::nanoseconds timeout{0};
  /// Progress of waiting for people: "waiting for 3 objects: ...". May be empty.
  std::function<void(std::string_view)> on_progress;
};

/// Makes the cluster's objects as the input says, by server-side apply.
///
/// Order: waves of resources/ordering.hpp; a wave starts when the one before is done, CRDs are
/// established and namespaces are there before what needs them. Within a wave the client's governor
/// decides how many requests are in flight. An object that fails stops only what needs it: a
/// namespace its objects, a CRD its custom resources; unknown kinds, wrong scopes and objects that
/// appear twice (and unknown fields, where asked for) are found before anything is written, and
/// then nothing is.
///
/// Unchanged objects are not written: their live state is read first (LIST, or GET for few) and
/// compared as compare.hpp says. `objects` must outlive the call; an object's metadata.namespace is
/// filled in where it lacks one, and with an inventory its label.
///
/// Blocks; not from a ReplyHandler. On stop it starts no more requests, waits for those in flight,
/// and marks the rest skipped.
Report apply_set(kube::Client& client, std::vector<resources::Manifest>& objects,
                 const Options& options, std::stop_token stop = {});

/// The part of apply_set that needs no write: every problem with kinds, scopes, namespaces and
/// duplicates. Empty: the set can be applied.
std::vector<util::Error> check_set(kube::Client& client, std::vector<resources::Manifest>& objects,
                                   const Options& options, std::stop_token stop = {});

}  // namespace kubist::apply
