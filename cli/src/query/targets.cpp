#include "targets.hpp"

#include <algorithm>
#include <utility>

#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

using kube::ApiResource;
using util::ErrorKind;

std::string namespace_for(const ApiResource& resource, const TargetScope& scope) {
  return resource.namespaced && !scope.all_namespaces ? scope.ns : std::string();
}

util::Result<> check_names(const Target& target, const TargetScope& scope) {
  if (!target.names.empty() && scope.all_namespaces && target.resource.namespaced) {
    return util::fail(ErrorKind::usage,
                      "a resource cannot be retrieved by name across all namespaces",
                      "Leave out -A, or the name.");
  }
  return {};
}

/// "pods/a deployments/b": one target for each run of the same kind.
util::Result<Targets> slash_targets(kube::Client& client, const std::vector<std::string>& words,
                                    const TargetScope& scope, const std::stop_token& stop) {
  Targets targets;
  for (const std::string& word : words) {
    const std::size_t slash = word.find('/');
    const std::string type = word.substr(0, slash);
    std::string name = slash == std::string::npos ? "" : word.substr(slash + 1);
    if (type.empty() || slash == std::string::npos || name.find('/') != std::string::npos) {
      return util::fail(ErrorKind::usage,
                        util::cat("\"", word, "\" is not TYPE/NAME, as the other words are"),
                        "Say TYPE NAME..., or TYPE/NAME for each object.");
    }
    KUBIST_CHECK(kube::check_name("resource name", name));
    KUBIST_TRY(auto resource, find_resource(client, type, stop));
    if (targets.list.empty() || targets.list.back().resource != resource) {
      const std::string ns = namespace_for(resource, scope);
      targets.list.push_back({std::move(resource), ns, {}});
    }
    targets.list.back().names.push_back(std::move(name));
    KUBIST_CHECK(check_names(targets.list.back(), scope));
  }
  targets.single = words.size() == 1;
  return targets;
}

}  // namespace

util::Result<ApiResource> find_resource(kube::Client& client, const std::string& word,
                                        std::stop_token stop) {
  auto found = client.discovery().find_word(word, stop);
  if (!found && found.error().kind == ErrorKind::not_found) {
    if (const resources::Kind* kind = resources::find_kind_by_word(word); kind != nullptr) {
      return client.discovery().find_kind(resources::api_version(*kind), kind->name, stop);
    }
  }
  return found;
}

util::Result<std::vector<ApiResource>> find_resources(kube::Client& client, const std::string& word,
                                                      std::stop_token stop) {
  KUBIST_TRY(const auto index, client.discovery().index(stop));
  const auto category = index->by_category(word);
  std::vector<ApiResource> found;
  for (const ApiResource* resource : category) {
    if (resource->has_verb("list")) {
      found.push_back(*resource);
    }
  }
  if (category.empty()) {
    KUBIST_TRY(auto resource, find_resource(client, word, stop));
    found.push_back(std::move(resource));
  }
  return found;
}

bool names_objects(const std::vector<std::string>& words) {
  return words.size() > 1 || (!words.empty() && words[0].find('/') != std::string::npos);
}

util::Result<Targets> find_targets(kube::Client& client, const std::vector<std::string>& words,
                                   const TargetScope& scope, std::stop_token stop) {
  if (words.empty()) {
    return util::fail(ErrorKind::usage, "a type of resource is missing",
                      "'kubist api-resources' lists the types.");
  }
  if (std::any_of(words.begin(), words.end(),
                  [](const std::string& word) { return word.find('/') != std::string::npos; })) {
    return slash_targets(client, words, scope, stop);
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    KUBIST_CHECK(kube::check_name("resource name", words[i]));
  }
  Targets targets;
  for (const std::string& type : util::split(words[0], ',')) {
    KUBIST_TRY(auto resources, find_resources(client, type, stop));
    for (ApiResource& resource : resources) {
      const std::string ns = namespace_for(resource, scope);
      targets.list.push_back({std::move(resource), ns, {words.begin() + 1, words.end()}});
      KUBIST_CHECK(check_names(targets.list.back(), scope));
    }
  }
  targets.single = targets.list.size() == 1 && words.size() == 2;
  return targets;
}

}  // namespace kubist::cli
