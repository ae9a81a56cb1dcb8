#include "target_token.hpp"

#include <kubist/apply/wait_for.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/kubeconfig.hpp>
#include <kubist/kube/namespaces.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/text.hpp>

namespace kubist::setup {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

util::Result<apply::WaitCondition> has_token() {
  apply::WaitCondition condition;
  condition.kind = apply::WaitCondition::Kind::jsonpath;
  condition.text = "jsonpath={.data.token}";
  condition.any_value = true;
  KUBIST_TRY(condition.path, data::JsonPath::compile("{.data.token}"));
  return condition;
}

/// As whom the server knows the client: a new token is refused until the server has seen it.
util::Result<std::string> user_of(kube::Client& client, const std::stop_token& stop) {
  constexpr int k_tries = 25;
  for (int tries = 1;; ++tries) {
    const auto review = client.who_am_i(stop);
    if (review) {
      return std::string(data::string_at(*review, {"status", "userInfo", "username"}));
    }
    if (review.error().http_status != 401 || tries == k_tries ||
        !util::sleep_for(std::chrono::milliseconds(200), stop)) {
      return util::fail(review.error());
    }
  }
}

}  // namespace

util::Result<util::Secret> present_token(kube::Client& target, const TargetAccount& account,
                                         const std::string& token_secret,
                                         const std::stop_token& stop) {
  KUBIST_TRY(const auto secret,
             target.find(kube::well_known::secrets(), account.ns, token_secret, stop));
  const auto token = util::base64_decode(secret ? data::string_at(*secret, {"data", "token"})
                                                : std::string_view());
  return util::Secret(token.value_or(""));
}

util::Result<util::Secret> wait_for_token(kube::Client& target, const TargetAccount& account,
                                          const std::string& token_secret,
                                          std::chrono::nanoseconds timeout,
                                          const std::stop_token& stop) {
  apply::WaitForOptions options;
  KUBIST_TRY(auto condition, has_token());
  options.conditions.push_back(std::move(condition));
  options.on_met = [](const kube::ApiResource&, const std::string&) {};
  if (timeout.count() > 0) {
    options.timeout = timeout;
  }
  const auto waited = apply::wait_for(
      target, {{kube::well_known::secrets(), account.ns, {token_secret}}}, options, stop);
  if (!waited) {
    util::Error error = util::with_context(
        waited.error(),
        cat("no token came into Secret ", account.ns, '/', token_secret, " on ", target.server()));
    if (error.kind == ErrorKind::timeout) {
      error.hint =
          "The token controller of kube-controller-manager fills it: does it run there? Then run "
          "this again.";
    }
    return util::fail(std::move(error));
  }
  return present_token(target, account, token_secret, stop);
}

util::Result<std::shared_ptr<kube::Client>> try_kubeconfig(const std::string& kubeconfig,
                                                           const TargetAccount& account,
                                                           const ConnectTo& connect,
                                                           const std::stop_token& stop) {
  KUBIST_TRY(auto access, kube::strict_access(kubeconfig, "the new kubeconfig"));
  KUBIST_TRY(auto client, connect(std::move(access)));
  const auto user = user_of(*client, stop);
  if (!user) {
    return util::fail(util::with_context(user.error(), "trying the new token"));
  }
  if (*user != account.user()) {
    return util::fail(ErrorKind::forbidden,
                      cat("trying the new token: ", client->server(), " knows it as ",
                          user->empty() ? "nobody" : *user, ", not as ", account.user()),
                      "Is something between kubist and that server?");
  }
  return client;
}

util::Result<ClusterName> cluster_name(kube::Client& home, const std::string& ns,
                                       const std::string& name, const std::stop_token& stop) {
  KUBIST_TRY(std::string uid, kube::cluster_uid(home, stop));
  return ClusterName{std::move(uid), ns, name};
}

util::Result<> check_same_cluster(const Json* cluster, kube::Client& target,
                                  const std::stop_token& stop) {
  const std::string_view known = cluster == nullptr
                                     ? std::string_view()
                                     : data::string_at(*cluster, {"status", "kubeSystemUID"});
  if (known.empty()) {
    return {};
  }
  KUBIST_TRY(const std::string uid, kube::cluster_uid(target, stop));
  if (uid == known) {
    return {};
  }
  return util::fail(ErrorKind::invalid,
                    cat("Cluster ", resources::ObjectView(*cluster).name(), " is another cluster (",
                        known, ") than ", target.server(), " (", uid, ')'),
                    "Name another context, or another Cluster.");
}

util::Result<apply::Admission> admit_registered(const Json& wanted, const Json* live) {
  if (live == nullptr) {
    return apply::Admission{};
  }
  const resources::ObjectView view(*live);
  const bool ours = view.label(resources::k_managed_by_label) == "kubist";
  const std::string_view owner = resources::ObjectView(wanted).annotation(k_registered_by);
  if (ours && view.annotation(k_registered_by) == owner) {
    return apply::Admission{};
  }
  return util::fail(ErrorKind::conflict,
                    ours ? "it is of another project, or of another home cluster"
                         : "it is there, and kubist did not make it",
                    "--service-account and --account-namespace name another account.");
}

util::Result<> check_account(kube::Client& target, const TargetAccount& account,
                             const ClusterName& cluster, const std::stop_token& stop) {
  KUBIST_TRY(const auto live,
             target.find(kube::well_known::service_accounts(), account.ns, account.name, stop));
  if (live && admit_registered(account_object(account, cluster), &*live)) {
    return {};
  }
  return util::fail(
      ErrorKind::denied,
      cat("Secret ", cluster.ns, '/', kubeconfig_secret_name(cluster.name), " names the account ",
          account.user(), ", which kubist did not make on ", target.server(), " for namespace ",
          cluster.ns),
      "Has somebody changed the Secret's annotations? If not, delete the Secret, and run 'kubist "
      "cluster add' again.");
}

const kube::ApiResource& clusters() {
  static const auto resource =
      kube::make_resource("kubist.io", "v1alpha1", "Cluster", "clusters", true, {"status"});
  return resource;
}

}  // namespace kubist::setup
