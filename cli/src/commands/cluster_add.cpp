#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/setup/register.hpp>
#include <kubist/util/text.hpp>

#include "../cluster_ends.hpp"
#include "../dry_run.hpp"
#include "../output/document.hpp"
#include "../output/set_report.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using util::cat;
using util::ErrorKind;
using Place = setup::RegisterOptions::Place;

// Items may not read the Secret with the kubeconfig.
static_assert(setup::k_internal_label == deployers::k_internal_label);

bool is_change(const apply::ObjectResult& result) {
  return result.outcome == apply::Outcome::created || result.outcome == apply::Outcome::configured;
}

data::Json document_of(const setup::RegisterReports& reports) {
  return {{"target", reports.target_objects}, {"home", reports.home_objects}};
}

util::Result<int> run_cluster_add(Context& context, const Arguments& arguments) {
  if (arguments.text("context").empty()) {
    return util::fail(ErrorKind::usage, "'kubist cluster add' needs --context",
                      "It names the context of the cluster that is added; 'kubist config "
                      "get-contexts' lists them.");
  }
  KUBIST_CHECK(kube::check_name("name of a Cluster", arguments.words()[0]));
  KUBIST_TRY(const auto dry_run, dry_run_of(arguments));
  KUBIST_TRY(const ClusterEnds ends, cluster_ends(context));
  setup::RegisterOptions options;
  options.ns = ends.ns;
  options.name = arguments.words()[0];
  options.account = {arguments.text("account-namespace"), arguments.text("service-account")};
  options.in_any_namespace = arguments.given("account-namespace");
  options.access = ends.access;
  options.dry_run = dry_run;
  options.timeout = arguments.duration("timeout");
  options.connect = ends.connect;
  options.planned = [&](Place place, const apply::ObjectResult& result) {
    if (is_change(result)) {
      context.log().line(cat("will make ", display_name(result.ref), " on ",
                             (place == Place::home ? *ends.home : *ends.target).server()));
    }
  };
  const bool lines = arguments.text("output").empty();
  const std::string suffix(dry_run_suffix(dry_run));
  SetPrinter target(context, SetFormat::lines, cat(" on ", ends.access.context_name, suffix),
                    no_manifests());
  SetPrinter home(context, SetFormat::lines, suffix, no_manifests());
  options.done = [&](Place place, const apply::ObjectResult& result) {
    if (lines || !result.ok()) {
      (place == Place::home ? home : target).result(result);
    }
  };
  KUBIST_TRY(const setup::RegisterReports reports,
             setup::register_target(*ends.home, *ends.target, options, context.stop()));
  KUBIST_CHECK(print_document(context, document_of(reports)));
  KUBIST_TRY(const int code, target.finish(reports.target));
  return code == k_ok ? home.finish(reports.home) : code;
}

}  // namespace

CommandSpec cluster_add_command() {
  return {
      .path = "cluster add",
      .group = "Clusters",
      .summary = "Make another cluster a Cluster of a project",
      .details =
          "On the cluster of --context it makes a ServiceAccount, the ClusterRole kubist-target, "
          "its binding, and a Secret with a token that lives until it is rotated. It tries the "
          "token. Then it writes the Secret NAME-kubeconfig and the Cluster NAME into the "
          "project's "
          "namespace (-n) on the home cluster, which is the kubeconfig's current context or that "
          "of "
          "--home-context.\n\n"
          "It prints first what it will make. What is there and not of this Cluster is an error, "
          "before anything is written. A second run writes nothing. The kubeconfig has the server, "
          "its authority and tls-server-name of the context. No output has the token: -o prints "
          "*** instead.\n\n"
          "The flags of connections are those of the cluster that is added. "
          "docs/how-to/clusters.md has "
          "the rights of the account.",
      .arguments = "NAME",
      .min_words = 1,
      .max_words = 1,
      .flags = {home_context_flag(),
                {"account-namespace", 0, FlagKind::text, "NAME",
                 "namespace of the account there, also one that others made; it is made if it is "
                 "missing",
                 "kubist-system"},
                {"service-account", 0, FlagKind::text, "NAME",
                 "name of the account there; by default kubist- and the project's namespace"},
                dry_run_flag("write nothing: client or server"),
                {"timeout", 0, FlagKind::duration, "DURATION",
                 "how long to wait for the token; 0 means no limit", "60s"},
                document_flag("print the objects: json, yaml or jsonpath=TEMPLATE")},
      .examples = {{"What would be made?",
                    "kubist cluster add eu --context prod-eu -n shop --dry-run=client"},
                   {"Add it to project shop", "kubist cluster add eu --context prod-eu -n shop"}},
      .run = run_cluster_add};
}

}  // namespace kubist::cli
