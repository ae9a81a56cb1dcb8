#include <optional>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/executors/connections.hpp>
#include <kubist/executors/object_source.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/setup/target.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/key_pair.hpp>
#include <kubist/util/text.hpp>

#include "../cluster_report.hpp"
#include "../output/document.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;

constexpr int k_forbidden = 403;

util::Result<Json> named_cluster(Context& context, kube::Client& home, const std::string& ns,
                                 const std::string& name) {
  const auto kind =
      executors::resource_of(*resources::find_kind(resources::k_kubist_group, "Cluster"));
  return home.json(kube::get(kind, ns, name), context.stop());
}

/// The kubeconfig of its Secret; nothing where it cannot be had: who connects says why.
std::optional<kube::ClusterAccess> access_of(Context& context, kube::Client& home,
                                             const Json& cluster) {
  const resources::ObjectView view(cluster);
  const Json& ref = data::object_at(view.spec(), {"kubeconfigSecretRef"});
  const auto secret = home.find(kube::well_known::secrets(), view.ns(),
                                data::string_at(ref, {"name"}), context.stop());
  const std::string key(data::string_at(ref, {"key"}, resources::k_default_kubeconfig_key));
  const auto text = util::base64_decode(secret && *secret ? data::string_at(**secret, {"data", key})
                                                          : std::string_view());
  auto access = kube::strict_access(text.value_or(""), "the kubeconfig");
  return access ? std::optional(*std::move(access)) : std::nullopt;
}

void read_times(const kube::ClusterAccess& access, ClusterReport& report) {
  report.server = access.server;
  report.by_secret = true;
  report.has_token = !access.auth.token.empty();
  report.token_end = setup::token_end(access.auth.token);
  report.certificate_end = util::certificates_end(access.auth.client_cert_pem);
  report.authority_end = util::certificates_end(access.ca_pem);
}

void ask_target(Context& context, kube::Client& target, ClusterReport& report) {
  const auto review = target.who_am_i(context.stop());
  if (!review) {
    return report.add(review.error());
  }
  report.user = data::string_at(*review, {"status", "userInfo", "username"});
  auto missing = setup::missing_rights(target, setup::target_role().at("rules"), context.stop());
  if (!missing) {
    return report.add(missing.error());
  }
  report.missing = *std::move(missing);
}

void print_text(Context& context, const ClusterReport& report) {
  print_table(context.out(), table_of(report, util::system_clock().now()));
  for (const ClusterReport::Problem& problem : report.problems) {
    context.out().write(cat("\nproblem: ", util::printable(problem.message), '\n',
                            problem.next.empty() ? "" : "  next: ", util::printable(problem.next),
                            problem.next.empty() ? "" : "\n"));
  }
}

util::Result<int> run_cluster_check(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto home, context.client());
  ClusterReport report;
  KUBIST_TRY(report.ns, context.ns());
  report.name = arguments.words()[0];
  KUBIST_CHECK(kube::check_name("name of a Cluster", report.name));
  KUBIST_TRY(const Json cluster, named_cluster(context, *home, report.ns, report.name));
  KUBIST_TRY(const auto allowed, executors::allowed_servers(*home, report.ns, context.stop()));
  const auto access = access_of(context, *home, cluster);
  if (access) {
    read_times(*access, report);
  }
  executors::Connections connections(home, "", context.client_options());
  const auto reached = connections.connect(cluster, allowed, true, context.stop());
  if (reached) {
    report.server = (*reached)->client->server();
    report.version = (*reached)->version.git_version;
    ask_target(context, *(*reached)->client, report);
  } else {
    report.add(reached.error());
  }
  // It answered, and lacks rights for the connection itself: all that are missing are of interest.
  if (!reached && access && reached.error().http_status == k_forbidden) {
    KUBIST_TRY(const auto client,
               connections.client_by(*access, allowed, "the kubeconfig", context.stop()));
    ask_target(context, *client, report);
  }
  report.judge(util::system_clock().now());
  KUBIST_TRY(const bool printed, print_document(context, to_json(report)));
  if (!printed) {
    print_text(context, report);
  }
  return report.problems.empty() ? k_ok : k_not_ready;
}

}  // namespace

CommandSpec cluster_check_command() {
  return {.path = "cluster check",
          .group = "Clusters",
          .summary = "Say whether a Cluster is reached, as whom, and which rights it lacks",
          .details =
              "Connects as a run does: by the kubeconfig of the Secret, to a server that the "
              "project may name. It prints the version, the user, when certificates and token end, "
              "and each right that kubist needs on a target and the user lacks, with the command "
              "that grants it. Nothing is written.\n\n"
              "Exits with 0 where all is well, 3 where something is not, and 1 where there is no "
              "such Cluster. The flags of connections are those of the home cluster.",
          .arguments = "NAME",
          .min_words = 1,
          .max_words = 1,
          .flags = {document_flag()},
          .examples = {{"Is the Cluster of project shop well?", "kubist cluster check eu -n shop"},
                       {"What is wrong, for programs",
                        "kubist cluster check eu -n shop -o jsonpath={.problems[*].message}"}},
          .run = run_cluster_check};
}

}  // namespace kubist::cli
