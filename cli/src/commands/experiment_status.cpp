#include <cstdio>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/release/experiment_progress.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "follow.hpp"
#include "output/tree_lines.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;

const Json& list_at(const Json& object, std::initializer_list<std::string_view> path) {
  static const Json none = Json::array();
  const Json* found = data::find_path(object, path);
  return found != nullptr && found->is_array() ? *found : none;
}

std::string number(const Json& row, const char* field) {
  const Json* found = data::find_path(row, {field});
  if (found == nullptr || !found->is_number()) {
    return "-";
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", found->get<double>());
  return text;
}

std::string samples(const Json& row) {
  const Json* found = data::find_path(row, {"samples"});
  char text[32];
  std::snprintf(text, sizeof text, "%.0f",
                found != nullptr && found->is_number() ? found->get<double>() : 0);
  return text;
}

std::string interval(const Json& row) {
  return row.contains("low") ? cat(number(row, "low"), " to ", number(row, "high")) : "-";
}

/// "color=blue" of the variant's tags.
std::string tags_of(const Json& experiment, std::string_view variant) {
  std::vector<std::string> tags;
  for (const Json& each : list_at(experiment, {"spec", "variants"})) {
    const Json* own = data::find_path(each, {"tags"});
    if (data::string_at(each, {"name"}) != variant || own == nullptr) {
      continue;
    }
    for (const auto& [key, value] : own->items()) {
      tags.push_back(cat(key, '=', value.is_string() ? value.get<std::string>() : value.dump()));
    }
  }
  return util::join(tags, ",");
}

std::string line_of(const Json& experiment) {
  const std::string_view reason = data::string_at(experiment, {"status", "reason"});
  const std::string_view message = data::string_at(experiment, {"status", "message"});
  const std::string_view winner = data::string_at(experiment, {"status", "winner"});
  return cat(data::string_at(experiment, {"metadata", "name"}), ": ",
             data::string_at(experiment, {"status", "state"}, "Pending"),
             winner.empty() ? "" : cat(", winner ", winner),
             reason.empty() ? "" : cat(", ", reason), message.empty() ? "" : cat(": ", message),
             '\n');
}

std::string table_of(const Json& experiment) {
  std::vector<std::vector<std::string>> rows{
      {"GOAL", "VARIANT", "SAMPLES", "VALUE", "DIFFERENCE", "INTERVAL", "P", "TAGS"}};
  for (const Json& goal : list_at(experiment, {"status", "report"})) {
    for (const Json& row : list_at(goal, {"variants"})) {
      const std::string name(data::string_at(row, {"name"}));
      rows.push_back({std::string(data::string_at(goal, {"goal"})), name, samples(row),
                      number(row, "value"), number(row, "difference"), interval(row),
                      number(row, "p"), util::printable(tags_of(experiment, name))});
    }
  }
  const std::vector<std::vector<int>> colors(rows.size(), std::vector<int>(rows[0].size(), 0));
  return rows.size() > 1 ? layout(rows, colors, false) : "";
}

std::string lines_of(const Json& experiment) {
  return util::printable(line_of(experiment)) + table_of(experiment);
}

bool is_over(const Json& experiment) {
  const auto state = experiment::read_state(data::string_at(experiment, {"status", "state"}));
  return state == experiment::State::finished || state == experiment::State::aborted;
}

int exit_code(const Json& experiment) {
  switch (experiment::read_state(data::string_at(experiment, {"status", "state"}))) {
    case experiment::State::finished:
      return k_ok;
    case experiment::State::aborted:
      return k_rolled_back;
    default:
      return k_not_ready;
  }
}

util::Result<int> run(Context& context, const Arguments& arguments) {
  const std::string output = arguments.text("output");
  if (!output.empty() && output != "json" && output != "yaml") {
    return util::fail(util::ErrorKind::usage, "--output must be yaml or json");
  }
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  const std::string word = arguments.words().front();
  const std::string name = word.substr(word.find('/') + 1);
  const auto resource =
      executors::resource_of(*resources::find_kind(resources::k_kubist_group, "Experiment"));
  if (arguments.boolean("watch")) {
    if (!output.empty()) {
      return util::fail(util::ErrorKind::usage, "--watch shows a table: leave --output out");
    }
    Following following{{}, lines_of, is_over};
    following.watch.resource = resource;
    following.watch.ns = ns;
    following.watch.name = name;
    const Deadline deadline(arguments.duration("timeout"), context.stop());
    KUBIST_TRY(const Json last, follow(context, *client, following, deadline));
    return exit_code(last);
  }
  KUBIST_TRY(const auto found, client->find(resource, ns, name, context.stop()));
  if (!found) {
    return util::fail(util::ErrorKind::not_found,
                      cat("there is no Experiment ", name, " in namespace ", ns),
                      "See 'kubist get experiments -A'.");
  }
  if (output.empty()) {
    context.out().write(lines_of(*found));
    return exit_code(*found);
  }
  Json shown = Json::object();
  for (const char* field : {"state", "reason", "message", "winner", "startedAt", "report"}) {
    if (const Json* value = data::find_path(*found, {"status", field})) {
      shown[field] = *value;
    }
  }
  context.out().write(output == "json" ? data::to_kubectl_json(shown) : data::to_yaml(shown));
  return exit_code(*found);
}

}  // namespace

const CommandSpec& experiment_status_command() {
  static const CommandSpec spec{
      .path = "experiment status",
      .group = "Releases",
      .summary = "Show where an experiment stands, and what was measured",
      .details =
          "For each goal and variant: the samples, the rate or mean, the difference to the control "
          "with its interval, and the p-value of no difference. With -w until it has ended: on a "
          "terminal in place, elsewhere each change. The exit code is 0 where it is "
          "finished, 4 where it was aborted, 3 while it is under way. It only looks: a kubist that "
          "watches, or 'kubist reconcile', moves the experiment.",
      .arguments = "NAME",
      .min_words = 1,
      .max_words = 1,
      .completes = Completes::experiments,
      .flags = {{"watch", 'w', FlagKind::boolean, "", "show each change until it has ended"},
                {"timeout", 0, FlagKind::duration, "DURATION",
                 "with -w: end after this long with exit code 3; 0 means no limit", "0s"},
                {"output",
                 'o',
                 FlagKind::text,
                 "FORMAT",
                 "json or yaml, or nothing for a table",
                 "",
                 Completes::choices,
                 {},
                 {"json", "yaml"}}},
      .examples = {{"Once", "kubist experiment status button -n shop"},
                   {"Until it has ended", "kubist experiment status button -n shop -w"},
                   {"In a pipeline",
                    "kubist reconcile Experiment/button -n shop --timeout 24h && "
                    "kubist experiment status button -n shop -o json"}},
      .needs = Needs::cluster,
      .run = run};
  return spec;
}

}  // namespace kubist::cli
