#include <array>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"

namespace kubist::cli {
namespace {

using Row = std::vector<std::string>;

std::string finished(const data::Json& item) {
  const auto time =
      util::parse_time(data::string_at(item, {"status", "transitionTimes", "finishedTime"}));
  if (!time) {
    return "-";
  }
  return util::human_duration(
      std::chrono::duration_cast<std::chrono::seconds>(util::system_clock().now() - *time));
}

Row row_of(const data::Json& item, bool with_namespace) {
  const auto or_dash = [](std::string_view text) { return std::string(text.empty() ? "-" : text); };
  Row row{std::string(data::string_at(item, {"metadata", "name"})),
          or_dash(data::string_at(item, {"spec", "type"})),
          or_dash(data::string_at(item, {"spec", "target", "name"})),
          or_dash(data::string_at(item, {"status", "phase"})),
          util::cat(data::int_at(item, {"status", "exportGeneration"})),
          finished(item)};
  if (with_namespace) {
    row.insert(row.begin(), std::string(data::string_at(item, {"metadata", "namespace"})));
  }
  return row;
}

std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows[0].size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], util::display_width(row[i]));
    }
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) {
        text.append(widths[i] + 3 - util::display_width(row[i]), ' ');
      }
    }
    text += '\n';
  }
  return text;
}

util::Result<int> run(Context& context, const Arguments& arguments) {
  const bool all = arguments.boolean("all-namespaces");
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  KUBIST_TRY(const auto list,
             client->list(deployers::deploy_items(), all ? "" : ns, {}, context.stop()));
  if (list.items.empty()) {
    context.log().line(all ? "No DeployItems found."
                           : util::cat("No DeployItems found in namespace ", ns, "."));
    return k_ok;
  }
  Row header{"NAME", "TYPE", "TARGET", "PHASE", "EXPORTS", "FINISHED"};
  if (all) {
    header.insert(header.begin(), "NAMESPACE");
  }
  std::vector<Row> rows{header};
  for (const data::Json& item : list.items) {
    rows.push_back(row_of(item, all));
  }
  context.out().write(aligned(rows));
  return k_ok;
}

}  // namespace

const CommandSpec& deployitem_list_command() {
  static const CommandSpec spec{
      .path = "deployitem list",
      .group = "DeployItems",
      .summary = "List DeployItems with their phases",
      .details =
          "EXPORTS counts how often the exports have changed, FINISHED is the time since the "
          "last run ended.",
      .flags = {{"all-namespaces", 'A', FlagKind::boolean, "", "of all namespaces"}},
      .examples = {{"Of one project", "kubist deployitem list -n quickstart"}},
      .run = run};
  return spec;
}

}  // namespace kubist::cli
