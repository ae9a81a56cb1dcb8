#include <algorithm>
#include <array>
#include <vector>

#include <kubist/apply/compare.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "field_walk.hpp"

namespace kubist::apply {

using data::Json;

bool is_built_in_group(std::string_view group) {
  // Groups of k8s.io/kubernetes; other *.k8s.io groups (gateway.networking.k8s.io, ...) are CRDs.
  static constexpr std::array<std::string_view, 22> k_groups{"",
                                                             "admissionregistration.k8s.io",
                                                             "apiextensions.k8s.io",
                                                             "apiregistration.k8s.io",
                                                             "apps",
                                                             "authentication.k8s.io",
                                                             "authorization.k8s.io",
                                                             "autoscaling",
                                                             "batch",
                                                             "certificates.k8s.io",
                                                             "coordination.k8s.io",
                                                             "discovery.k8s.io",
                                                             "events.k8s.io",
                                                             "extensions",
                                                             "flowcontrol.apiserver.k8s.io",
                                                             "networking.k8s.io",
                                                             "node.k8s.io",
                                                             "policy",
                                                             "rbac.authorization.k8s.io",
                                                             "resource.k8s.io",
                                                             "scheduling.k8s.io",
                                                             "storage.k8s.io"};
  return std::find(k_groups.begin(), k_groups.end(), group) != k_groups.end();
}

namespace {

/// By Apply on the object itself?
bool is_applied(const Json& entry) {
  return data::string_at(entry, {"operation"}) == "Apply" &&
         data::string_at(entry, {"subresource"}).empty();
}

/// What `manager` owns so.
std::vector<const Json*> applied_entries(const Json& live, std::string_view manager) {
  std::vector<const Json*> found;
  for (const Json& entry : data::array_at(live, {"metadata", "managedFields"})) {
    if (data::string_at(entry, {"manager"}) == manager && is_applied(entry)) {
      found.push_back(&entry);
    }
  }
  return found;
}

}  // namespace

namespace {

constexpr std::size_t k_digits = 14;  // fits into a string without memory of its own
constexpr std::string_view k_with_replicas = "+replicas";

/// Has a HorizontalPodAutoscaler set the replicas?
bool is_scaled(const Json& live) {
  const Json& entries = data::array_at(live, {"metadata", "managedFields"});
  return std::any_of(entries.begin(), entries.end(), [](const Json& entry) {
    return data::string_at(entry, {"manager"}) == "kube-controller-manager" &&
           data::string_at(entry, {"subresource"}) == "scale" &&
           data::find_path(entry, {"fieldsV1", "f:spec", "f:replicas"}) != nullptr;
  });
}

std::string digest_of(const std::vector<const Json*>& entries, bool replicas) {
  std::string all;
  for (const Json* entry : entries) {
    Json fields = entry->value("fieldsV1", Json::object());
    replicas = data::erase_path(fields, {"f:spec", "f:replicas"}) || replicas;
    all += data::to_json(fields);
  }
  return all.empty() ? all
                     : util::cat(util::sha256_hex(all).substr(0, k_digits),
                                 replicas ? k_with_replicas : "");
}

}  // namespace

std::string applied_fields(const Json& live, std::string_view manager) {
  return digest_of(applied_entries(live, manager), is_scaled(live));
}

std::map<std::string_view, std::string> applied_fields_of(const Json& live, std::string_view prefix,
                                                          std::size_t most) {
  std::map<std::string_view, std::vector<const Json*>> entries;
  for (const Json& entry : data::array_at(live, {"metadata", "managedFields"})) {
    const std::string_view manager = data::string_at(entry, {"manager"});
    if (manager.starts_with(prefix) && is_applied(entry)) {
      entries[manager].push_back(&entry);
      if (entries.size() > most) {
        return {};
      }
    }
  }
  const bool is_scaled_by_others = is_scaled(live);
  std::map<std::string_view, std::string> fields;
  for (const auto& [manager, own] : entries) {
    fields.emplace(manager, digest_of(own, is_scaled_by_others));
  }
  return fields;
}

bool same_fields(std::string_view before, std::string_view now) {
  return before.substr(0, k_digits) == now.substr(0, k_digits) &&
         (now.ends_with(k_with_replicas) || !before.ends_with(k_with_replicas));
}

Comparison compare(const Json& input, const Json& live, const CompareOptions& options) {
  static const Json k_nothing = Json::object();
  const auto entries = applied_entries(live, options.manager);
  // The server keeps no entry for a manager whose set is empty (a Namespace with nothing but a
  // name).
  const bool owns_nothing =
      entries.empty() &&
      FieldWalk(options).run(k_nothing, input, input, live).verdict == Verdict::unchanged;
  // Several are one per apiVersion: only an apply joins them.
  if (entries.size() != 1 && !owns_nothing) {
    return {Verdict::changed, util::cat("not applied by ", options.manager, " before")};
  }
  if (!owns_nothing &&
      data::string_at(*entries.front(), {"apiVersion"}) != data::string_at(input, {"apiVersion"})) {
    return {Verdict::changed, "applied with another apiVersion before"};
  }
  for (const std::string_view key : {"uid", "resourceVersion"}) {
    const std::string_view wanted = data::string_at(input, {"metadata", key});
    if (!wanted.empty() && wanted != data::string_at(live, {"metadata", key})) {
      return {Verdict::changed, util::cat("metadata.", key, " differs")};
    }
  }
  if (owns_nothing) {
    return {Verdict::unchanged, {}};
  }
  const Json* fields = data::find_path(*entries.front(), {"fieldsV1"});
  if (fields == nullptr || !fields->is_object()) {
    return {Verdict::changed, "managedFields cannot be read"};
  }
  const Json* full = options.defaulted != nullptr ? options.defaulted : &input;
  return FieldWalk(options).run(*fields, input, *full, live);
}

}  // namespace kubist::apply
