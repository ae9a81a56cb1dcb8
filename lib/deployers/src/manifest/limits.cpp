#include "manifest/limits.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/util/text.hpp>

#include "item/requests.hpp"
#include "manifest/managed.hpp"
#include "pod/account_token.hpp"
#include "pod/pod_limits.hpp"

namespace kubist::deployers {
namespace {

using resources::ObjectView;
using util::cat;
using util::ErrorKind;

struct KindName {
  std::string_view group, kind;
};

/// What Kubernetes' own ClusterRole `edit` may write, without Leases (they are kubist's locks).
constexpr std::array k_free{KindName{"", "ConfigMap"},
                            KindName{"", "Event"},
                            KindName{"", "PersistentVolumeClaim"},
                            KindName{"", "Pod"},
                            KindName{"", "ReplicationController"},
                            KindName{"", "Secret"},
                            KindName{"", "Service"},
                            KindName{"", "ServiceAccount"},
                            KindName{"apps", "DaemonSet"},
                            KindName{"apps", "Deployment"},
                            KindName{"apps", "ReplicaSet"},
                            KindName{"apps", "StatefulSet"},
                            KindName{"autoscaling", "HorizontalPodAutoscaler"},
                            KindName{"batch", "CronJob"},
                            KindName{"batch", "Job"},
                            KindName{"networking.k8s.io", "Ingress"},
                            KindName{"networking.k8s.io", "NetworkPolicy"},
                            KindName{"policy", "PodDisruptionBudget"}};
constexpr std::string_view k_own_domain = "kubist.io/";
constexpr std::string_view k_token_type = "kubernetes.io/service-account-token";

std::string grant_of(std::string_view group, std::string_view kind) {
  return cat(kind, group.empty() ? "" : ".", group);
}

util::Error denied(std::string_view reason, std::string message, std::string hint) {
  return util::make_error(ErrorKind::denied, std::move(message), std::move(hint),
                          std::string(reason));
}

std::string hint_for(const ItemLimits& limits, std::string_view group, std::string_view kind) {
  return cat("An administrator allows it with ", grant_of(group, kind),
             " in spec.items.kinds of Project ", limits.project, ".");
}

bool is_free(std::string_view group, std::string_view kind) {
  return std::any_of(k_free.begin(), k_free.end(),
                     [&](const KindName& one) { return one.group == group && one.kind == kind; });
}

bool is_secret(const ObjectView& object) {
  return object.group().empty() && object.kind() == "Secret";
}

std::string item_mark(const Item& item) { return cat(item.ns, "/", item.name); }

/// This item's, or that of one of its name before.
bool made_by(const Item& item, const Json& live) {
  return apply::has_mark(live, mark_of(item)) ||
         ObjectView(live).annotation(k_managed_label) == item_mark(item);
}

/// The first of kubist's own words in the metadata, or in the annotations that it gets at the end;
/// those of mark() are on every object, and what its drift means is for the item to say.
std::string own_word(const ObjectView& object, const Json& at_the_end) {
  for (const Json* map : {&object.labels(), &object.annotations()}) {
    for (const auto& [key, value] : map->items()) {
      if (key.starts_with(k_own_domain) && key != k_managed_label && key != k_drift_annotation) {
        return key;
      }
    }
  }
  for (const std::string_view finalizer : object.finalizers()) {
    if (finalizer.starts_with(k_own_domain)) {
      return std::string(finalizer);
    }
  }
  for (const auto& [key, value] : at_the_end.items()) {
    if (key.starts_with(k_own_domain)) {
      return key;
    }
  }
  return {};
}

/// A token Secret gives the token of any account of its namespace.
bool is_foreign_token(const Json& object, const Place& place) {
  const ObjectView view(object);
  return is_secret(view) && data::string_at(object, {"type"}) == k_token_type &&
         !is_allowed_account(place.grants.accounts,
                             view.annotation("kubernetes.io/service-account.name"));
}

/// Every host that an Ingress is for; "*": any.
void add_ingress_hosts(const Json& object, std::vector<std::string>& hosts) {
  for (const Json& rule : data::array_at(object, {"spec", "rules"})) {
    hosts.emplace_back(data::string_at(rule, {"host"}, "*"));
  }
  for (const Json& tls : data::array_at(object, {"spec", "tls"})) {
    for (std::string& host : data::strings_at(tls, {"hosts"})) {
      hosts.push_back(std::move(host));
    }
  }
  if (data::find_path(object, {"spec", "defaultBackend"}) != nullptr) {
    hosts.emplace_back("*");
  }
}

/// Hosts that controllers give an object by annotations: external-dns their names in the DNS, and
/// ingress-nginx their requests.
std::vector<std::string> annotated_hosts(const ObjectView& object) {
  std::vector<std::string> hosts;
  for (const char* key : {"external-dns.alpha.kubernetes.io/hostname",
                          "external-dns.alpha.kubernetes.io/internal-hostname",
                          "nginx.ingress.kubernetes.io/server-alias"}) {
    for (const std::string& host : util::split(object.annotation(key), ',')) {
      if (const auto name = util::trim(host); !name.empty()) {
        hosts.emplace_back(name);
      }
    }
  }
  return hosts;
}

/// Objects that take requests which are others': of hosts, or of addresses outside the cluster.
void check_reach(const Json& object, const ItemLimits& limits, const std::string& hint,
                 std::vector<util::Error>& found) {
  const ObjectView view(object);
  if (view.kind() == "Service" && !data::array_at(object, {"spec", "externalIPs"}).empty()) {
    found.push_back(denied("ObjectNotAllowed",
                           cat(name_of(view.ref()), ": spec.externalIPs is not allowed"), hint));
  }
  if ((view.kind() != "Ingress" && view.kind() != "Service") || !limits.hosts) {
    return;
  }
  std::vector<std::string> hosts = annotated_hosts(view);
  if (view.kind() == "Ingress") {
    add_ingress_hosts(object, hosts);
  }
  for (const std::string& host : hosts) {
    const bool granted =
        std::any_of(limits.hosts->begin(), limits.hosts->end(), [&](const std::string& pattern) {
          return util::glob_match(util::lower(pattern), util::lower(host));
        });
    if (!granted) {
      found.push_back(
          denied("HostNotAllowed",
                 cat(name_of(view.ref()), ": the Project does not allow the host ", host),
                 "An administrator can add it to spec.allow.hosts of the Project or of the Root."));
    }
  }
}

/// Of a release, where there is none yet: whose name may be used, that may be made, as
/// VirtualClusters make theirs.
bool is_bare_namespace(const ManifestEntry& entry) {
  const ObjectView view(entry.manifest.object);
  return entry.only_absent && view.group().empty() && view.kind() == "Namespace";
}

/// Whatever kinds are granted: what pods may have is granted by fields of its own.
void check_pod(const Json& object, const Place& place, std::vector<util::Error>& found) {
  const Json* pod = pod_of(object);
  for (util::Error& problem :
       pod == nullptr ? std::vector<util::Error>() : pod_problems(*pod, place.grants)) {
    found.push_back(util::with_context(std::move(problem), name_of(ObjectView(object).ref())));
  }
}

void check_entry(const ManifestEntry& entry, const Place& place, std::vector<util::Error>& found) {
  const Json& object = entry.manifest.object;
  const ObjectView view(object);
  const std::string name = name_of(view.ref());
  const std::string hint = hint_for(*place.limits, view.group(), view.kind());
  check_pod(object, place, found);
  if (is_granted(*place.limits, view.group(), view.kind())) {
    return;
  }
  if (!is_free(view.group(), view.kind())) {
    found.push_back(denied("KindNotAllowed",
                           cat(name, ": items may not write objects of the kind ",
                               grant_of(view.group(), view.kind()), " on the home cluster"),
                           hint));
    return;
  }
  if (const std::string word = own_word(view, entry.annotate_before_delete); !word.empty()) {
    found.push_back(denied("ObjectNotAllowed", cat(name, ": ", word, " is kubist's own"),
                           "Leave it out of metadata."));
  }
  if (is_foreign_token(object, place)) {
    found.push_back(
        denied("AccountNotAllowed",
               cat(name, ": the project does not allow its items a token of the account ",
                   view.annotation("kubernetes.io/service-account.name")),
               "An administrator allows it in the Project's spec.items.serviceAccounts."));
  }
  check_reach(object, *place.limits, hint, found);
  if (!entry.patch_before_delete.is_null()) {
    found.push_back(
        denied("ObjectNotAllowed", cat(name, ": patchBeforeDelete is not allowed"), hint));
  }
}

util::Error off_limits(std::string_view ns, std::string_view name) {
  return util::make_error(
      ErrorKind::invalid,
      cat("Secret ", ns, "/", name,
          " is kubist's own or gives access to a cluster, items cannot have it"),
      "", "SecretNotAllowed");
}

/// Pods wait for a Secret that is not there, and would get it once kubist has made it.
util::Error not_there_yet(std::string_view ns, std::string_view name) {
  return util::make_error(
      ErrorKind::invalid,
      cat("Secret ", ns, "/", name,
          " does not exist, and its name is one of those of kubist's own, which items cannot have"),
      "Give yours another name, or make it first.", "SecretNotAllowed");
}

util::Result<> check_pod_secrets(World& world, const Job& job, const Json& object,
                                 std::vector<util::Error>& found) {
  const Json* pod = pod_of(object);
  const ObjectView view(object);
  const std::string ns(view.ns());
  for (const SecretUse& use : pod == nullptr ? std::vector<SecretUse>() : secrets_used(*pod)) {
    KUBIST_TRY(const auto live,
               job.place.objects()->find(kube::well_known::secrets(), ns, use.name, world.stop));
    const std::string where = cat(name_of(view.ref()), ": ", use.field);
    if (live && is_off_limits(ObjectView(*live))) {
      found.push_back(util::with_context(off_limits(ns, use.name), where));
    } else if (!live && is_off_limits_name(use.name)) {
      found.push_back(util::with_context(not_there_yet(ns, use.name), where));
    }
  }
  return {};
}

}  // namespace

bool is_granted(const ItemLimits& limits, std::string_view group, std::string_view kind) {
  return std::find(limits.kinds.begin(), limits.kinds.end(), grant_of(group, kind)) !=
         limits.kinds.end();
}

std::vector<util::Error> manifest_problems(const ManifestPlan& plan, const Place& place) {
  std::vector<util::Error> found;
  for (const ManifestEntry& entry : plan.entries) {
    if (place.limits != nullptr && entry.policy != ManagePolicy::ignore &&
        !is_bare_namespace(entry)) {
      check_entry(entry, place, found);
    }
  }
  return found;
}

util::Result<> check_manifests(World& world, const Job& job, const ManifestPlan& plan) {
  if (job.place.limits == nullptr) {
    return {};
  }
  std::vector<util::Error> found = manifest_problems(plan, job.place);
  std::set<std::string> namespaces;
  for (const ManifestEntry& entry : plan.entries) {
    const ObjectView view(entry.manifest.object);
    if (entry.policy == ManagePolicy::ignore) {
      continue;
    }
    const std::string ns(is_bare_namespace(entry) ? view.name() : view.ns());
    const bool first = !ns.empty() && namespaces.insert(ns).second;
    if (const auto allowed = first ? job.place.limits->check_namespace(ns) : util::Result<>();
        !allowed) {
      found.push_back(util::with_context(allowed.error(), name_of(view.ref())));
    } else {
      KUBIST_CHECK(check_pod_secrets(world, job, entry.manifest.object, found));
    }
  }
  if (found.empty()) {
    return {};
  }
  const std::string reason = found.front().reason;
  const ErrorKind kind = found.front().kind;
  util::Error error = data::combine_errors(std::move(found), "the item's objects");
  error.kind = kind;
  return util::fail(util::with_reason(std::move(error), reason));
}

util::Result<> check_takeover(const Item& item, const Place& place, const Json& live) {
  const ObjectView view(live);
  if (place.limits == nullptr || is_granted(*place.limits, view.group(), view.kind()) ||
      made_by(item, live)) {
    return {};
  }
  const bool by_project = view.annotation(k_managed_label).starts_with(cat(item.ns, "/"));
  if (by_project && !is_secret(view)) {
    return {};
  }
  return util::fail(denied(
      k_name_taken,
      cat(by_project ? "another item made it" : "it is there, and no item of the project made it",
          ", so this one may not write over it"),
      cat("Delete it or give yours another name. An administrator allows yours to take over "
          "what is there with ",
          grant_of(view.group(), view.kind()), " in spec.items.kinds of Project ",
          place.limits->project, ".")));
}

util::Result<> check_readable_namespace(const Place& place, const std::string& ns) {
  return place.limits == nullptr || ns.empty() ? util::Result<>()
                                               : place.limits->check_namespace(ns);
}

util::Result<> check_readable(const Item& item, const Place& place, const Json& live) {
  const ObjectView view(live);
  if (is_secret(view) && is_off_limits(view)) {
    return util::fail(off_limits(view.ns(), view.name()));
  }
  if (place.limits == nullptr || is_granted(*place.limits, view.group(), view.kind()) ||
      made_by(item, live) || (!is_secret(view) && !view.ns().empty())) {
    return {};
  }
  return util::fail(
      denied(is_secret(view) ? "SecretNotAllowed" : "KindNotAllowed",
             cat(name_of(view.ref()), " is not one that this item made, so it may not read it"),
             hint_for(*place.limits, view.group(), view.kind())));
}

}  // namespace kubist::deployers
