#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>

#include "chance.hpp"

/// What parsers hate. Addresses lead to this machine alone, to a port where nobody listens.
namespace kubist::testing {

using data::Json;

/// Any text that JSON can carry: empty, 100 KiB, control characters, brackets without an end, and
/// what is a program or a path to somebody.
std::string hostile_text(Chance& chance);
/// What a field of that name may hold: durations, conditions, URLs, Jsonnet, queries and the like,
/// half of them wrong. Of other names hostile_text().
std::string hostile_text_for(Chance& chance, std::string_view field);
/// Keys of maps.
std::string hostile_key(Chance& chance);
/// 2^63, 1e308, -0.0, fractions.
Json hostile_number(Chance& chance);
/// A time, mostly one that time zones, calendars or 64 bits have trouble with.
std::string hostile_time(Chance& chance);
/// Any value, some levels deep; seldom as deep as kubist reads (500 levels), or just deeper.
Json hostile_value(Chance& chance, int levels = 3);
/// What a manifest item may hold: objects of kinds and namespaces that it may not touch.
Json hostile_manifest(Chance& chance);

}  // namespace kubist::testing
