#pragma once
#include <string>
#include <vector>

#include <kubist/cli/command.hpp>

namespace kubist::cli {

/// Parses the words after the command's name as its record says. Fails with kind usage and a hint
/// that names the help command; --help is not an error: look for it with asks_for_help() before.
util::Result<Arguments> parse_arguments(const CommandSpec& spec, std::vector<std::string> words);

/// The flag that `word` ("--name" or "-n") names: of `spec`, which may be null, or a global one;
/// nullptr when there is none.
const Flag* find_flag(const CommandSpec* spec, std::string_view word);
/// Does the flag take the word behind it?
bool takes_next_word(const Flag& flag);

/// Is -h or --help among the words (before a "--")?
bool asks_for_help(const std::vector<std::string>& words);

/// Moves global flags that stand before the command's name, or between its words, right behind it:
/// `kubist -n team get pods` parses as `kubist get -n team pods`. Of a flag that is given again
/// later the last one counts.
std::vector<std::string> hoist_global_flags(std::vector<std::string> words);

}  // namespace kubist::cli
