#include <algorithm>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/istio/install.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"

namespace kubist::cli {
namespace {

using util::cat;

// One error of all that stands in the way; its kind is that of the first.
util::Error refusal(const std::vector<istio::Obstacle>& obstacles) {
  const auto foreign = [](const istio::Obstacle& each) {
    return each.code.starts_with("foreign-owner:");
  };
  const bool conflict = std::any_of(obstacles.begin(), obstacles.end(), foreign);
  util::Error error =
      util::make_error(conflict ? util::ErrorKind::conflict : util::ErrorKind::invalid,
                       cat("nothing was written: ", obstacles.size(), " things stand in the way"));
  for (const istio::Obstacle& each : obstacles) {
    error.details.push_back(util::make_error(
        error.kind, cat(util::printable(each.code), ": ", util::printable(each.message)),
        util::printable(each.next)));
  }
  return error;
}

istio::InstallOptions install_options(Context& context, const Arguments& arguments) {
  istio::InstallOptions options;
  options.adopt = arguments.boolean("adopt");
  options.dry_run = arguments.text("dry-run") == "client";
  options.timeout = arguments.duration("timeout");
  options.on_stage = [&context](istio::Stage stage) {
    context.log().line(cat("stage: ", istio::to_string(stage)));
  };
  options.on_progress = [&context](std::string_view text) {
    context.log().line(util::printable(text));
  };
  const std::string suffix = options.dry_run ? " (dry run)" : "";
  options.on_result = [&context, suffix](const apply::ObjectResult& result) {
    context.out().write(cat(util::printable(util::lower(result.ref.kind)), '/',
                            util::printable(result.ref.name), ' ', apply::to_string(result.outcome),
                            suffix, '\n'));
    context.out().flush();
  };
  return options;
}

util::Result<int> run(Context& context, const Arguments& arguments) {
  istio::SupportTable support = istio::built_in_support();
  if (const std::string file = arguments.text("supported"); !file.empty()) {
    KUBIST_TRY(support, istio::read_support(file));
  }
  KUBIST_TRY(const istio::Bundle bundle,
             istio::read_bundle({arguments.words().front(), arguments.text("sha256")},
                                {arguments.text("version"), arguments.text("revision")}));
  const istio::InstallOptions options = install_options(context, arguments);
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const istio::InstallOutcome outcome,
             istio::install(*client, bundle, options, support, context.stop()));
  if (!outcome.obstacles.empty()) {
    return util::fail(refusal(outcome.obstacles));
  }
  if (!options.dry_run) {
    context.out().write(cat("Istio: ", istio::to_string(outcome.verdict.verdict), ", ",
                            util::printable(istio::summary(outcome.verdict)), '\n'));
  }
  return k_ok;
}

}  // namespace

const CommandSpec& istio_install_command() {
  static const CommandSpec spec{
      .path = "istio install",
      .group = "Istio",
      .summary = "Install Istio from its manifests, in order, and prove that it works",
      .details =
          "PATH is a file, or a folder of files, as 'istioctl manifest generate' or 'helm "
          "template' "
          "prints them: one revision, whole, and of nothing but Istio. Nothing is written before "
          "everything is checked: the source, the versions, other owners, injectors that would "
          "overlap, and the caller's rights.\n\n"
          "Then come namespace, CRDs, rights and configuration, istiod, its webhooks once it "
          "answers, "
          "the CNI plugin, ztunnel and gateways, each stage when the one before is ready; at last "
          "'istio check' has to find it ready. What is unchanged is not written, so a second run "
          "writes nothing, and one that was interrupted goes on. What istiod writes into its "
          "webhooks "
          "is left alone. Objects of an earlier version that the manifests no longer have stay.",
      .arguments = "PATH",
      .min_words = 1,
      .max_words = 1,
      .completes = Completes::files,
      .flags =
          {{"sha256", 0, FlagKind::text, "HASH",
            "what the file must have; of a folder, what 'sha256sum * | sha256sum' prints for its "
            "manifests"},
           {"version", 0, FlagKind::text, "VERSION", "what the manifests must be of, as 1.30.3"},
           {"revision", 0, FlagKind::text, "REVISION", "what the manifests must be of"},
           {"adopt", 0, FlagKind::boolean, "", "take over what another installer or person owns"},
           {"dry-run",
            0,
            FlagKind::optional,
            "MODE",
            "only check, and say what would be done: none or client",
            "none",
            Completes::choices,
            "client",
            {"none", "client"}},
           {"timeout", 0, FlagKind::duration, "DURATION", "wait this long for each stage", "5m"},
           {"supported", 0, FlagKind::text, "FILE",
            "releases that are supported, where the built-in table is out of date", "",
            Completes::files}},
      .examples = {{"Install what istioctl prints",
                    "istioctl manifest generate > istio.yaml && kubist istio install istio.yaml"},
                   {"Only what was reviewed",
                    "kubist istio install istio.yaml --sha256 $(cat istio.sha256)"}},
      .needs = Needs::cluster,
      .run = run};
  return spec;
}

}  // namespace kubist::cli
