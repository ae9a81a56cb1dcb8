#include "pod/pod_start.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/state/agent.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "pod/account_token.hpp"
#include "pod/security_limits.hpp"
#include "pod/state_claim.hpp"
#include "pod/state_secrets.hpp"

namespace kubist::deployers {
namespace {

using util::cat;
using util::ErrorKind;

/// KEP-753: native sidecars are on by default from 1.29.
util::Result<> check_version(World& world, const Place& place) {
  KUBIST_TRY(const auto version, place.client->version(world.stop));
  if (version.major > 1 || version.minor >= 29) {
    return {};
  }
  return util::fail(ErrorKind::invalid,
                    cat("the cluster behind ", place.client->server(), " runs Kubernetes ",
                        version.git_version, ", which has no native sidecars"),
                    "Container and script items need Kubernetes 1.29 or newer.",
                    "KubernetesTooOld");
}

util::Result<> make_account(World& world, const kube::Target& target, const Item& item,
                            const Job& job, const Workload& workload, const PodNames& names) {
  const auto objects = agent_account(item, workload, job, names);
  const Before before = before_job(item);
  KUBIST_CHECK(ensure(world, target, kube::well_known::service_accounts(), objects[0], before));
  KUBIST_CHECK(ensure(world, target, kube::well_known::roles(), objects[1], before));
  KUBIST_CHECK(ensure(world, target, kube::well_known::role_bindings(), objects[2], before));
  return {};
}

}  // namespace

util::Result<std::set<std::string>> check_secrets(const Workload& workload, const Job& job,
                                                  Redactor& redactor) {
  std::set<std::string> absent;
  for (const SecretUse& use : secrets_used(workload)) {
    KUBIST_TRY(const auto secret,
               job.place.client->find(kube::well_known::secrets(), job.place.ns, use.name));
    if (!secret) {
      if (use.optional) {
        absent.insert(use.name);
        continue;
      }
      return util::fail(
          ErrorKind::not_found,
          cat("config.", use.field, ": Secret ", job.place.ns, "/", use.name, " does not exist"),
          "", "SecretNotFound");
    }
    if (is_off_limits(resources::ObjectView(*secret))) {
      return util::fail(ErrorKind::invalid,
                        cat("config.", use.field, ": Secret ", job.place.ns, "/", use.name,
                            " is kubist's own or gives access to a cluster, items cannot have it"),
                        "", "SecretNotAllowed");
    }
    if (const Json* data = data::find_path(*secret, {"data"}); data != nullptr) {
      for (const auto& [key, value] : data->items()) {
        if (use.key.empty() || use.key == key) {
          redactor.add(util::base64_decode(data::string_at(value, {})).value_or(""));
        }
      }
    }
  }
  return absent;
}

util::Result<std::vector<Json>> item_pods(World& world, const Item& item, const Place& place) {
  kube::ListOptions options;
  options.label_selector = cat(k_item_label, "=", item.uid);
  KUBIST_TRY(auto pods,
             place.client->list(kube::well_known::pods(), place.ns, options, world.stop));
  return std::move(pods.items);
}

util::Result<std::vector<std::string>> delete_pods(World& world, const Item& item, const Job& job,
                                                   const std::string& keep) {
  KUBIST_TRY(const auto pods, item_pods(world, item, job.place));
  std::vector<std::string> names;
  for (const Json& pod : pods) {
    const resources::ObjectView view(pod);
    if (view.name() == keep) {
      continue;
    }
    names.emplace_back(view.name());
    if (view.deletion_timestamp().empty()) {
      KUBIST_CHECK(world.writer.remove({*job.place.client, job.place.cluster},
                                       kube::well_known::pods(), job.place.ns, names.back(),
                                       view.uid()));
    }
  }
  return names;
}

util::Result<Started> start_pod(World& world, const Item& item, const Workload& wanted,
                                const Job& job, const PodNames& names) {
  const Place& place = job.place;
  const kube::Target target{*place.client, place.cluster};
  if (world.settings.agent_image.empty()) {
    return util::fail(no_agent_image());
  }
  KUBIST_CHECK(check_version(world, place));
  KUBIST_CHECK(check_account(wanted, place));
  KUBIST_CHECK(check_security(wanted, place.grants));
  Redactor ignored;
  KUBIST_TRY(const auto absent, check_secrets(wanted, job, ignored));
  // The kubelet would mount one that comes later, and nobody would have looked at it.
  const Workload workload = without_secrets(wanted, absent);
  // A pod of an earlier job would save its state over ours.
  std::vector<std::string> older;
  if (before_job(item) != Before::absent) {
    KUBIST_TRY(older, delete_pods(world, item, job, names.pod));
  }
  if (!older.empty()) {
    Progress progress;
    progress.operation = "StartPod";
    progress.reason = "OldPod";
    progress.message =
        cat("waiting for pod ", place.ns, "/", older.front(), " of an earlier run to end");
    progress.watch = {{place.client, {kube::well_known::pods(), place.ns, older.front()}}};
    return Started{{}, std::move(progress)};
  }
  KUBIST_CHECK(make_account(world, target, item, job, workload, names));
  const Json input = input_secret(item, workload, job, names);
  KUBIST_CHECK(ensure_secret(world, target, input, before_job(item)));
  const auto& secrets = kube::well_known::secrets();
  KUBIST_CHECK(ensure(world, target, secrets, empty_secret(item, job, names.export_secret),
                      before_job(item)));
  state::Head head;
  if (workload.state_claim) {
    KUBIST_CHECK(ensure_state_claim(world, target, item, *workload.state_claim, job, names));
  } else {
    KUBIST_TRY(head, ensure_state_secrets(world, target, item, job, names, workload.state_limit));
  }
  if (!workload.service_account.empty()) {
    KUBIST_CHECK(make_account_token(world, target, item, workload, job, names));
  }
  const Json pod =
      build_pod(item, workload, job, names, world.settings, state::given_hash(input["data"]), head);
  auto made = world.writer.create(target, kube::well_known::pods(), pod);
  if (made) {
    return Started{*std::move(made), {}};
  }
  if (!kube::already_exists(made.error())) {
    return util::fail(
        util::with_context(made.error(), cat("starting pod ", place.ns, "/", names.pod)));
  }
  return Started{};
}

}  // namespace kubist::deployers
