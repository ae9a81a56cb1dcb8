#include <cstdio>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "askable_status.hpp"
#include "commands.hpp"
#include "output/tree_lines.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;

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
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", data::number_at(row, {"samples"}));
  return text;
}

std::string interval(const Json& row) {
  return row.contains("low") ? cat(number(row, "low"), " to ", number(row, "high")) : "-";
}

/// "color=blue" of the variant's tags.
std::string tags_of(const Json& experiment, std::string_view variant) {
  std::vector<std::string> tags;
  for (const Json& each : data::array_at(experiment, {"spec", "variants"})) {
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

/// Its share of the clients to come.
std::string gets(const Json& experiment, const std::string& name) {
  const Json variants = data::array_at(experiment, {"spec", "variants"});
  const Json shares = data::array_at(experiment, {"status", "assignment", "shares"});
  std::int64_t own = 0;
  std::int64_t all = 0;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const std::int64_t share = i < shares.size() && shares[i].is_number_integer()
                                   ? shares[i].get<std::int64_t>()
                                   : data::int_at(variants[i], {"weight"}, 1);
    all += share;
    own += data::string_at(variants[i], {"name"}) == name ? share : 0;
  }
  return all > 0 ? cat((own * 100 + all / 2) / all, " %") : "-";
}

std::string table_of(const Json& experiment) {
  std::vector<std::vector<std::string>> rows{
      {"GOAL", "VARIANT", "GETS", "SAMPLES", "VALUE", "DIFFERENCE", "INTERVAL", "P", "TAGS"}};
  for (const Json& goal : data::array_at(experiment, {"status", "report"})) {
    for (const Json& row : data::array_at(goal, {"variants"})) {
      const std::string name(data::string_at(row, {"name"}));
      rows.push_back({std::string(data::string_at(goal, {"goal"})), name, gets(experiment, name),
                      samples(row), number(row, "value"), number(row, "difference"), interval(row),
                      number(row, "p"), tags_of(experiment, name)});
    }
  }
  return rows.size() > 1 ? layout(rows) : "";
}

std::string lines_of(const Json& object) {
  return cat(util::printable(experiment().line(object)), '\n', table_of(object));
}

Json shown_of(const Json& experiment) {
  Json shown = Json::object();
  for (const char* field :
       {"state", "reason", "message", "winner", "startedAt", "assignment", "report"}) {
    if (const Json* value = data::find_path(experiment, {"status", field})) {
      shown[field] = *value;
    }
  }
  return shown;
}

}  // namespace

CommandSpec experiment_status_command() {
  return status_command(
      experiment(), {"a table", lines_of, shown_of}, "experiment status",
      "Show where an experiment stands, and what was measured",
      "For each goal and variant: the samples, the rate or mean, the difference to the control "
      "with its interval, and the p-value of no difference. With -w until it has ended: on a "
      "terminal in place, elsewhere each change. The exit code is 0 where it is "
      "finished, 4 where it was aborted, 3 while it is under way. It only reads: a kubist that "
      "watches, or 'kubist reconcile', moves the experiment.",
      {{"Once", "kubist experiment status button -n shop"},
       {"Until it has ended", "kubist experiment status button -n shop -w"},
       {"In a pipeline",
        "kubist reconcile Experiment/button -n shop --timeout 24h && "
        "kubist experiment status button -n shop -o json"}});
}

}  // namespace kubist::cli
