#pragma once
#include <map>
#include <string>

#include <kubist/cli/sink.hpp>
#include <kubist/executors/session.hpp>

#include "output/tree_lines.hpp"
#include "report/report.hpp"

namespace kubist::cli {

/// Where objects of the input stand, by what names them.
using Places = std::map<engine::Key, util::SourcePos>;

/// The nodes of a run as a tree.
std::vector<TreeLine> tree_of(const executors::Run& run);
/// How one of them ended: "Ready", "NotReady", "Failed", "Blocked", "Skipped", "Removed" or
/// "Removing".
std::string_view state_word(const engine::NodeReport& node);
/// Prints a run as a tree for people.
void print_run(const executors::Run& run, bool color, Sink& out);
/// engine::to_json, with file, line and column of each node that has a place: its own, or that of
/// the nearest node above it.
data::Json run_json(const executors::Run& run, const Places& places);
/// The run for --report: a case a node, with its place, and one for what fails the run beside them.
/// Both outlive it.
RunReport run_report(const executors::Run& run, const Places& places);

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
