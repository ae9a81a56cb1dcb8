#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <kubist/runtimes/exec.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/result.hpp>

namespace kubist::executors {

/// The user's own settings on this machine, which nothing in a cluster can change:
///
///   exec:                        # what `runtime: {exec: NAME}` of a definition may run
///     NAME:
///       program: /usr/local/bin/owner-check    # absolute
///       args: [--strict]
///       sha256: "9f86d0..."      # of the file; checked before each run
///       timeout: 30s             # the default
///       memory: 4Gi              # the default: of address space, of which Go reserves much
///   contexts:                    # of the kubeconfig: what commands may do by them
///     NAME:
///       readOnly: true           # nothing is written
///       confirm: true            # a person types NAME before the first write
struct LocalConfig {
  std::filesystem::path file;  ///< where it was looked for
  std::map<std::string, runtimes::ExecProgram> programs;
  struct ContextRule {
    std::optional<util::SourcePos> read_only;  ///< where that is said
    std::optional<util::SourcePos> confirm;
  };
  std::map<std::string, ContextRule> contexts;
};

/// $KUBIST_CONFIG, else kubist/config.yaml below $XDG_CONFIG_HOME or .config of the home folder.
/// Empty where there is none of these.
std::filesystem::path local_config_file(const std::filesystem::path& home = util::home_folder());

/// Reads local_config_file(); none is an empty one, unless $KUBIST_CONFIG names it. Not_found,
/// forbidden (not readable, or others may write it: they would choose what runs), invalid as
/// parse_local_config().
util::Result<LocalConfig> read_local_config();

/// Invalid: no YAML, an unknown or missing field, a program that is not absolute; with line and
/// column. `origin` names the text.
util::Result<LocalConfig> parse_local_config(std::string_view text, const std::string& origin);

}  // namespace kubist::executors
