#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/logs.hpp>
#include <kubist/kube/kubeconfig.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"

namespace kubist::cli {
namespace {

const kube::ApiResource& clusters() {
  static const kube::ApiResource resource{.group = "kubist.io",
                                          .version = "v1alpha1",
                                          .kind = "Cluster",
                                          .plural = "clusters",
                                          .singular = "cluster",
                                          .short_names = {},
                                          .categories = {},
                                          .verbs = {},
                                          .subresources = {},
                                          .namespaced = true};
  return resource;
}

/// A client for the Cluster object of that name, from its kubeconfig Secret.
util::Result<std::shared_ptr<kube::Client>> connect(Context& context, kube::Client& home,
                                                    const std::string& ns,
                                                    const std::string& name) {
  KUBIST_TRY(const data::Json cluster, home.json(kube::get(clusters(), ns, name), context.stop()));
  const std::string secret_name(data::string_at(cluster, {"spec", "kubeconfigSecretRef", "name"}));
  const auto key = data::string_at(cluster, {"spec", "kubeconfigSecretRef", "key"}, "value");
  KUBIST_TRY(const data::Json secret,
             home.json(kube::get(kube::well_known::secrets(), ns, secret_name), context.stop()));
  const std::string text = util::base64_decode(data::string_at(secret, {"data", key})).value_or("");
  KUBIST_TRY(auto access,
             kube::strict_access(text, util::cat("Secret ", ns, "/", secret_name, " key ", key)));
  return kube::Client::connect(std::move(access), context.client_options());
}

util::Result<int> run(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto home, context.client());
  deployers::LogRequest request;
  KUBIST_TRY(request.ns, context.ns());
  request.item = arguments.words()[0];
  request.follow = arguments.boolean("follow");
  const long long previous = arguments.number("previous");
  if (previous < 0) {
    return util::fail(util::ErrorKind::usage, "--previous must be 0 or more");
  }
  request.previous = static_cast<std::size_t>(previous);
  request.connect = [&](const std::string& name) {
    return connect(context, *home, request.ns, name);
  };
  KUBIST_CHECK(deployers::read_item_log(
      home, request,
      [&](std::string_view line) {
        context.out().write(util::cat(line, "\n"));
        if (request.follow) {
          context.out().flush();
        }
        return !context.out().closed();
      },
      context.stop()));
  return k_ok;
}

}  // namespace

const CommandSpec& deployitem_logs_command() {
  static const CommandSpec spec{
      .path = "deployitem logs",
      .group = "DeployItems",
      .summary = "Print what the workload of a DeployItem wrote",
      .details =
          "While its pod runs the log is the pod's own. After that it is the tail that was kept "
          "(64 "
          "KiB of each of the last three runs), in which known secret values are replaced by ***.",
      .arguments = "NAME",
      .min_words = 1,
      .max_words = 1,
      .completes = Completes::deploy_items,
      .flags = {{"follow", 'f', FlagKind::boolean, "", "go on until the run ends"},
                {"previous", 'p', FlagKind::number, "N", "the run N runs ago, from what is kept",
                 "0"}},
      .examples = {{"The last run", "kubist deployitem logs hello-greet -n quickstart"},
                   {"Follow the run that has begun", "kubist deployitem logs -f hello-greet"}},
      .run = run};
  return spec;
}

}  // namespace kubist::cli
