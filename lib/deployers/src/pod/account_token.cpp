#include "pod/account_token.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

namespace kubist::deployers {
namespace {

using util::cat;
using util::ErrorKind;

/// As long as the job may take and its pod may end; the API server gives no less than 10 minutes.
std::int64_t seconds_needed(const Job& job, const Settings& settings) {
  constexpr std::int64_t k_least = 600;
  constexpr std::int64_t k_day = 86400;
  if (!job.remaining) {
    return k_day;
  }
  return std::max(k_least, job.remaining->count() + settings.termination_grace.count());
}

bool matches(std::string_view pattern, std::string_view name) {
  return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                                : name == pattern;
}

}  // namespace

bool is_allowed_account(const std::vector<std::string>& patterns, std::string_view account) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(pattern, account); });
}

util::Result<> check_account(const Workload& workload, const Place& place) {
  const std::string& account = workload.service_account;
  if (account.empty() || is_allowed_account(place.grants.accounts, account)) {
    return {};
  }
  util::Error error = util::make_error(
      ErrorKind::denied,
      cat("config.serviceAccountName: the project does not allow its items the account ", account),
      "An administrator allows it in the Project's spec.items.serviceAccounts.");
  error.reason = "AccountNotAllowed";
  return util::fail(std::move(error));
}

util::Result<> make_account_token(World& world, const Site& site, const Item& item,
                                  const Workload& workload, const Job& job,
                                  const PodNames& names) {
  const std::string& account = workload.service_account;
  const auto& secrets = kube::well_known::secrets();
  KUBIST_CHECK(check_account(workload, job.place));
  KUBIST_CHECK(remove_account_token(world, site, job, names));
  KUBIST_TRY(const Json secret,
             create(world, site, secrets, empty_secret(item, job, names.token_secret)));
  const Json bound{{"apiVersion", "v1"},
                   {"kind", "Secret"},
                   {"name", names.token_secret},
                   {"uid", data::string_at(secret, {"metadata", "uid"})}};
  const Json request{{"apiVersion", "authentication.k8s.io/v1"},
                     {"kind", "TokenRequest"},
                     {"spec",
                      {{"expirationSeconds", seconds_needed(job, world.settings)},
                       {"boundObjectRef", bound}}}};
  const auto answer = site.client.json(
      kube::create_subresource(kube::well_known::service_accounts(), job.place.ns, account,
                               "token", request),
      world.stop);
  if (!answer && answer.error().kind == ErrorKind::not_found) {
    util::Error error = util::make_error(
        ErrorKind::not_found, cat("config.serviceAccountName: ServiceAccount ", job.place.ns, "/",
                                  account, " does not exist"));
    error.reason = "AccountNotFound";
    return util::fail(std::move(error));
  }
  if (!answer) {
    return util::fail(answer.error());
  }
  const Json data{
      {"token", util::base64_encode(data::string_at(*answer, {"status", "token"}))},
      {"namespace", util::base64_encode(job.place.ns)}};
  KUBIST_CHECK(
      merge(world, site, secrets, job.place.ns, names.token_secret, {{"data", data}}));
  return {};
}

util::Result<> remove_account_token(World& world, const Site& site, const Job& job,
                                    const PodNames& names) {
  KUBIST_CHECK(remove(world, site, kube::well_known::secrets(), job.place.ns, names.token_secret));
  return {};
}

}  // namespace kubist::deployers
