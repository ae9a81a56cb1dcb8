#include "get_applications.hpp"

#include <algorithm>

#include <kubist/cli/exit_codes.hpp>
#include <kubist/executors/tree_view.hpp>
#include <kubist/util/text.hpp>

#include "../output/document.hpp"
#include "../output/table.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using traffic::VersionRow;
using util::cat;
using util::ErrorKind;

Table table_of(const std::vector<VersionRow>& rows, bool namespaces) {
  Table table{{"VIRTUALCLUSTER", "APPLICATION", "VERSION", "DEPLOYMENT", "READY", "TRAFFIC"}, {}};
  if (namespaces) {
    table.header.insert(table.header.begin(), "NAMESPACE");
  }
  for (const VersionRow& row : rows) {
    table.rows.push_back({row.virtual_cluster, row.application,
                          row.version.empty() ? "<none>" : row.version, row.deployment,
                          cat(row.ready, '/', row.replicas),
                          row.shares.empty() ? "<none>" : traffic::share_words(row.shares)});
    if (namespaces) {
      table.rows.back().insert(table.rows.back().begin(), row.project_namespace);
    }
  }
  return table;
}

Json json_of(const std::vector<VersionRow>& rows) {
  Json items = Json::array();
  for (const VersionRow& row : rows) {
    Json shares = Json::array();
    for (const traffic::RouteShare& share : row.shares) {
      shares.push_back({{"route", share.route}, {"rule", share.rule}, {"percent", share.percent}});
    }
    items.push_back({{"namespace", row.project_namespace},
                     {"virtualCluster", row.virtual_cluster},
                     {"application", row.application},
                     {"version", row.version},
                     {"deployment", row.deployment},
                     {"replicas", row.replicas},
                     {"readyReplicas", row.ready},
                     {"traffic", std::move(shares)}});
  }
  return {{"items", std::move(items)}};
}

// Each name must be there, as with `get` of any other names.
util::Result<> keep_named(std::vector<VersionRow>& rows, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::ranges::find(rows, name, &VersionRow::application) == rows.end()) {
      std::vector<std::string> known;
      for (const VersionRow& row : rows) {
        known.push_back(row.application);
      }
      return util::fail(
          ErrorKind::not_found,
          cat("application \"", name, "\" not found", util::did_you_mean(name, known)),
          "Runs find Deployments that have the label app.");
    }
  }
  std::erase_if(rows, [&](const VersionRow& row) {
    return !names.empty() && std::ranges::find(names, row.application) == names.end();
  });
  return {};
}

}  // namespace

bool asks_for_applications(const std::vector<std::string>& words) {
  return !words.empty() && (words[0] == "applications" || words[0] == "application");
}

std::vector<VersionRow> version_rows(const engine::Graph& graph) {
  std::vector<const Json*> clusters, destinations, routes;
  for (const engine::Node& node : graph.nodes()) {
    auto* list = node.key.kind == "VirtualCluster" ? &clusters
                 : node.key.kind == "Destination"  ? &destinations
                 : node.key.kind == "TrafficRoute" ? &routes
                                                   : nullptr;
    if (list != nullptr && node.object != nullptr) {
      list->push_back(node.object.get());
    }
  }
  return traffic::version_rows(clusters, destinations, routes);
}

util::Result<int> get_applications(Context& context, const Arguments& arguments,
                                   const std::vector<std::string>& words) {
  const std::string form = arguments.text("output");
  if (!form.empty() && form != "wide" && form != "json" && form != "yaml" &&
      !form.starts_with("jsonpath")) {
    return util::fail(ErrorKind::usage, cat("applications cannot be printed as ", form),
                      "They are not objects of the server: use -o wide, json, yaml or jsonpath.");
  }
  std::string ns;
  if (!arguments.boolean("all-namespaces")) {
    KUBIST_TRY(ns, context.ns());
  }
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const auto view,
             executors::load_tree_view(*client, executors::one_or_all(ns), context.stop()));
  for (const auto& [hidden, why] : view.hidden) {
    context.log().line(cat("warning: namespace ", hidden, ": ", why.to_string()));
  }
  std::vector<VersionRow> rows = version_rows(executors::build_graph(view));
  KUBIST_CHECK(keep_named(rows, {words.begin() + 1, words.end()}));
  KUBIST_TRY(const bool printed, print_document(context, json_of(rows)));
  if (printed) {
    return k_ok;
  }
  if (rows.empty()) {
    context.log().line("No applications found");
  } else {
    print_table(context.out(), table_of(rows, ns == "*"), arguments.boolean("no-headers"));
  }
  return k_ok;
}

}  // namespace kubist::cli
