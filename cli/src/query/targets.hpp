#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/apply/wait_for.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/result.hpp>

namespace kubist::cli {

/// Objects of one kind that a command is about.
using Target = apply::Selection;

struct Targets {
  std::vector<Target> list;
  /// Exactly one object is named: kubectl prints it bare, not in a List.
  bool single = false;
};

/// Where the words look.
struct TargetScope {
  std::string ns;               ///< the namespace in effect
  bool all_namespaces = false;  ///< -A
};

/// A kind by any word for it: what the server knows, then kubist's own familiar words ("vc"),
/// which help where the server has no better idea. not_found with a suggestion.
util::Result<kube::ApiResource> find_resource(kube::Client& client, const std::string& word,
                                              std::stop_token stop = {});

/// The same, but a category ("all") stands for those of its kinds that can be listed.
util::Result<std::vector<kube::ApiResource>> find_resources(kube::Client& client,
                                                            const std::string& word,
                                                            std::stop_token stop = {});

/// Do the words name objects, by TYPE NAME or TYPE/NAME, or only a type?
bool names_objects(const std::vector<std::string>& words);

/// kubectl's grammar: TYPE[,TYPE...] [NAME...] or TYPE/NAME...; categories ("all") stand for their
/// kinds. usage: no words, the two forms mixed, names with -A; invalid: a name that can be none
/// (kube::check_name), before anything is asked; not_found: an unknown type.
util::Result<Targets> find_targets(kube::Client& client, const std::vector<std::string>& words,
                                   const TargetScope& scope, std::stop_token stop = {});

}  // namespace kubist::cli
