#pragma once
#include <string>

#include <kubist/engine/node.hpp>
#include <kubist/engine/pipeline.hpp>

namespace kubist::cli {

/// What the traced policies of a node got and gave, as cases for 'kubist policy test': YAML, one
/// document a policy. Empty: none ran.
std::string recorded_cases(const engine::Node& node, const engine::PolicyVerdict& verdict);

}  // namespace kubist::cli
