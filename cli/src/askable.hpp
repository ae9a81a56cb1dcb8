#pragma once
#include <string>
#include <string_view>

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
  bool (*is_over)(const data::Json&);      ///< nothing more comes of it
  Completes completes;                     ///< their names
};

/// CanaryReleases. A line: "shop: Waiting at 10 %, TooFew: ...". The exit code: 0 Succeeded, 4
/// RolledBack and Aborted, 1 Failed, 3 under way.
const Askable& canary();
/// Experiments. A line: "button: Running, Collecting: ...". The exit code: 0 Finished, 4 Aborted, 3
/// under way.
const Askable& experiment();

/// "NAME" or "KIND/NAME" of a command line.
engine::Key asked_key(const Askable& what, const std::string& ns, const std::string& word);
kube::ApiResource resource_of(const Askable& what);
/// Not_found: there is none.
util::Result<data::Json> get_asked(kube::Client& client, const Askable& what,
                                   const engine::Key& key, const std::stop_token& stop);
/// The one that the command's first word names.
util::Result<data::Json> get_asked(Context& context, const Arguments& arguments,
                                   const Askable& what);

}  // namespace kubist::cli
