#include <map>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "work.hpp"

namespace kubist::apply {
namespace {

using data::Json;
using resources::Manifest;
using resources::ObjectView;
using util::cat;
using util::Error;
using util::ErrorKind;

/// CRDs of the set by "group/kind".
using CrdsInSet = std::map<std::string, const Json*>;

CrdsInSet crds_in_set(const std::vector<Manifest>& objects) {
  CrdsInSet found;
  for (const Manifest& manifest : objects) {
    if (is_crd(manifest.object)) {
      found[cat(data::string_at(manifest.object, {"spec", "group"}), '/',
                data::string_at(manifest.object, {"spec", "names", "kind"}))] = &manifest.object;
    }
  }
  return found;
}

util::Result<kube::ApiResource> find_resource(kube::Client& client,
                                              const kube::ResourceIndex& index,
                                              const CrdsInSet& crds, const ObjectView& view,
                                              bool& in_set, const std::stop_token& stop) {
  const auto crd = crds.find(cat(view.group(), '/', view.kind()));
  in_set = crd != crds.end();
  if (const auto* served = index.by_kind(view.group(), view.version(), view.kind())) {
    return *served;
  }
  if (in_set) {
    if (auto resource = kube::resource_of_crd(*crd->second, view.version(), view.kind())) {
      return *std::move(resource);
    }
  }
  return client.discovery().find_kind(view.api_version(), view.kind(), stop);
}

/// Namespace rules: the object's own, else the default one; none for cluster-scoped kinds.
std::optional<Error> settle_namespace(kube::Client& client, Work& work, const Options& options) {
  Json& object = work.manifest->object;
  const std::string given(data::string_at(object, {"metadata", "namespace"}));
  const util::SourcePos at = work.manifest->position("/metadata/namespace");
  if (!work.resource.namespaced) {
    if (!given.empty()) {
      return util::make_error(
          ErrorKind::invalid, at,
          cat(work.ref.kind, " is not namespaced, but ", resources::to_string(work.ref),
              " has metadata.namespace ", given),
          "Leave metadata.namespace out.");
    }
    return std::nullopt;
  }
  const std::string& fallback =
      options.default_namespace.empty() ? client.default_namespace() : options.default_namespace;
  if (!given.empty() && options.enforce_namespace && given != fallback) {
    return util::make_error(ErrorKind::invalid, at,
                            cat("the namespace of ", resources::to_string(work.ref), " is \"",
                                given, "\", not \"", fallback, "\""),
                            cat("Pass --namespace=", given, ", or leave --namespace out."));
  }
  work.ref.ns = given.empty() ? fallback : given;
  data::set_path(object, {"metadata", "namespace"}, work.ref.ns);
  return std::nullopt;
}

}  // namespace

bool is_crd(const Json& object) {
  const ObjectView view(object);
  return view.kind() == "CustomResourceDefinition" && view.group() == "apiextensions.k8s.io";
}

bool is_namespace(const Json& object) {
  const ObjectView view(object);
  return view.kind() == "Namespace" && view.group().empty();
}

std::vector<Work> resolve_set(kube::Client& client, std::vector<Manifest>& objects,
                              const Options& options, std::vector<Error>& errors,
                              const std::stop_token& stop) {
  std::vector<Work> works;
  const auto index = client.discovery().index(stop);
  if (!index) {
    errors.push_back(index.error());
    return works;
  }
  const CrdsInSet crds = crds_in_set(objects);
  std::map<resources::ObjectRef, std::size_t> seen;
  std::map<std::string, util::Result<kube::ApiResource>> unknown;
  works.reserve(objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const ObjectView view(objects[i].object);
    Work work;
    work.index = i;
    work.manifest = &objects[i];
    work.ref = view.ref();
    const std::string kind_key = cat(view.api_version(), ' ', view.kind());
    const auto refused = unknown.find(kind_key);
    auto resource = refused != unknown.end()
                        ? refused->second
                        : find_resource(client, **index, crds, view, work.kind_in_set, stop);
    if (!resource) {
      unknown.emplace(kind_key, resource);
      Error error = resource.error();
      error.pos = objects[i].position("/kind");
      errors.push_back(std::move(error));
      continue;
    }
    work.resource = *std::move(resource);
    if (auto error = settle_namespace(client, work, options)) {
      errors.push_back(*std::move(error));
      continue;
    }
    const auto [other, first] = seen.emplace(work.ref, i);
    if (!first) {
      errors.push_back(
          util::make_error(ErrorKind::invalid, objects[i].pos,
                           cat(resources::to_key(work.ref), " is there twice, before at ",
                               util::to_string(objects[other->second].pos)),
                           "Leave one of them out: which one wins would depend on timing."));
      continue;
    }
    data::erase_path(objects[i].object, {"metadata", "managedFields"});
    work.result.index = i;
    work.result.ref = work.ref;
    work.result.api_version = work.resource.api_version();
    works.push_back(std::move(work));
  }
  return works;
}

}  // namespace kubist::apply
