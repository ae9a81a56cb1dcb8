#pragma once
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/executors/session.hpp>

#include "output/run_record.hpp"

namespace kubist::cli {

/// The parts of a page about a run: the releases with their weights, and the tree with what became
/// of each node, when it was worked on, what it waited for and what it wrote. `releases`: the
/// CanaryReleases of the run as they are now.
std::string run_html(const executors::Run& run, const RunRecord::Courses& courses,
                     const std::vector<data::Json>& releases);

}  // namespace kubist::cli
