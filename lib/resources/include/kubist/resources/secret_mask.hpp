#pragma once
#include <utility>

#include <kubist/data/json.hpp>
#include <kubist/util/error.hpp>

namespace kubist::resources {

/// A core/v1 Secret?
bool is_secret(const data::Json& object);

/// Two states of one object masked together, so that a diff shows which keys changed and no value:
/// equal ones "***", changed ones "*** (before)" and "*** (after)"; also inside the last-applied-
/// configuration annotation. Masked are data of Secrets (stringData counts as it), and of
/// DeployItems importValues and the Secrets in their configuration; other objects stay as they are.
std::pair<data::Json, data::Json> masked_pair(const data::Json& before, const data::Json& after);

/// A DeployItem with each field of its configuration masked whole: a template may have copied
/// imports, exports and state there. Without the last-applied-configuration annotation.
std::pair<data::Json, data::Json> masked_item(const data::Json& before, const data::Json& after);

/// A DeployItem, of Landscaper's group?
bool is_deploy_item(const data::Json& object);

/// Takes the values of a Secret out of what an API server said of it: answers to a malformed one
/// quote them.
void hide_values(util::Error& error, const data::Json& secret);

}  // namespace kubist::resources
