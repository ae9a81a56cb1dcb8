#pragma once
#include <kubist/engine/node.hpp>
#include <kubist/util/result.hpp>

namespace kubist::engine {

/// Is this spec one that the kind's schema takes? Kinds without a schema take any. Any thread.
/// Fails with invalid (reason PolicyFailed).
util::Result<> check_spec(const Node& node, const Json& spec);

}  // namespace kubist::engine
