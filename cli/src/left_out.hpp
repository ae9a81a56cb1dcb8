#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kubist::cli {

/// The commands of kubectl that kubist leaves to it: "patch", "rollout undo".
/// docs/reference/kubectl.md names each, with what stands for it.
const std::vector<std::string_view>& commands_left_out();

/// What to do instead of such a command; empty: kubectl has none of that path.
std::string advice_for_command(std::string_view path);
/// A word behind a command of kubist's that only kubectl's has: a flag, or a command below it.
struct WordLeftOut {
  std::string_view path;  ///< of the command; empty: of all
  std::string_view word;  ///< "--force"
};
/// Those that scripts use. docs/reference/kubectl.md has each but -k and templates of Go, which
/// have words of their own.
const std::vector<WordLeftOut>& words_left_out();

/// What to do instead of such a word, or of a value of -o.
std::string advice_for_word(std::string_view path, std::string_view word);
std::string advice_for_output(std::string_view value);
/// The same of only a group's words, as of `create -f`; empty: there is nothing to say.
std::string advice_for_group(std::string_view words);

}  // namespace kubist::cli
