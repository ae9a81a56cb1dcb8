#include <algorithm>
#include <iterator>

#include <kubist/apply/set.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/setup/register.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "target_token.hpp"

namespace kubist::setup {

using data::Json;
using util::cat;
using util::ErrorKind;
using Place = RegisterOptions::Place;

namespace {

constexpr const char* k_no_kubeconfig_yet = "# known when the token is\n";

/// One `cluster add`.
class Registration {
 public:
  Registration(kube::Client& home, kube::Client& target, const RegisterOptions& options,
               const std::stop_token& stop)
      : m_home(home), m_target(target), m_options(options), m_stop(stop) {}

  util::Result<RegisterReports> run() {
    KUBIST_CHECK(look());
    KUBIST_CHECK(plan());
    RegisterReports reports;
    reports.target_objects = objects(Place::target);
    reports.home_objects = objects(Place::home);
    reports.home_objects.front()["data"][std::string(resources::k_default_kubeconfig_key)] = "***";
    if (m_options.dry_run != kube::DryRun::none) {
      reports.target = apply_at(Place::target, m_options.dry_run, m_options.done);
      reports.home = apply_at(Place::home, m_options.dry_run, m_options.done);
      return reports;
    }
    reports.target = apply_at(Place::target, kube::DryRun::none, m_options.done);
    if (!reports.target.ok()) {
      return reports;
    }
    KUBIST_TRY(const util::Secret token,
               wait_for_token(m_target, m_account, m_token_secret, m_options.timeout, m_stop));
    KUBIST_TRY(m_kubeconfig, target_kubeconfig(m_options.access, token));
    KUBIST_CHECK(try_kubeconfig(m_kubeconfig, m_account, m_options.connect, m_stop));
    reports.home = apply_at(Place::home, kube::DryRun::none, m_options.done);
    return reports;
  }

 private:
  /// What is there: the registration, the Cluster, the token.
  util::Result<> look() {
    KUBIST_CHECK(check_namespace());
    KUBIST_TRY(m_cluster, cluster_name(m_home, m_options.ns, m_options.name, m_stop));
    KUBIST_TRY(const auto known, find_registered(m_home, m_options.ns, m_options.name, m_stop));
    KUBIST_CHECK(choose_account(known));
    if (known) {
      KUBIST_CHECK(check_known());
    }
    KUBIST_TRY(const auto cluster, m_home.find(clusters(), m_options.ns, m_options.name, m_stop));
    KUBIST_CHECK(check_same_cluster(cluster ? &*cluster : nullptr, m_target, m_stop));
    KUBIST_TRY(const auto token, present_token(m_target, m_account, m_token_secret, m_stop));
    // The way is judged before anything is written.
    KUBIST_TRY(m_kubeconfig,
               target_kubeconfig(m_options.access, token.empty() ? util::Secret("t") : token));
    m_kubeconfig = token.empty() ? k_no_kubeconfig_yet : m_kubeconfig;
    return {};
  }

  util::Result<> check_namespace() {
    const auto ns = m_home.find(kube::well_known::namespaces(), "", m_options.ns, m_stop);
    if (!ns && ns.error().kind != ErrorKind::forbidden) {
      return util::fail(ns.error());
    }
    return !ns || *ns
               ? util::Result<>{}
               : util::fail(ErrorKind::not_found,
                            cat("there is no namespace ", m_options.ns, " on ", m_home.server()),
                            "-n names the namespace of a Project.");
  }

  util::Result<> choose_account(const std::optional<Registered>& known) {
    m_account = m_options.account;
    if (m_account.name.empty()) {
      m_account.name = known ? known->account.name : own_account();
      m_account.ns = known ? known->account.ns : m_account.ns;
    }
    if (known && !(known->account == m_account)) {
      return util::fail(
          ErrorKind::conflict,
          cat("Cluster ", m_options.name, " has the account ", known->account.user(), " already"),
          "Leave out --service-account, or add a Cluster of another name.");
    }
    m_token_secret = known ? known->token_secret : first_token_secret(m_account, m_cluster);
    return {};
  }

  /// An account that only the Secret names is one that kubist made there already.
  util::Result<> check_known() {
    auto made = check_account(m_target, m_account, m_cluster, m_stop);
    m_known = made.has_value();
    const bool by_default = m_account == TargetAccount{m_options.account.ns, own_account()};
    const bool chosen = by_default || !m_options.account.name.empty();
    return !made && made.error().kind == ErrorKind::denied && chosen ? util::Result<>{} : made;
  }

  std::string own_account() const { return cat("kubist-", m_options.ns); }

  std::vector<Json> objects(Place place) const {
    return place == Place::target
               ? target_objects(m_account, m_cluster, m_token_secret)
               : std::vector<Json>{
                     kubeconfig_secret(m_cluster, m_account, m_token_secret, m_kubeconfig),
                     cluster_object(m_cluster)};
  }

