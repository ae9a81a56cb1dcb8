#pragma once
#include <kubist/engine/node.hpp>
#include <kubist/util/result.hpp>

namespace kubist::engine {

/// Is what a policy made of the spec `before` one that the kind's schema takes? An unchanged one is
/// not the policy's, and kinds without a schema take any. Any thread. Fails with invalid (reason
/// PolicyFailed).
util::Result<> check_spec(const Key& key, const Json& before, const Json& spec);

/// The same for recorded inputs, which need not be whole: what `before` lacks or has too much is
/// not the policy's.
util::Result<> check_recorded_spec(const Key& key, const Json& before, const Json& spec);

}  // namespace kubist::engine
