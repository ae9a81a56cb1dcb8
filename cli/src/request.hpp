#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/cli/command.hpp>
#include <kubist/cli/context.hpp>
#include <kubist/engine/node.hpp>
#include <kubist/kube/client.hpp>

namespace kubist::cli {

/// A kind whose objects answer requests (annotation kubist.io/request).
struct Askable {
  std::string_view kind;                   ///< "CanaryRelease"
  std::string_view command;                ///< "canary": where its list and status are
  std::string (*line)(const data::Json&);  ///< of where one stands, without a line end
  int (*exit_code)(const data::Json&);     ///< that goes with it
  Completes completes;                     ///< their names
};

/// "NAME" or "KIND/NAME" of a command line.
engine::Key asked_key(const Askable& what, const std::string& ns, const std::string& word);
kube::ApiResource resource_of(const Askable& what);
/// Not_found: there is none.
util::Result<data::Json> get_asked(kube::Client& client, const Askable& what,
                                   const engine::Key& key, const std::stop_token& stop);

/// Sends the request to the objects named in the words, runs each once (with --wait: until it has
/// ended), and prints where it stands. The exit code is theirs with --wait. Invalid: the request
/// means nothing in its state.
util::Result<int> run_request(Context& context, const Arguments& arguments, const Askable& what,
                              const std::string& verb);

/// The command that asks them something: "canary pause NAME...", with --wait, --timeout and
/// --lock-timeout.
CommandSpec request_command(const Askable& what, std::string_view path, std::string_view summary,
                            std::string_view details, Example example,
                            util::Result<int> (*run)(Context&, const Arguments&));

}  // namespace kubist::cli
