#pragma once
#include <string>
#include <vector>

#include <kubist/engine/node.hpp>

namespace kubist::engine {

/// What a Root or a Project imposes, in the order in which impose() takes it. Other kinds impose
/// nothing.
std::vector<resources::Imposition> impositions_of(const Node& node);

/// Puts those for its kind around the policies of a node. From the inside out: what stands higher
/// comes later. A resource's own of the same name gives way, but where it may override. Of what
/// others impose nothing does.
void impose(Node& node, const std::vector<resources::Imposition>& all, const std::string& by);

}  // namespace kubist::engine
