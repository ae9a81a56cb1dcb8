#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>

#include "askable.hpp"
#include "commands.hpp"
#include "output/document.hpp"
#include "output/tree_lines.hpp"

namespace kubist::cli {
namespace {

using data::Json;

util::Result<int> run_canary_history(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const Json release, get_asked(context, arguments, canary()));
  const Json& history = data::array_at(release, {"status", "history"});
  KUBIST_TRY(const bool printed, print_document(context, {{"history", history}}));
  if (printed) {
    return k_ok;
  }
  std::vector<std::vector<std::string>> rows{
      {"AT", "ATTEMPT", "STATE", "WEIGHT", "REASON", "MESSAGE"}};
  for (const Json& entry : history) {
    rows.push_back({std::string(data::string_at(entry, {"at"})),
                    std::to_string(data::int_at(entry, {"attempt"}, 1)),
                    std::string(data::string_at(entry, {"state"})),
                    std::to_string(data::int_at(entry, {"weight"})) + " %",
                    std::string(data::string_at(entry, {"reason"})),
                    std::string(data::string_at(entry, {"message"}))});
  }
  context.out().write(layout(rows));
  return k_ok;
}

}  // namespace

CommandSpec canary_history_command() {
  return {
      .path = "canary history",
      .group = "Releases and traffic",
      .summary = "Show what a release went through: its states, weights and reasons",
      .details = "The last 50 changes, the newest last, over all attempts.",
      .arguments = "NAME",
      .min_words = 1,
      .max_words = 1,
      .completes = Completes::canaries,
      .flags = {document_flag()},
      .examples = {{"Why was it rolled back last night?", "kubist canary history shop -n shop"}},
      .run = run_canary_history};
}

}  // namespace kubist::cli
