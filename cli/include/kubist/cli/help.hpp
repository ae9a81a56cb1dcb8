#pragma once
#include <string>
#include <string_view>

#include <kubist/cli/command.hpp>

namespace kubist::cli {

/// The help of one command: usage, details, examples, flags.
std::string command_help(const CommandSpec& spec);
/// `kubist options`: the flags that every command takes.
std::string options_help();
/// The commands below leading words such as "policy " (which end in a space), a line each.
std::string group_help(std::string_view words);
/// `kubist help`: all commands by heading, a line for each, or for each group that has a word.
std::string overview();
/// The whole command tree as JSON (one record): commands, flags, examples, exit codes. Completions
/// and man pages come from it and from the same records.
std::string dump();
/// A man page in roff: kubist(1) for an empty path, else kubist-PATH(1).
std::string man_page(const CommandSpec* spec);

}  // namespace kubist::cli
