#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include <kubist/deployers/logs.hpp>

namespace kubist::deployers {

/// At most that many bytes and lines from the end, whole lines where possible.
std::string tail_of(std::string_view text, std::size_t bytes, std::size_t lines);

/// What an item exported and does not call public.
void add_secret_exports(Redactor& redactor, const Item& item, const Json& exports);

/// The data of the logs Secret with one more tail; the oldest goes. `present` may be null.
Json log_secret_data(const Json& present, const KeptLog& newest);

}  // namespace kubist::deployers
