#pragma once
#include <string_view>

#include <kubist/data/json.hpp>

namespace kubist::executors {

/// Does one of the patterns (an array of texts, in which * stands for any text; null: none) match?
bool matches_any(const data::Json* patterns, std::string_view text);

/// A URL that no grant makes good: link-local addresses, where clouds keep the credentials of their
/// machines (RFC 3927, RFC 4291 section 2.5.6), and those with a user's name, which look like
/// others.
bool is_never_allowed(std::string_view url);

}  // namespace kubist::executors
