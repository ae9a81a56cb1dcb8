#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/cli/context.hpp>
#include <kubist/cli/sink.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/log.hpp>
#include <kubist/util/result.hpp>

#include "get_options.hpp"
#include "targets.hpp"

namespace kubist::cli {

/// `get` with the flags of get_flags(); `words` are kubectl's grammar. The result is the exit code.
util::Result<int> run_get(Context& context, const Arguments& arguments,
                          const std::vector<std::string>& words);

/// What a `get` works with.
struct GetRun {
  kube::Client& client;
  Sink& out;
  const util::Log& log;
  std::stop_token stop;
  const GetOptions& options;
  std::string ns;  ///< the namespace in effect
};

/// Prints Tables as the server makes them. What exists is printed; the errors come back together.
util::Result<> get_tables(const GetRun& run, const Targets& targets);
/// Prints objects in the formats for machines.
util::Result<> get_objects(const GetRun& run, const Targets& targets);
/// Lists one target, then prints each change until stop, in any format. Resumes what the server
/// closes; after an expired watch only what changed meanwhile is printed.
util::Result<> get_watch(const GetRun& run, const Targets& targets);

/// One error for all that went wrong.
util::Result<> combined(std::vector<util::Error> errors);

}  // namespace kubist::cli
