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
  return util::fail(
      ErrorKind::denied,
      cat("config.serviceAccountName: the project does not allow its items the account ", account),
      "An administrator allows it in the Project's spec.items.serviceAccounts.",
      "AccountNotAllowed");
}

util::Result<> make_account_token(World& world, const kube::Target& target, const Item& item,
                                  const Workload& workload, const Job& job, const PodNames& names) {
  const std::string& account = workload.service_account;
  const auto& secrets = kube::well_known::secrets();
  KUBIST_CHECK(check_account(workload, job.place));
  KUBIST_CHECK(remove_account_token(world, target, job, names));
  KUBIST_TRY(const Json secret,
             world.writer.create(target, secrets, empty_secret(item, job, names.token_secret)));
  const Json bound{{"apiVersion", "v1"},
                   {"kind", "Secret"},
                   {"name", names.token_secret},
                   {"uid", data::string_at(secret, {"metadata", "uid"})}};
  const Json request{
      {"apiVersion", "authentication.k8s.io/v1"},
      {"kind", "TokenRequest"},
      {"spec",
       {{"expirationSeconds", seconds_needed(job, world.settings)}, {"boundObjectRef", bound}}}};
  kube::ApiCall call = kube::create_subresource(kube::well_known::service_accounts(), job.place.ns,
                                                account, "token", request);
  call.permit = world.writer.rules().permit;
  const auto answer = target.client.json(call, world.stop);
  if (!answer && answer.error().kind == ErrorKind::not_found) {
    return util::fail(ErrorKind::not_found,
                      cat("config.serviceAccountName: ServiceAccount ", job.place.ns, "/", account,
                          " does not exist"),
                      "", "AccountNotFound");
  }
  if (!answer) {
    return util::fail(answer.error());
  }
  const Json data{{"token", util::base64_encode(data::string_at(*answer, {"status", "token"}))},
                  {"namespace", util::base64_encode(job.place.ns)}};
  KUBIST_CHECK(world.writer.patch(target, secrets, job.place.ns, names.token_secret,
                                  kube::PatchType::merge, {{"data", data}}));
  return {};
}

util::Result<> remove_account_token(World& world, const kube::Target& target, const Job& job,
                                    const PodNames& names) {
  KUBIST_CHECK(
      world.writer.remove(target, kube::well_known::secrets(), job.place.ns, names.token_secret));
  return {};
}

}  // namespace kubist::deployers
