#include "functions/function_wish.hpp"

#include <algorithm>
#include <array>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using resources::ObjectView;
using util::cat;

namespace {

constexpr std::array<std::string_view, 4> k_kept_fields{"name", "namespace", "labels",
                                                        "annotations"};
/// Of an object that was read from a server and is handed through.
constexpr std::array<std::string_view, 6> k_servers{
    "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"};

template <std::size_t N>
bool has(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

tl::unexpected<util::Error> object_not_allowed(std::string message, std::string hint) {
  return util::fail(refused("ObjectNotAllowed", std::move(message), std::move(hint)));
}

// Of KRM functions' runners: where an item came from.
bool is_runners(std::string_view annotation) {
  return annotation.starts_with("config.kubernetes.io/") ||
         annotation.starts_with("internal.config.kubernetes.io/");
}

util::Result<> check_metadata(const Json& metadata, const std::string& what) {
  for (const auto& [key, value] : metadata.items()) {
    if (!has(k_kept_fields, key) && !has(k_servers, key)) {
      return object_not_allowed(
          cat(what, ": metadata.", key, " is not an executor's to set"),
          "Leave it out: only name, namespace, labels and annotations count.");
    }
  }
  return {};
}

util::Result<> check_place(const ExecutorFunction& function, const kube::ApiResource& resource,
                           const std::string& ns, const std::string& target,
                           const std::string& what) {
  const std::string with_group = cat(resource.kind, '.', resource.group);
  const auto is_it = [&](const std::string& kind) {
    return kind == resource.kind || kind == with_group;
  };
  const auto matches = [&](const std::string& pattern) { return util::glob_match(pattern, ns); };
  if (!resource.namespaced) {
    return std::any_of(function.cluster_scoped.begin(), function.cluster_scoped.end(), is_it)
               ? util::Result<>{}
               : object_not_allowed(cat(what, " is cluster-scoped"),
                                    "An administrator can add its kind to the ExecutorDefinition's "
                                    "spec.allows.clusterScoped.");
  }
  if (ns == target ||
      std::any_of(function.namespaces.begin(), function.namespaces.end(), matches)) {
    return {};
  }
  return object_not_allowed(cat(what, " is for namespace ", ns, ", not ", target),
                            "Leave metadata.namespace out, or let an administrator add it to the "
                            "ExecutorDefinition's spec.allows.namespaces.");
}

}  // namespace

util::Result<Wish> read_wish(const ExecutorFunction& function, const Json& object,
                             const kube::ApiResource& resource, const std::string& target) {
  const ObjectView view(object);
  const std::string what = cat(resource.kind, '/', view.name());
  if (view.name().empty()) {
    return object_not_allowed(cat("a ", resource.kind, " that it returned has no metadata.name"),
                              "Name it: the same in each run.");
  }
  if (resource.group == resources::k_kubist_group ||
      resource.group == resources::k_landscaper_group) {
    return object_not_allowed(cat(what, " is of a kind of kubist's own"),
                              "Apply such objects with the resource itself.");
  }
  KUBIST_CHECK(check_metadata(object["metadata"], what));
  Wish wish{resource, std::string(view.name()), object};
  wish.ns = view.ns().empty() ? target : std::string(view.ns());
  if (resource.namespaced && wish.ns.empty()) {
    return object_not_allowed(cat(what, " names no namespace"),
                              "Set metadata.namespace: a Root or a Cluster has none.");
  }
  KUBIST_CHECK(check_place(function, resource, wish.ns, target, what));
  for (const char* key : {"apiVersion", "kind", "metadata", "status"}) {
    wish.body.erase(key);
  }
  wish.labels = view.labels();
  for (const auto& [key, value] : view.annotations().items()) {
    if (!is_runners(key)) {
      wish.annotations[key] = value;
    }
  }
  return wish;
}

}  // namespace kubist::executors
