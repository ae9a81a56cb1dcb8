#pragma once
#include <memory>
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

/// What a `get` asks of one cluster.
struct GetPart {
  std::shared_ptr<kube::Client> client;
  Targets targets;
  std::string context;  ///< named in what is printed; empty: the one in effect
  std::string ns = {};  ///< the namespace in effect
};

/// What a `get` works with.
struct GetRun {
  Sink& out;
  const util::Log& log;
  std::stop_token stop;
  const GetOptions& options;
  std::vector<GetPart> parts;            ///< one, or one of each context that answers
  std::vector<util::Error> errors = {};  ///< of contexts that do not
};

/// Prints Tables as the server makes them. What exists is printed; the errors come back together.
util::Result<> get_tables(const GetRun& run);
/// Prints objects in the formats for machines; those of contexts with k_context_annotation.
util::Result<> get_objects(const GetRun& run);
/// Lists the one target of the one part, then prints each change until stop, in any format. Resumes
/// what the server closes; after an expired watch only what changed meanwhile is printed.
util::Result<> get_watch(const GetRun& run);

/// One error for all that went wrong.
util::Result<> combined(std::vector<util::Error> errors);

}  // namespace kubist::cli
