#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/error.hpp>

namespace kubist::traffic {

/// The port of an Istio Gateway's server or of a ServiceEntry, {number, name, protocol}, from what
/// the spec says: `number` or `port`, `name` (by default PROTOCOL-NUMBER in small letters) and
/// `protocol` (by default `otherwise`).
data::Json mesh_port(const data::Json& port, std::string_view otherwise);

/// One error (invalid) for each name that stands twice; `field` is where: "spec.ports".
std::vector<util::Error> duplicates(const std::vector<std::string>& names, std::string_view field);

/// Several errors as one of the kind invalid; `what` is the object at fault. REQUIRES: not empty.
util::Error joined(std::string_view what, std::vector<util::Error> errors);

}  // namespace kubist::traffic
