#include "hostile_reads.hpp"

#include <cstdint>
#include <set>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

namespace it::hostile {

namespace data = kubist::data;
using kubist::util::cat;

namespace {

/// A finished request for objects that changed nothing.
struct Read {
  std::string verb, group, resource, ns, name, uri;
  std::string as;  ///< the impersonated account; empty: kubist itself
  std::int64_t code;
  std::string to_string() const {
    return cat(verb, ' ', resource, '.', group, ' ', ns, '/', name, " as ",
               as.empty() ? "kubist" : as, ": ", code, ' ', uri);
  }
};

std::vector<Read> reads_of(Audit& audit, const std::string& user) {
  static const std::set<std::string, std::less<>> verbs{"get", "list", "watch"};
  std::vector<Read> reads;
  for (const Json& event : audit.requests(user)) {
    const auto part = [&](std::string_view name) {
      return std::string(data::string_at(event, {"objectRef", name}));
    };
    const std::string verb(data::string_at(event, {"verb"}));
    if (verbs.contains(verb) && event.contains("objectRef")) {
      reads.push_back({verb, part("apiGroup"), part("resource"), part("namespace"), part("name"),
                       event.value("requestURI", ""),
                       std::string(data::string_at(event, {"impersonatedUser", "username"})),
                       data::int_at(event, {"responseStatus", "code"})});
    }
  }
  return reads;
}

/// Its own namespace, and that of its virtual cluster: what a pattern matches besides is others'.
bool is_in(const Read& read, const std::string& project) {
  return read.ns == project || read.ns == project + "-dev";
}

/// Is it of the check that Istio is there and works?
bool is_of_istio(const Read& read, const std::string& what) {
  static const std::set<std::string> kinds{
      "clusterroles.rbac.authorization.k8s.io",
      "clusterrolebindings.rbac.authorization.k8s.io",
      "daemonsets.apps",
      "mutatingwebhookconfigurations.admissionregistration.k8s.io",
      "validatingwebhookconfigurations.admissionregistration.k8s.io",
      "pods.",
      "services."};
  const bool of_mesh = read.uri.find("istio") != std::string::npos ||
                       read.uri.find("fieldSelector=spec.hostNetwork%3Dfalse") != std::string::npos;
  return read.verb == "list" && kinds.contains(what) &&
         ((what != "pods." && what != "services.") || of_mesh);
}

/// What belongs to nobody here but the other project or the cluster, and would tell a member
/// something: the other project's Secret and ConfigMap, whose names attempts have, or a list with
/// them; and Secrets of any namespace that is of neither project.
bool is_others_secret(const Read& read, const Names& names) {
  if (read.resource != "secrets" && read.resource != "configmaps") {
    return false;
  }
  if (read.ns == names.other) {
    const bool whole = read.name.empty() && read.uri.find("labelSelector=") == std::string::npos;
    return whole || read.name == (read.resource == "secrets" ? "keys" : "settings");
  }
  const bool of_a_project = read.ns.starts_with(names.project) || read.ns.starts_with(names.other);
  const bool marked =
      read.uri.find("labelSelector=app.kubernetes.io%2Fmanaged-by%3Dkubist") != std::string::npos;
  return read.resource == "secrets" && !of_a_project && !marked;
}

/// The list of docs/background/security.md.
bool is_kubists_own(const Read& read, const Names& names) {
  const std::string what = cat(read.resource, '.', read.group);
  const auto in = [&](const std::set<std::string>& all, const std::string& one) {
    return all.contains(one);
  };
  // Its own kinds, and whose namespaces these are.
  if (read.group == kubist::resources::k_kubist_group ||
      in({"deployitems.landscaper.gardener.cloud", "leases.coordination.k8s.io", "namespaces.",
          "customresourcedefinitions.apiextensions.k8s.io"},
         what)) {
    return true;
  }
  // The accounts of projects, and their bindings.
  if (in({"serviceaccounts.", "rolebindings.rbac.authorization.k8s.io"}, what)) {
    return read.name.empty() || read.name == kubist::resources::k_project_account;
  }
  // Of what it keeps, the metadata, for drift.
  if (read.uri.find("labelSelector=app.kubernetes.io%2Fmanaged-by%3Dkubist") != std::string::npos) {
    return true;
  }
  // What objects of a project's own namespace name: kubeconfigs, imports; and the pods of items.
  if (in({names.project, names.other}, read.ns)) {
    return in({"secrets.", "configmaps.", "pods."}, what);
  }
  // Applications of a virtual cluster; gateways; the network of Services.
  const bool of_a_project = is_in(read, names.project) || is_in(read, names.other);
  return (what == "deployments.apps" && read.verb == "list" && (read.ns.empty() || of_a_project)) ||
         (in({"pods.", "services."}, what) && in({"istio-system", "istio-ingress"}, read.ns)) ||
         (read.ns == "default" && read.name == "kubernetes") ||
         what == "servicecidrs.networking.k8s.io" || is_of_istio(read, what);
}

/// Outside of the project's own namespaces the API server refuses it.
bool is_as_project(const Read& read, const Names& names) {
  const bool of_other = read.as == names.other_account();
  return (of_other || read.as == names.account()) &&
         (read.ns.empty() || is_in(read, of_other ? names.other : names.project) ||
          read.code == 403);
}

/// By an account that impersonates nobody: kubist's own limits end at the projects' namespaces.
bool is_within_projects(const Read& read, const Names& names) {
  return is_in(read, names.project) || is_in(read, names.other);
}

bool is_fine(const Read& read, const Caller& caller, const Names& names) {
  if (!read.as.empty()) {
    return is_as_project(read, names) && (!is_others_secret(read, names) || read.code == 403);
  }
  const bool own =
      is_kubists_own(read, names) || (!caller.impersonates && is_within_projects(read, names));
  return own && !is_others_secret(read, names);
}

}  // namespace

void check_reads(Audit& audit, const Caller& caller, const Names& names) {
  std::set<std::string> wrong;
  std::size_t as_projects = 0;
  const std::vector<Read> reads = reads_of(audit, caller.user);
  CHECK(reads.size() > 100);
  for (const Read& read : reads) {
    as_projects += read.as.empty() ? 0 : 1;
    if (!is_fine(read, caller, names)) {
      wrong.insert(read.to_string());
    }
  }
  CHECK((as_projects > 0) == caller.impersonates);
  CHECK_MESSAGE(wrong.empty(), kubist::util::join({wrong.begin(), wrong.end()}, "\n"));
}

}  // namespace it::hostile
