#pragma once
#include <functional>
#include <string>

#include <kubist/cli/context.hpp>
#include <kubist/data/json.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/kube/watch.hpp>
#include <kubist/util/deadline.hpp>

namespace kubist::cli {

/// How an object is followed to its end.
struct Following {
  kube::WatchOptions watch;                            ///< resource, ns and name of it
  std::function<std::string(const data::Json&)> text;  ///< lines for people
  std::function<bool(const data::Json&)> is_over;
};

/// Shows each change of an object (in place where standard output is a terminal) until it is over;
/// then as it is. Not_found: it does not exist, or no more. Cut short by the deadline: timeout or
/// cancelled.
util::Result<data::Json> follow(Context& context, kube::Client& client, const Following& what,
                                const util::Deadline& deadline);

}  // namespace kubist::cli
