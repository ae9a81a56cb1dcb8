#include "discovery_documents.hpp"

#include <set>
#include <unordered_map>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::kube {
namespace {

using data::Json;

constexpr std::string_view k_header = "kubist-discovery 1";

ApiResource read_aggregated_resource(const Json& item, const std::string& group,
                                     const std::string& version) {
  ApiResource resource;
  const auto response_kind = item.find("responseKind");
  const Json kind =
      response_kind != item.end() && response_kind->is_object() ? *response_kind : Json::object();
  resource.group = group;
  resource.version = version;
  resource.kind = data::string_at(kind, {"kind"});
  resource.plural = data::string_at(item, {"resource"});
  resource.singular = data::string_at(item, {"singularResource"});
  resource.short_names = data::strings_at(item, {"shortNames"});
  resource.categories = data::strings_at(item, {"categories"});
  resource.verbs = data::strings_at(item, {"verbs"});
  resource.namespaced = data::string_at(item, {"scope"}) == "Namespaced";
  for (const Json& subresource : data::array_at(item, {"subresources"})) {
    resource.subresources.push_back(std::string(data::string_at(subresource, {"subresource"})));
  }
  return resource;
}

std::vector<std::string> split_list(std::string_view text) {
  return text.empty() ? std::vector<std::string>() : util::split(text, ',');
}

/// Views of the pieces between tabs; no allocation.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  fields.reserve(12);
  for (;;) {
    const auto tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) {
      return fields;
    }
    line.remove_prefix(tab + 1);
  }
}

}  // namespace

void read_aggregated(const Json& document, std::vector<ApiResource>& resources,
                     std::vector<std::string>& failed) {
  for (const Json& group : data::array_at(document, {"items"})) {
    const std::string name(data::string_at(group, {"metadata", "name"}));
    for (const Json& version : data::array_at(group, {"versions"})) {
      if (data::string_at(version, {"freshness"}) == "Stale") {
        failed.push_back(name);
      }
      for (const Json& item : data::array_at(version, {"resources"})) {
        ApiResource resource = read_aggregated_resource(
            item, name, std::string(data::string_at(version, {"version"})));
        if (!resource.kind.empty() && !resource.verbs.empty()) {
          resources.push_back(std::move(resource));
        }
      }
    }
  }
}

std::vector<std::string> legacy_paths(const Json& api, const Json& apis) {
  std::vector<std::string> paths;
  std::set<std::string> known;
  const auto add = [&](std::string_view root, std::string_view version) {
    std::string path = util::cat(root, version);
    if (!version.empty() && known.insert(path).second) {
      paths.push_back(std::move(path));
    }
  };
  for (const std::string& version : data::strings_at(api, {"versions"})) {
    add("/api/", version);
  }
  for (const Json& group : data::array_at(apis, {"groups"})) {
    add("/apis/", data::string_at(group, {"preferredVersion", "groupVersion"}));
    for (const Json& version : data::array_at(group, {"versions"})) {
      add("/apis/", data::string_at(version, {"groupVersion"}));
    }
  }
  return paths;
}

void read_legacy(const Json& document, std::vector<ApiResource>& resources) {
  const std::string group_version(data::string_at(document, {"groupVersion"}));
  const auto slash = group_version.find('/');
  const std::string group = slash == std::string::npos ? "" : group_version.substr(0, slash);
  const std::string version =
      slash == std::string::npos ? group_version : group_version.substr(slash + 1);
  const std::size_t first = resources.size();
  for (const Json& item : data::array_at(document, {"resources"})) {
    const std::string name(data::string_at(item, {"name"}));
    if (name.find('/') != std::string::npos) {
      continue;
    }
    ApiResource resource;
    resource.group = group;
    resource.version = version;
    resource.kind = data::string_at(item, {"kind"});
    resource.plural = name;
    resource.singular = data::string_at(item, {"singularName"});
    resource.short_names = data::strings_at(item, {"shortNames"});
    resource.categories = data::strings_at(item, {"categories"});
    resource.verbs = data::strings_at(item, {"verbs"});
    resource.namespaced = data::bool_at(item, {"namespaced"});
    resources.push_back(std::move(resource));
  }
  std::unordered_map<std::string_view, ApiResource*> by_name;
  for (std::size_t i = first; i < resources.size(); ++i) {
    by_name.emplace(resources[i].plural, &resources[i]);
  }
  for (const Json& item : data::array_at(document, {"resources"})) {
    const std::string_view name = data::string_at(item, {"name"});
    const auto cut = name.find('/');
    const auto of = by_name.find(name.substr(0, cut));
    if (cut != std::string_view::npos && of != by_name.end()) {
      of->second->subresources.emplace_back(name.substr(cut + 1));
    }
  }
}

std::string write_record(const DiscoveryRecord& record) {
  std::string text = util::cat(k_header, "\nE\t", record.etag_api, '\t', record.etag_apis, '\n');
  for (const std::string& group : record.failed) {
    text += util::cat("F\t", group, '\n');
  }
  for (const ApiResource& resource : record.resources) {
    text += util::cat(
        "R\t", resource.group, '\t', resource.version, '\t', resource.kind, '\t', resource.plural,
        '\t', resource.singular, '\t', util::join(resource.short_names, ","), '\t',
        util::join(resource.categories, ","), '\t', util::join(resource.verbs, ","), '\t',
        util::join(resource.subresources, ","), '\t', resource.namespaced ? "1" : "0", '\n');
  }
  return text;
}

bool read_record(std::string_view text, DiscoveryRecord& record) {
  if (!text.starts_with(k_header) || !text.ends_with('\n')) {
    return false;
  }
  text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto fields = fields_of(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (fields[0] == "E" && fields.size() == 3) {
      record.etag_api = fields[1];
      record.etag_apis = fields[2];
    } else if (fields[0] == "F" && fields.size() == 2) {
      record.failed.emplace_back(fields[1]);
    } else if (fields[0] == "R" && fields.size() == 11) {
      ApiResource& resource = record.resources.emplace_back();
      resource.group = fields[1];
      resource.version = fields[2];
      resource.kind = fields[3];
      resource.plural = fields[4];
      resource.singular = fields[5];
      resource.short_names = split_list(fields[6]);
      resource.categories = split_list(fields[7]);
      resource.verbs = split_list(fields[8]);
      resource.subresources = split_list(fields[9]);
      resource.namespaced = fields[10] == "1";
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace kubist::kube