  static util::Result<apply::Admission> admit_home(const Json& wanted, const Json* live) {
    if (live == nullptr || resources::ObjectView(wanted).kind() != "Cluster") {
      return apply::Admission{};  // the Secret was judged by find_registered()
    }
    const Json ref = data::object_at(*live, {"spec", "kubeconfigSecretRef"});
    const std::string_view name = data::string_at(ref, {"name"});
    const bool same = name == data::string_at(wanted, {"spec", "kubeconfigSecretRef", "name"}) &&
                      data::string_at(ref, {"key"}, resources::k_default_kubeconfig_key) ==
                          resources::k_default_kubeconfig_key;
    return same ? util::Result<apply::Admission>(apply::Admission{})
                : util::fail(ErrorKind::conflict,
                             name.empty()
                                 ? std::string("it is there, and names no Secret")
                                 : cat("it is there, and its kubeconfig is in Secret ", name),
                             "Choose another name for the new Cluster.");
  }

  /// Who owns a namespace reads its Secrets: a new token comes into one that kubist made for this
  /// home, or that the caller names.
  util::Result<apply::Admission> admit_target(const Json& wanted, const Json* live) const {
    auto admitted = admit_registered(wanted, live);
    if (admitted || resources::ObjectView(wanted).kind() != "Namespace") {
      return admitted;
    }
    if (m_known || m_options.in_any_namespace) {
      return apply::Admission{false, "it was there before"};
    }
    return util::fail(ErrorKind::conflict,
                      "it was there before, and who owns it could read the new token",
                      cat("If only administrators do, say so: --account-namespace ", m_account.ns));
  }

  apply::Report apply_at(Place place, kube::DryRun dry_run,
                         const std::function<void(Place, const apply::ObjectResult&)>& told) {
    std::vector<resources::Manifest> set;
    for (Json& object : objects(place)) {
      set.emplace_back().object = std::move(object);
    }
    apply::Options options;
    options.manager = k_register_manager;
    options.dry_run = dry_run;
    options.timeout = m_options.timeout;
    options.admit = [&](std::size_t index, const Json* live) {
      const Json& wanted = set[index].object;
      return place == Place::home ? admit_home(wanted, live) : admit_target(wanted, live);
    };
    options.on_result = [&](const apply::ObjectResult& result) {
      if (told) {
        told(place, result);
      }
    };
    return apply::apply_set(place == Place::home ? m_home : m_target, set, options, m_stop);
  }

  /// Everything that would be in the way is found before the first write.
  util::Result<> plan() {
    const bool told = m_options.dry_run == kube::DryRun::none;
    for (const Place place : {Place::target, Place::home}) {
      const apply::Report report =
          apply_at(place, kube::DryRun::client, told ? m_options.planned : nullptr);
      if (const auto error = report.error()) {
        return util::fail(first_cause(report).value_or(*error));
      }
    }
    return {};
  }

  /// The error of one object says more than that of the set.
  static std::optional<util::Error> first_cause(const apply::Report& report) {
    const auto bad = std::find_if(report.results.begin(), report.results.end(),
                                  [](const apply::ObjectResult& result) { return result.error; });
    if (bad == report.results.end()) {
      return std::nullopt;
    }
    return util::with_context(*bad->error, resources::to_key(bad->ref));
  }

  kube::Client& m_home;
  kube::Client& m_target;
  const RegisterOptions& m_options;
  const std::stop_token& m_stop;
  ClusterName m_cluster;
  TargetAccount m_account;
  bool m_known = false;  ///< it was added before, and the account is kubist's
  std::string m_token_secret;
  std::string m_kubeconfig;
};

}  // namespace

util::Result<std::optional<Registered>> find_registered(kube::Client& home, const std::string& ns,
                                                        const std::string& name,
                                                        const std::stop_token& stop) {
  const std::string secret_name = kubeconfig_secret_name(name);
  KUBIST_TRY(auto secret, home.find(kube::well_known::secrets(), ns, secret_name, stop));
  if (!secret) {
    return std::optional<Registered>();
  }
  const std::string account(resources::ObjectView(*secret).annotation(k_account_annotation));
  const std::string token(resources::ObjectView(*secret).annotation(k_token_annotation));
  const auto slash = account.find('/');
  if (slash == std::string::npos || !kube::check_name("namespace", account.substr(0, slash)) ||
      !kube::check_name("account", account.substr(slash + 1)) ||
      !kube::check_name("Secret", token)) {
    return util::fail(
        ErrorKind::conflict,
        cat("Secret ", ns, '/', secret_name, " is there, and 'kubist cluster add' did not make it"),
        "Choose another name for the Cluster, or delete the Secret.");
  }
  const auto text = util::base64_decode(
      data::string_at(*secret, {"data", std::string(resources::k_default_kubeconfig_key)}));
  KUBIST_TRY(auto access,
             kube::strict_access(text.value_or(""), cat("Secret ", ns, '/', secret_name)));
  return std::optional(Registered{{account.substr(0, slash), account.substr(slash + 1)},
                                  token,
                                  std::move(access),
                                  *std::move(secret)});
}

util::Result<RegisterReports> register_target(kube::Client& home, kube::Client& target,
                                              const RegisterOptions& options,
                                              const std::stop_token& stop) {
  return Registration(home, target, options, stop).run();
}

}  // namespace kubist::setup
