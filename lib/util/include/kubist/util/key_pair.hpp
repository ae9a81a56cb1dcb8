#pragma once
#include <chrono>
#include <optional>
#include <string_view>

#include <kubist/util/result.hpp>

namespace kubist::util {

/// Do a PEM certificate (the first of its chain) and a PEM private key without a passphrase belong
/// together? Invalid: either is no such thing, or they do not; nothing of their text is said.
Result<> check_key_pair(std::string_view certificate_pem, std::string_view key_pem);
/// When the last of these PEM certificates ends; nothing: there is none.
std::optional<std::chrono::system_clock::time_point> certificates_end(std::string_view pem);

}  // namespace kubist::util
