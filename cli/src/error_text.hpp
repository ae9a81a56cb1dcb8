#pragma once
#include <string>
#include <string_view>

#include <kubist/util/error.hpp>

namespace kubist::cli {

/// An error as people and scripts read it: "error: " and what it says, or for what an API server
/// answered kubectl's "Error from server (NotFound): pods "x" not found". Method and URL of that
/// request are not told: traces (-v 6) have them. `about` names what it was tried on; it is left
/// out where the server's words are all there is to say.
std::string error_text(const util::Error& error, std::string_view about = {});

/// What it says, without method and URL of a request.
std::string error_message(const util::Error& error);

}  // namespace kubist::cli
