#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/result.hpp>

namespace kubist::deployers {

class KeptLists;

/// What a Project lets its items do on the home cluster, where the rights of who runs kubist may
/// reach further. Any thread; valid as long as the place's resolver.
struct ItemLimits {
  std::string project;             ///< its name, for messages
  std::vector<std::string> kinds;  ///< spec.items.kinds: "Kind.group", "Kind" of the core group
  /// May items write to, and read from, that namespace? Reason NamespaceNotAllowed.
  std::function<util::Result<>(const std::string& ns)> check_namespace;
  /// spec.allow.hosts of the Project and the Root, for Ingresses; nothing: all are allowed.
  std::optional<std::vector<std::string>> hosts = {};
};

/// What a Project lets pods of its items have that no pod has by default (spec.items).
struct PodGrants {
  /// ServiceAccounts of the pod's namespace; a trailing * stands for any text.
  std::vector<std::string> accounts = {};
  /// Capabilities besides those of Pod Security's profile "baseline"; ALL stands for all.
  std::vector<std::string> capabilities = {};
  bool unconfined = false;  ///< without the runtime's seccomp, AppArmor and SELinux confinement
  bool privileged = false;  ///< all that Pod Security's profile "privileged" allows
};

/// Where pods of a target run.
struct Place {
  /// For what runs an item: its pods, their Secrets, accounts and logs.
  std::shared_ptr<kube::Client> client;
  std::string ns;
  std::string cluster;    ///< the Cluster object's name; empty: the home cluster
  PodGrants grants = {};  ///< those of the item's Project
  /// May this machine fetch a chart from that URL (http, https, oci)? Reason AddressNotAllowed.
  /// Empty: from any.
  std::function<util::Result<>(const std::string& url)> check_chart_address = {};
  /// Null: none but the rights of the place's client (another cluster, or items of no project).
  std::shared_ptr<const ItemLimits> limits = {};
  /// For what an item asks for, where that is another one than `client`: in a project's own
  /// namespace.
  std::shared_ptr<kube::Client> objects_client = {};
  /// For deleting what is recorded as made, where that may be done with more rights; null: it may
  /// not.
  std::shared_ptr<kube::Client> delete_client = {};
  /// For a removal where the namespace is going or gone, in which the other ones have no rights;
  /// null: they are good for it.
  std::shared_ptr<kube::Client> tidy_client = {};
  /// The place as a removal sees it.
  Place for_removal() const {
    Place place = *this;
    if (tidy_client) {
      (place.objects_client ? place.objects_client : place.client) = tidy_client;
    }
    return place;
  }
  /// The one for that.
  const std::shared_ptr<kube::Client>& deletions() const {
    return delete_client ? delete_client : objects();
  }
  /// The one for an item's objects: what it writes, waits for and exports.
  const std::shared_ptr<kube::Client>& objects() const {
    return objects_client ? objects_client : client;
  }
};

/// The place behind a DeployItem's target.name (a VirtualCluster of `ns`; empty: the home cluster
/// and `ns` itself). Not_found: no such VirtualCluster; unavailable: its cluster is not Ready;
/// reason NamespaceNotAllowed: it may not have its namespace of the home cluster.
using PlaceResolver =
    std::function<util::Result<Place>(const std::string& ns, const std::string& target)>;

/// How long a fault of a pod may last before it is final: some mend themselves.
struct Graces {
  std::chrono::milliseconds image{30000};           ///< ErrImagePull, ImagePullBackOff
  std::chrono::milliseconds config{15000};          ///< CreateContainerConfigError and the like
  std::chrono::milliseconds unschedulable{120000};  ///< no node takes it
  std::chrono::milliseconds mark{30000};            ///< workload ended, sidecar's mark missing
};

/// kubist's own image, with /kubist and /tini: $KUBIST_AGENT_IMAGE, else spec.images.agent of the
/// Root (null: there is none), else $KUBIST_IMAGE, which a controller's pod runs from, else that of
/// the build (KUBIST_IMAGE_REPOSITORY). Empty: none names one.
std::string agent_image(const data::Json* root = nullptr);
/// That of scripts that name none: $KUBIST_SCRIPT_IMAGE, else spec.images.script, else busybox.
std::string script_image(const data::Json* root = nullptr);
/// Why there can be no pod without an agent's image, and how one is made, pushed and named. Reason
/// NoAgentImage.
util::Error no_agent_image();

struct Settings {
  std::string agent_image = deployers::agent_image();
  std::string script_image = deployers::script_image();
  std::string agent_pull_policy = "IfNotPresent";
  std::chrono::seconds termination_grace{30};
  Graces graces;
  /// The DeployItem CRD is somebody else's: only types kubist.io/* are ours.
  bool foreign_crd = false;
  /// Helm items may name charts in folders of the machine that kubist runs on: not for those who
  /// only have access to a cluster with a controller in it.
  bool local_charts = true;
};

/// Evaluates Jsonnet: `source` gives a function, the answer is its value for `input` (JSON text, as
/// the answer). `name` is what errors call the source, `project` whose it is, by its namespace. Any
/// thread.
using Jsonnet =
    std::function<util::Result<std::string>(const std::string& name, const std::string& source,
                                            const std::string& input, const std::string& project)>;

/// In a dry run: an object of the home cluster as it would be, by its kind; nothing: it is not in
/// the input. Any thread.
using PlannedObject = std::function<std::optional<data::Json>(
    std::string_view kind, std::string_view ns, std::string_view name)>;

/// An object that an item keeps, as a run of the item saw it last.
struct Kept {
  resources::ObjectRef ref;
  std::string api_version;
  std::string uid;               ///< empty: it is not there
  std::string fields;            ///< apply::applied_fields() of the item; empty: they do not count
  std::string resource_version;  ///< empty: not known
};

/// The objects that an item keeps, but those whose drift is ignored.
struct KeptObjects {
  std::string item;                      ///< its uid
  std::string manager;                   ///< the field manager of what it applies
  std::shared_ptr<kube::Client> client;  ///< as whom it made them
  std::vector<Kept> objects;
};

/// An object that a write of a run changed. May hold values of Secrets.
struct Change {
  std::string object;   ///< as kube::Write has it
  std::string cluster;  ///< the same
  data::Json before;    ///< null: there was none
  data::Json after;     ///< in a dry run as it would be, as far as that is known
};

/// That of `live` by a write of `sent`, which `writer` answered with `after`.
Change change_of(const kube::Writer& writer, const kube::Target& target, const data::Json& live,
                 const data::Json& sent, const data::Json& after);

/// What is to become of a DeployItem that an Execution has rendered.
struct Review {
  util::Result<data::Json> spec;  ///< as it is to be applied; an error: it must not be
  std::string hold;               ///< why it stays as it is for now; empty: it does not
};

/// Asked about DeployItems as they were rendered, before any of them is made or changed: one answer
/// each, in order. Any thread.
using Reviewer = std::function<std::vector<Review>(const std::vector<data::Json>& items)>;

/// What running items needs of the world. Plain data; everything in it may be used by any thread.
struct World {
  std::shared_ptr<kube::Client> home;
  PlaceResolver place_of;
  Jsonnet jsonnet;  ///< empty: Templates cannot be rendered
  Settings settings;
  std::size_t parallelism =
      0;  ///< items of one Execution at once; 0: as many as their order allows
  std::stop_token stop;
  PlannedObject planned;                      ///< of a dry run; may be empty
  std::function<void(std::string)> progress;  ///< says what is waited for; may be empty
  /// Told by each run of a manifest or helm item, and with no objects when the item goes: a later
  /// change of one of them is drift. May be empty; any thread.
  std::function<void(KeptObjects)> keeps;
  /// Told of each object that was there and is another one now; of those that are made, the writer
  /// tells. May be empty; any thread.
  std::function<void(const Change&)> changes;
  /// Told of each DeployItem as a write of its status or its metadata left it. May be empty; any
  /// thread.
  std::function<void(const data::Json& item)> wrote;
  /// What a status has for a text: nothing of who runs kubist, or the next one's run would change
  /// it. May be empty; any thread.
  std::function<std::string(const std::string& text)> shown;
  Reviewer review = {};              ///< may be empty: then all items are applied as rendered
  std::shared_ptr<KeptLists> lists;  ///< of the run; null: each object is asked for by name
  kube::Writer writer;  ///< for all writes, at home and elsewhere: the lock, the report
  const util::Clock* clock = &util::system_clock();
};

}  // namespace kubist::deployers
