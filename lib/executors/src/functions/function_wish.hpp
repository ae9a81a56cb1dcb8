#pragma once
#include <string>

#include <kubist/executors/catalog.hpp>

#include "keep/owned_objects.hpp"

namespace kubist::executors {

/// How many objects a function may return.
inline constexpr std::size_t k_max_function_objects = 500;

/// An object that a function returned, as a wish: what the server itself writes and the annotations
/// of KRM functions' runners are left out. Invalid, reason ObjectNotAllowed: no name, metadata that
/// only kubist may set, a kind of kubist's own, a cluster-scoped kind or a namespace that the
/// definition does not allow. `target` is the
/// namespace of the node's virtual cluster or project; empty: it has none, and each object names
/// one.
util::Result<Wish> read_wish(const ExecutorFunction& function, const data::Json& object,
                             const kube::ApiResource& resource, const std::string& target);

}  // namespace kubist::executors
