#pragma once
#include <string>
#include <string_view>

#include "askable.hpp"

namespace kubist::cli {

/// Sends the request to the objects named in the words, runs each once (with --wait: until it has
/// ended), and prints where it stands. The exit code is theirs with --wait. Invalid: the request
/// means nothing in its state.
util::Result<int> run_request(Context& context, const Arguments& arguments, const Askable& what,
                              const std::string& verb);

/// The command that asks them for the last word of its path: "canary pause NAME...", with --wait,
/// --timeout and --lock-timeout.
CommandSpec request_command(const Askable& what, std::string_view path, std::string_view summary,
                            std::string_view details, Example example);

}  // namespace kubist::cli
