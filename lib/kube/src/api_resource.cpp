#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/util/text.hpp>

namespace kubist::kube {

using data::Json;

namespace {

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

std::string ApiResource::api_version() const {
  return group.empty() ? version : util::cat(group, '/', version);
}

std::string ApiResource::group_resource() const {
  return group.empty() ? plural : util::cat(plural, '.', group);
}

bool ApiResource::has_verb(std::string_view verb) const { return contains(verbs, verb); }
bool ApiResource::has_subresource(std::string_view name) const {
  return contains(subresources, name);
}

std::string ApiResource::collection_path(std::string_view ns) const {
  const std::string base =
      group.empty() ? util::cat("/api/", version) : util::cat("/apis/", group, '/', version);
  if (!namespaced || ns.empty()) {
    return util::cat(base, '/', plural);
  }
  return util::cat(base, "/namespaces/", util::percent_encode(ns), '/', plural);
}

std::string ApiResource::path(std::string_view ns, std::string_view name,
                              std::string_view subresource) const {
  return util::cat(collection_path(ns), '/', util::percent_encode(name),
                   subresource.empty() ? "" : "/", subresource);
}

util::Result<> check_name(std::string_view what, std::string_view name) {
  const auto refuse = [&](std::string_view why) {
    return util::fail(util::ErrorKind::invalid,
                      util::cat("invalid ", what, " \"", util::printable(name), "\": ", why),
                      "Nothing was sent.");
  };
  if (name.empty()) {
    return refuse("may not be empty");
  }
  if (name == "." || name == "..") {
    return refuse(util::cat("may not be '", name, "'"));
  }
  for (const char c : {'/', '%'}) {
    if (name.find(c) != name.npos) {
      return refuse(util::cat("may not contain '", c, "'"));
    }
  }
  return {};
}

std::optional<ApiResource> resource_of_crd(const data::Json& crd, std::string_view version,
                                           std::string_view kind) {
  if (data::string_at(crd, {"spec", "names", "kind"}) != kind) {
    return std::nullopt;
  }
  for (const data::Json& entry : data::array_at(crd, {"spec", "versions"})) {
    if (data::string_at(entry, {"name"}) == version && data::bool_at(entry, {"served"})) {
      const bool status = data::find_path(entry, {"subresources", "status"}) != nullptr;
      ApiResource resource = make_resource(
          std::string(data::string_at(crd, {"spec", "group"})), std::string(version),
          std::string(kind), std::string(data::string_at(crd, {"spec", "names", "plural"})),
          data::string_at(crd, {"spec", "scope"}) == "Namespaced",
          status ? std::vector<std::string>{"status"} : std::vector<std::string>{});
      resource.singular = data::string_at(crd, {"spec", "names", "singular"});
      return resource;
    }
  }
  return std::nullopt;
}

}  // namespace kubist::kube
