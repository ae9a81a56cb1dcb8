#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/executors/catalog.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/document.hpp"
#include "output/tree_lines.hpp"

namespace kubist::cli {
namespace {

using data::Json;

struct Row {
  std::string name, origin, summary;
  Json json;
};

Row usable_row(const engine::PolicyDefinition& policy) {
  Json json{{"name", policy.name},
            {"origin", policy.origin},
            {"summary", policy.summary},
            {"parameters", policy.parameters},
            {"usable", true}};
  if (!policy.ns.empty()) {
    json["namespace"] = policy.ns;
  }
  if (!policy.kinds.empty()) {
    json["kinds"] = policy.kinds;
  }
  return {policy.name, policy.origin, policy.summary, std::move(json)};
}

// A definition that exists but cannot be used: its users ask why.
Row broken_row(const Json& object, const util::Error& error) {
  const std::string name(data::string_at(object, {"metadata", "name"}));
  const std::string origin(data::string_at(object, {"kind"}));
  return {name, origin, util::cat("cannot be used: ", error.message),
          Json{{"name", name}, {"origin", origin}, {"usable", false}, {"error", error.message}}};
}

std::vector<Row> rows_of(const engine::PolicyCatalog& catalog, const std::vector<Json>& objects,
                         const std::string& ns) {
  std::vector<Row> rows;
  for (const auto& policy : catalog.list(ns)) {
    rows.push_back(usable_row(*policy));
  }
  for (const Json& object : objects) {
    const std::string own_ns(data::string_at(object, {"metadata", "namespace"}));
    const auto found =
        catalog.find(own_ns, std::string(data::string_at(object, {"metadata", "name"})));
    if (!found) {
      rows.push_back(broken_row(object, found.error()));
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.name < b.name; });
  return rows;
}

void print_table(const std::vector<Row>& rows, Context& context) {
  std::vector<std::vector<std::string>> cells{{"NAME", "ORIGIN", "SUMMARY"}};
  for (const Row& row : rows) {
    cells.push_back({row.name, row.origin, row.summary});
  }
  context.out().write(layout(cells));
}

util::Result<int> run_policy_list(Context& context, const Arguments& arguments) {
  std::vector<Json> objects;
  std::string ns;
  if (!arguments.boolean("offline")) {
    KUBIST_TRY(ns, context.ns());
    KUBIST_TRY(const auto client, context.client());
    KUBIST_TRY(objects, executors::load_policy_definitions(*client, ns, context.stop()));
  }
  KUBIST_TRY(auto local, executors::read_local_config());
  const executors::Catalog catalog(std::move(local));
  const std::vector<Row> rows = rows_of(catalog.build(objects), objects, ns);
  Json list{{"policies", Json::array()}};
  for (const Row& row : rows) {
    list["policies"].push_back(row.json);
  }
  KUBIST_TRY(const bool printed, print_document(context, list));
  if (!printed) {
    print_table(rows, context);
  }
  return k_ok;
}

}  // namespace

CommandSpec policy_list_command() {
  return {
      .path = "policy list",
      .group = "Policies",
      .summary = "List the policies that can be used in a namespace",
      .details =
          "Built-in policies, the namespace's PolicyDefinitions and the cluster's "
          "ClusterPolicyDefinitions. A definition that cannot be used says why. With -o json or "
          "yaml the parameters are shown too.",
      .arguments = "",
      .flags = {document_flag(),
                {"offline", 0, FlagKind::boolean, "",
                 "only the built-in ones; no cluster is asked"}},
      .examples = {{"What this project can use", "kubist policy list -n shop"},
                   {"Without a cluster, with parameters", "kubist policy list --offline -o json"}},
      .run = run_policy_list};
}

}  // namespace kubist::cli
