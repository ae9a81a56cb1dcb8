#pragma once
#include <string>

#include <kubist/data/json.hpp>
#include <kubist/traffic/route.hpp>

namespace kubist::cli {

/// The route for people: its hosts and gateways, then each rule with its condition, written out,
/// and where its requests go, in percent.
std::string route_lines(const traffic::Route& route, const traffic::Place& place);

/// A condition, one alternative a line.
std::string condition_lines(const traffic::Condition& condition);

/// "shop v2 20 %, shop v1 80 %".
std::string backend_words(const traffic::Rule& rule);

/// The same for programs; `taken` is the rule that a request takes, or nothing.
data::Json route_json(const traffic::Route& route, const traffic::Place& place,
                      const traffic::Rule* taken);

}  // namespace kubist::cli
