#pragma once
#include <kubist/cli/sink.hpp>
#include <kubist/engine/pipeline.hpp>

namespace kubist::cli {

/// What each policy of one node did, for people: outcome, messages, and the spec's changes as a
/// diff. The verdict's pipeline must have kept its trace.
void print_policy_trace(const engine::Node& node, const engine::PolicyVerdict& verdict, bool color,
                        Sink& out);

}  // namespace kubist::cli
