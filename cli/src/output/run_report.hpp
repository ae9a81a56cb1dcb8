#pragma once
#include <string>

#include <kubist/cli/sink.hpp>
#include <kubist/executors/session.hpp>

namespace kubist::cli {

/// Prints a run as --report asks: text (a tree for people), json (engine::to_json), junit (one test
/// case a node), github (workflow commands for nodes that failed).
void print_run(const executors::Run& run, std::string_view form, bool color, Sink& out);

/// "left behind by NODE: WHAT", a line each.
void print_left_behind(const executors::Run& run, Sink& out);
/// "4 nodes: 3 removed, 1 failed; 7 writes in 1.20s".
std::string summary_line(const engine::Report& report);

/// The exit code of a run. Of several the first of: 1 something failed for another reason than the
/// next three; 4 rolled back; 6 conflict or locked; 5 denied; 3 not ready yet; 0 all is ready.
int exit_code_of(const engine::Report& report);
/// The same, but k_error where writes of a dry run would be denied, or objects are missing.
int exit_code_of(const executors::Run& run);

}  // namespace kubist::cli
