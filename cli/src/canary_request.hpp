#pragma once
#include <kubist/cli/command.hpp>
#include <kubist/cli/context.hpp>
#include <kubist/engine/node.hpp>
#include <kubist/kube/client.hpp>

namespace kubist::cli {

/// Sends the request to the CanaryReleases named in the words, runs each once (with --wait: until
/// it has ended), and prints where it stands. The exit code is 4 where it went back; invalid: the
/// request means nothing in its state.
util::Result<int> run_canary_request(Context& context, const Arguments& arguments,
                                     const std::string& verb);

/// --wait, --timeout and --lock-timeout.
std::vector<Flag> canary_request_flags();

kube::ApiResource canary_releases();
/// "NAME" or "KIND/NAME" of a command line.
engine::Key release_key(const std::string& ns, const std::string& word);
/// Not_found: there is none.
util::Result<data::Json> get_release(kube::Client& client, const engine::Key& key,
                                     const std::stop_token& stop);

/// One line of where a release stands: "shop: Waiting at 10 %, TooFew: ...".
std::string canary_line(const data::Json& release);
/// 0 Succeeded, 4 RolledBack and Aborted, 1 Failed, 3 under way.
int canary_exit_code(const data::Json& release);

}  // namespace kubist::cli
