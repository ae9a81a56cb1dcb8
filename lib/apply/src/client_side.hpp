#pragma once
#include <string>
#include <vector>

#include <kubist/data/json.hpp>

/// Objects that `kubectl apply` wrote on the client's side: its managers own fields by Update, so
/// that a field that leaves the file stays. They are taken over as `kubectl apply --server-side`
/// does it (client-go/util/csaupgrade; KEP-555).
namespace kubist::apply {

/// The managers whose last write was a client-side apply: who own the annotation that it leaves, by
/// Update. Empty: none.
std::vector<std::string> client_side_managers(const data::Json& live);

/// metadata.managedFields of `live`, where `manager` applies what these managers own. The
/// annotation is its own then, too, and goes with its next apply.
data::Json taken_over_fields(const data::Json& live, const std::vector<std::string>& managers,
                             const std::string& manager);

}  // namespace kubist::apply
