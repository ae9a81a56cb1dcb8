#pragma once
#include <kubist/traffic/condition.hpp>
#include <kubist/util/words.hpp>

/// What conditions call the parts of a request, and how they compare them.
namespace kubist::traffic {

inline constexpr util::Word<Part> k_parts[] = {
    {Part::uri, "uri"},       {Part::method, "method"},
    {Part::scheme, "scheme"}, {Part::authority, "authority"},
    {Part::port, "port"},     {Part::header, "header"},
    {Part::cookie, "cookie"}, {Part::query, "query"}};

inline constexpr util::Word<Operator> k_operators[] = {{Operator::exact, "exact"},
                                                       {Operator::prefix, "prefix"},
                                                       {Operator::regex, "regex"},
                                                       {Operator::present, "present"}};

}  // namespace kubist::traffic
