#pragma once
#include <string>
#include <vector>

#include <kubist/cli/sink.hpp>
#include <kubist/util/log.hpp>

namespace kubist::cli {

/// The whole program but for main(): finds the command, parses its words, runs it, prints what
/// failed, and gives the exit code. `words` is without the program's name. Results go to `out`,
/// everything else to `err` (whole lines).
int run(const std::vector<std::string>& words, Sink& out, Sink& err);

}  // namespace kubist::cli
