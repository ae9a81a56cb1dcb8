#include "istio_install.hpp"

#include <kubist/cli/exit_codes.hpp>
#include <kubist/http/fetch.hpp>
#include <kubist/istio/install.hpp>
#include <kubist/istio/render.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/util/text.hpp>

#include "dry_run.hpp"
#include "istio_flags.hpp"

namespace kubist::cli {

using util::cat;

namespace {

istio::InstallOptions install_options(Context& context, const Arguments& arguments,
                                      kube::DryRun dry_run) {
  istio::InstallOptions options;
  options.adopt = arguments.boolean("adopt");
  options.writer = kube::Writer({.dry_run = dry_run});
  options.timeout = arguments.duration("timeout");
  options.on_stage = [&context](istio::Stage stage) {
    context.log().line(cat("stage: ", istio::to_string(stage)));
  };
  options.on_progress = [&context](std::string_view text) { context.log().line(text); };
  options.on_result = result_lines(context, dry_run);
  return options;
}

util::Result<istio::Source> rendered(Context& context, const Arguments& arguments) {
  istio::Rendering rendering;
  rendering.image = arguments.text("render");
  rendering.args = arguments.words();
  rendering.ns = arguments.text("render-namespace");
  rendering.on_progress = [&context](std::string_view text) { context.log().line(text); };
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(std::string printed, istio::render(*client, rendering, context.stop()));
  return istio::Source{source_name(rendering), arguments.text("sha256"), {}, std::move(printed)};
}

util::Result<istio::Source> named(Context& context, const Arguments& arguments) {
  if (arguments.words().size() != 1) {
    return util::fail(util::ErrorKind::usage,
                      cat("'kubist ", arguments.spec().path, "' needs one PATH, or --render IMAGE"),
                      cat("See 'kubist ", arguments.spec().path, " --help'."));
  }
  const auto fetch = [&context](const std::string& url) {
    return http::fetch(context.client_options().engine, url, istio::k_max_bundle_bytes,
                       context.stop());
  };
  return istio::Source{arguments.words().front(), arguments.text("sha256"), fetch, {}};
}

}  // namespace

std::vector<Flag> bundle_flags() {
  return {{"sha256", 0, FlagKind::text, "HASH",
           "what the file, archive or URL must have; of a folder, what 'sha256sum * | sha256sum' "
           "prints for its manifests"},
          {"render", 0, FlagKind::text, "IMAGE",
           "instead of PATH: what a Job in the cluster prints that runs IMAGE, as "
           "docker.io/istio/istioctl:1.31.0"},
          {"render-namespace", 0, FlagKind::text, "NAMESPACE", "where that Job is", "default",
           Completes::namespaces},
          {"version", 0, FlagKind::text, "VERSION", "what the manifests must be of, as 1.30.3"},
          {"revision", 0, FlagKind::text, "REVISION", "what the manifests must be of"}};
}

util::Result<istio::Bundle> read_bundle(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const istio::Source source,
             arguments.given("render") ? rendered(context, arguments) : named(context, arguments));
  return istio::read_bundle(source, {arguments.text("version"), arguments.text("revision")});
}

std::vector<Flag> install_flags() {
  std::vector<Flag> flags = bundle_flags();
  flags.insert(
      flags.end(),
      {{"adopt", 0, FlagKind::boolean, "", "take over what another installer or person owns"},
       choice_flag("dry-run", 0, "MODE", "only check, and say what would be done: none or client",
                   "none", {"none", "client"}, "client"),
       {"timeout", 0, FlagKind::duration, "DURATION", "wait this long for each stage", "5m"},
       supported_flag()});
  return flags;
}

util::Result<int> run_install(Context& context, const Arguments& arguments, bool upgrade) {
  KUBIST_TRY(const istio::SupportTable support, support_of(arguments));
  KUBIST_TRY(const kube::DryRun dry_run, dry_run_of(arguments));
  KUBIST_TRY(const istio::Bundle bundle, read_bundle(context, arguments));
  istio::InstallOptions options = install_options(context, arguments, dry_run);
  options.upgrade = upgrade;
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const istio::InstallOutcome outcome,
             istio::install(*client, bundle, options, support, context.stop()));
  if (!outcome.obstacles.empty()) {
    return util::fail(istio::refusal(outcome.obstacles));
  }
  if (!options.writer.dry()) {
    context.out().write(cat("Istio: ", istio::to_string(outcome.verdict.verdict), ", ",
                            util::printable(istio::summary(outcome.verdict)), '\n'));
  }
  return k_ok;
}

}  // namespace kubist::cli
