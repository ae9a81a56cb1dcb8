#include <kubist/cli/complete.hpp>
#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "query/names.hpp"

namespace kubist::cli {
namespace {

util::Result<int> run_complete(Context& context, const Arguments& arguments) {
  std::vector<std::string> words = arguments.words();
  if (words.empty()) {
    words.emplace_back();
  }
  const Completion completion = complete(words, complete_names);
  for (const Candidate& candidate : completion.candidates) {
    context.out().write(candidate.help.empty()
                            ? util::cat(candidate.word, '\n')
                            : util::cat(candidate.word, '\t', candidate.help, '\n'));
  }
  if (arguments.boolean("for-kubectl")) {
    // Directives of cobra, by which kubectl goes: files too where nothing fits, or none.
    context.out().write(completion.files ? ":0\n" : ":4\n");
  } else if (completion.files) {
    context.out().write(":files\n");
  }
  return k_ok;
}

}  // namespace

CommandSpec complete_command() {
  return {.path = "__complete",
          .summary = "Print what may stand at the last word",
          .arguments = "-- WORD...",
          .max_words = -1,
          .flags = {{"for-kubectl", 0, FlagKind::boolean, "", "as kubectl asks its plugins"}},
          .run = run_complete,
          .hidden = true};
}

}  // namespace kubist::cli
