#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/executors/catalog.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/document.hpp"
#include "output/tree_lines.hpp"

namespace kubist::cli {
namespace {

using data::Json;

Json built_in(const resources::Kind& kind) {
  return {{"name", kind.name},
          {"origin", engine::k_built_in},
          {"kinds", {kind.name}},
          {"runs", "Instead"},
          {"summary", util::cat("the default of ", kind.name)},
          {"usable", true}};
}

Json definition(const std::string& name,
                const util::Result<executors::ExecutorFunction>& function) {
  Json json{{"name", name}, {"origin", engine::k_executor_definition}};
  if (!function) {
    json.update(Json{{"usable", false},
                     {"error", function.error().message},
                     {"summary", util::cat("cannot be used: ", function.error().message)}});
    return json;
  }
  json.update(Json{{"kinds", function->kinds},
                   {"runs", function->wraps.empty() ? "Instead"
                            : function->before      ? "Before"
                                                    : "After"},
                   {"summary", function->definition->summary},
                   {"parameters", function->definition->parameters},
                   {"usable", true}});
  return json;
}

util::Result<int> run_executor_list(Context& context, const Arguments& arguments) {
  std::vector<Json> objects;
  if (!arguments.boolean("offline")) {
    KUBIST_TRY(const auto client, context.client());
    KUBIST_TRY(objects, executors::load_executor_definitions(*client, context.stop()));
  }
  KUBIST_TRY(auto local, executors::read_local_config());
  Json list{{"executors", Json::array()}};
  for (const resources::Kind& kind : resources::kinds()) {
    if (kind.node) {
      list["executors"].push_back(built_in(kind));
    }
  }
  for (const auto& [name, function] : executors::Catalog(std::move(local)).executors(objects)) {
    list["executors"].push_back(definition(name, function));
  }
  KUBIST_TRY(const bool printed, print_document(context, list));
  if (!printed) {
    std::vector<std::vector<std::string>> cells{{"NAME", "ORIGIN", "RUNS", "KINDS", "SUMMARY"}};
    for (const Json& each : list["executors"]) {
      cells.push_back({std::string(data::string_at(each, {"name"})),
                       std::string(data::string_at(each, {"origin"})),
                       std::string(data::string_at(each, {"runs"})),
                       util::join(data::strings_at(each, {"kinds"}), ","),
                       std::string(data::string_at(each, {"summary"}))});
    }
    context.out().write(layout(cells));
  }
  return k_ok;
}

}  // namespace

CommandSpec executor_list_command() {
  return {
      .path = "executor list",
      .group = "Policies",
      .summary = "List the executors that resources can name",
      .details =
          "The built-in executor of each kind and the cluster's ExecutorDefinitions. RUNS says "
          "whether one runs instead of the built-in executor, before it, or after it. A definition "
          "that cannot be used says why. With -o json or yaml the parameters are shown too.",
      .arguments = "",
      .flags = {document_flag(),
                {"offline", 0, FlagKind::boolean, "",
                 "only the built-in ones; no cluster is asked"}},
      .examples = {{"What this cluster has", "kubist executor list"}},
      .run = run_executor_list};
}

}  // namespace kubist::cli
