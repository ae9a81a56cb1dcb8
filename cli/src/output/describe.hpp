#pragma once
#include <string>
#include <vector>

#include <kubist/cli/sink.hpp>
#include <kubist/data/json.hpp>

#include "query/events.hpp"

namespace kubist::cli {

/// Prints one object of any kind for people, as kubectl describes kinds that it has no special form
/// for; conditions are a table, Secrets show the size of their values only. `events` may be null:
/// then there is no section for them.
void describe(Sink& out, const data::Json& object, const std::vector<data::Json>* events, Now now);

/// "apiVersion" -> "API Version", "podCIDR" -> "Pod CIDR"; fields with digits or dots stay.
std::string field_label(std::string_view field);

}  // namespace kubist::cli
