#include <algorithm>
#include <set>
#include <tuple>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/document.hpp"
#include "output/table.hpp"

namespace kubist::cli {
namespace {

using kube::ApiResource;

bool wanted(const ApiResource& resource, const Arguments& arguments) {
  if (arguments.given("namespaced") && arguments.boolean("namespaced") != resource.namespaced) {
    return false;
  }
  if (arguments.given("api-group") && arguments.text("api-group") != resource.group) {
    return false;
  }
  for (const std::string& verbs : arguments.list("verbs")) {
    for (const std::string& verb : util::split(verbs, ',')) {
      if (!resource.has_verb(verb)) {
        return false;
      }
    }
  }
  for (const std::string& category : arguments.list("categories")) {
    const auto& own = resource.categories;
    if (std::find(own.begin(), own.end(), category) == own.end()) {
      return false;
    }
  }
  return !resource.verbs.empty();
}

/// Each resource once, in the version that the server prefers.
std::vector<const ApiResource*> preferred(const kube::ResourceIndex& index,
                                          const Arguments& arguments) {
  std::vector<const ApiResource*> found;
  std::set<std::string> seen;
  for (const ApiResource& resource : index.all()) {
    if (seen.insert(resource.group_resource()).second && wanted(resource, arguments)) {
      found.push_back(&resource);
    }
  }
  const std::string sort = arguments.text("sort-by");
  std::stable_sort(found.begin(), found.end(), [&](const ApiResource* a, const ApiResource* b) {
    if (sort == "name") {
      return a->plural < b->plural;
    }
    if (sort == "kind") {
      return a->kind < b->kind;
    }
    return std::tie(a->group, a->plural) < std::tie(b->group, b->plural);
  });
  return found;
}

/// As the server itself lists it.
data::Json document_of(const ApiResource& resource) {
  data::Json document{{"name", resource.plural},
                      {"singularName", resource.singular},
                      {"namespaced", resource.namespaced},
                      {"group", resource.group},
                      {"version", resource.version},
                      {"kind", resource.kind},
                      {"verbs", resource.verbs}};
  if (!resource.short_names.empty()) {
    document["shortNames"] = resource.short_names;
  }
  if (!resource.categories.empty()) {
    document["categories"] = resource.categories;
  }
  return document;
}

/// The line of headers also where no kind is left, as kubectl does here.
void print_kinds(Sink& out, const Table& table, bool no_headers) {
  if (table.rows.empty() && !no_headers) {
    TableWriter(out).row({table.header.begin(), table.header.end()});
  }
  print_table(out, table, no_headers);
}

util::Result<int> run_api_resources(Context& context, const Arguments& arguments) {
  const std::string output = arguments.text("output");
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const auto index, arguments.boolean("cached")
                                   ? client->discovery().index(context.stop())
                                   : client->discovery().refresh(context.stop()));
  Table table{{"NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"}, {}};
  if (output == "wide") {
    table.header.insert(table.header.end(), {"VERBS", "CATEGORIES"});
  }
  data::Json document{{"apiVersion", "v1"},
                      {"kind", "APIResourceList"},
                      {"groupVersion", ""},
                      {"resources", data::Json::array()}};
  for (const ApiResource* resource : preferred(*index, arguments)) {
    document["resources"].push_back(document_of(*resource));
    if (output == "name") {
      context.out().write(resource->group_resource() + '\n');
      continue;
    }
    table.rows.push_back({resource->plural, util::join(resource->short_names, ","),
                          resource->api_version(), resource->namespaced ? "true" : "false",
                          resource->kind});
    if (output == "wide") {
      table.rows.back().push_back(util::join(resource->verbs, ","));
      table.rows.back().push_back(util::join(resource->categories, ","));
    }
  }
  KUBIST_TRY(const bool printed, print_document(context, document));
  if (!printed && output != "name") {
    print_kinds(context.out(), table, arguments.boolean("no-headers"));
  }
  const std::vector<std::string> failed = client->discovery().failed_groups();
  if (!failed.empty()) {
    return util::fail(util::ErrorKind::unavailable,
                      util::cat("these groups did not answer: ", util::join(failed, ", ")),
                      "Their APIService or its server is broken: kubist get apiservices.");
  }
  return k_ok;
}

}  // namespace

CommandSpec api_resources_command() {
  return {
      .path = "api-resources",
      .group = "Objects of any kind, as kubectl",
      .summary = "Print the kinds that the API server has",
      .flags = {document_flag("json, yaml, jsonpath=TEMPLATE, name or wide", "", {"name", "wide"}),
                {"api-group", 0, FlagKind::text, "GROUP", "only this group"},
                {"namespaced", 0, FlagKind::boolean, "",
                 "only kinds that live in namespaces; false: only the others"},
                {"verbs", 0, FlagKind::list, "VERBS", "only kinds that take all these verbs"},
                {"categories", 0, FlagKind::list, "CATEGORY", "only kinds of this category"},
                choice_flag("sort-by", 0, "COLUMN", "name or kind", "", {"name", "kind"}),
                {"cached", 0, FlagKind::boolean, "", "take what is in the cache on disk"},
                {"no-headers", 0, FlagKind::boolean, "", "leave out the line of headers"}},
      .examples = {{"kubist's own kinds", "kubist api-resources --api-group kubist.io"}},
      .run = run_api_resources};
}

}  // namespace kubist::cli
