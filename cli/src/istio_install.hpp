#pragma once
#include <vector>

#include <kubist/cli/command.hpp>
#include <kubist/cli/context.hpp>
#include <kubist/istio/bundle.hpp>

/// What `kubist istio install`, `upgrade` and `diff` share.
namespace kubist::cli {

/// How these commands take their manifests: a path, or a program that prints them.
inline constexpr std::string_view k_bundle_words = "PATH | --render IMAGE [-- ARG...]";
/// What says which manifests are meant: --sha256, --render, --version, --revision.
std::vector<Flag> bundle_flags();
/// Reads them; with --render by a Job in the cluster.
util::Result<istio::Bundle> read_bundle(Context& context, const Arguments& arguments);

/// The flags of install and upgrade.
std::vector<Flag> install_flags();
util::Result<int> run_install(Context& context, const Arguments& arguments, bool upgrade);

}  // namespace kubist::cli
