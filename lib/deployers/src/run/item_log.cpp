#include <algorithm>
#include <array>
#include <mutex>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/handshake.hpp>
#include <kubist/deployers/logs.hpp>
#include <kubist/deployers/pod.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "item/log_store.hpp"
#include "item/requests.hpp"
#include "item/watcher.hpp"
#include "pod/pod_limits.hpp"
#include "pod/pod_status.hpp"

namespace kubist::deployers {
namespace {

using util::cat;
using LineHandler = std::function<bool(std::string_view)>;

/// Where the item's pod is; nothing when it has none (any more).
struct LivePod {
  std::shared_ptr<kube::Client> client;
  std::string ns, name;
  bool started = false;  ///< its workload has a log
  Json object = {};
};

util::Result<std::optional<LivePod>> find_pod(const std::shared_ptr<kube::Client>& home,
                                              const LogRequest& request, const Json& item,
                                              const std::stop_token& stop) {
  const Json& status = data::object_at(item, {"status"});
  LivePod pod{home, std::string(data::string_at(status, {"providerStatus", "podNamespace"})),
              std::string(data::string_at(status, {"providerStatus", "pod"}))};
  const std::string cluster(data::string_at(status, {"providerStatus", "podCluster"}));
  if (pod.name.empty() || !job_pending(status)) {
    return std::optional<LivePod>();
  }
  if (!cluster.empty()) {
    KUBIST_TRY(pod.client, request.connect(cluster));
  }
  KUBIST_TRY(const auto object, pod.client->find(kube::well_known::pods(), pod.ns, pod.name, stop));
  // Who may write the status may name any pod, which the caller may read and they may not.
  if (!object ||
      resources::ObjectView(*object).label(k_item_label) != resources::ObjectView(item).uid()) {
    return std::optional<LivePod>();
  }
  pod.started = terminated(*object, k_workload_container) != nullptr;
  if (const Json* statuses = data::find_path(*object, {"status", "containerStatuses"});
      statuses != nullptr && !statuses->empty()) {
    pod.started = pod.started || data::find_path((*statuses)[0], {"state", "running"}) != nullptr;
  }
  pod.object = *object;
  return std::optional(std::move(pod));
}

/// Values of a Secret that the pod names: of kubist's own those of the imports, and short ones,
/// such as a token; not what everybody may see of the item.
void add_values(Redactor& redactor, const Json& secret) {
  constexpr std::size_t k_longest = std::size_t{64} << 10U;  // what is longer is state
  const bool own = is_off_limits(resources::ObjectView(secret));
  const std::array shown{state::k_target_key, state::k_script_key, state::k_schema_key};
  for (const auto& [key, value] : data::object_at(secret, {"data"}).items()) {
    const std::string text = util::base64_decode(data::string_at(value, {})).value_or("");
    if (own && key == state::k_imports_key) {
      redactor.add_all(json_or_null(text));
    } else if (!own || (text.size() <= k_longest &&
                        std::find(shown.begin(), shown.end(), key) == shown.end())) {
      redactor.add(text);
    }
  }
}

/// For what the pod prints: the values of all Secrets that it names, whatever the item says by now.
/// The caller's rights count; without them the log is not shown.
util::Result<Redactor> redactor_of(const LivePod& pod, const std::stop_token& stop) {
  Redactor redactor;
  std::set<std::string> names;
  for (const SecretUse& use : secrets_used(pod.object)) {
    names.insert(use.name);
  }
  for (const std::string& name : names) {
    auto secret = pod.client->find(kube::well_known::secrets(), pod.ns, name, stop);
    if (!secret) {
      util::Error error =
          util::with_context(std::move(secret).error(),
                             "the log may have values of Secrets, which kubist must know to hide");
      error.hint = cat("To see it as it is: kubist logs ", pod.name, " -n ", pod.ns, " -c ",
                       k_workload_container);
      return util::fail(std::move(error));
    }
    if (*secret) {
      add_values(redactor, **secret);
    }
  }
  return redactor;
}

util::Result<> read_one(const LivePod& pod, std::string_view container, const LogRequest& request,
                        const LineHandler& on_line, const std::stop_token& stop) {
  kube::LogOptions options;
  options.container = container;
  options.follow = request.follow;
  options.timestamps = request.timestamps;
  options.since_seconds = request.since_seconds;
  options.tail_lines = request.tail_lines;
  return pod.client->follow_log(pod.ns, pod.name, options, on_line, stop);
}

/// All containers of the pod: side by side where they are followed, else in their order.
util::Result<> read_all(const LivePod& pod, const LogRequest& request, const LineHandler& on_line,
                        const std::stop_token& stop) {
  constexpr std::array k_containers{k_restore_container, k_workload_container, k_collect_container};
  std::array<util::Result<>, k_containers.size()> results;
  std::mutex mutex;
  const auto read = [&](std::size_t i) {
    results[i] = read_one(
        pod, k_containers[i], request,
        [&](std::string_view line) {
          const std::scoped_lock lock(mutex);
          return on_line(cat("[", k_containers[i], "] ", line));
        },
        stop);
  };
  util::for_each_index(k_containers.size(), request.follow ? k_containers.size() : 1, read);
  return results[1];  // an agent that has nothing to say, or is gone, is no error
}

util::Result<> print_kept(kube::Client& home, const LogRequest& request, const LineHandler& on_line,
                          const std::stop_token& stop) {
  KUBIST_TRY(const auto logs, kept_logs(home, request.ns, request.item, stop));
  if (logs.size() <= request.previous) {
    return util::fail(util::ErrorKind::not_found,
                      logs.empty() ? cat("DeployItem ", request.item, " has no log yet")
                                   : cat("only the logs of ", logs.size(), " runs of DeployItem ",
                                         request.item, " are kept"));
  }
  std::string_view text = logs[request.previous].text;
  std::string tail;
  if (request.tail_lines) {
    tail = tail_of(text, text.size(), static_cast<std::size_t>(*request.tail_lines));
    text = tail;
  }
  if (text.ends_with('\n')) {
    text.remove_suffix(1);
  }
  if (text.empty()) {
    return {};
  }
  for (const std::string& line : util::split(text, '\n')) {
    if (!on_line(line)) {
      break;
    }
  }
  return {};
}

}  // namespace

util::Result<> read_item_log(std::shared_ptr<kube::Client> home, const LogRequest& request,
                             const LineHandler& on_line, std::stop_token stop) {
  Watcher watcher(stop);
  while (true) {
    KUBIST_TRY(const Json item,
               home->json(kube::get(deploy_items(), request.ns, request.item), stop));
    const Json status = item.value("status", Json::object());
    if (request.previous > 0) {
      return print_kept(*home, request, on_line, stop);
    }
    KUBIST_TRY(const auto pod, find_pod(home, request, item, stop));
    if (pod && pod->started) {
      KUBIST_TRY(const Redactor redactor, redactor_of(*pod, stop));
      const LineHandler redacted = [&](std::string_view line) {
        return on_line(redactor.redact(line));
      };
      return request.all_containers ? read_all(*pod, request, redacted, stop)
                                    : read_one(*pod, k_workload_container, request, redacted, stop);
    }
    if (!request.follow || !job_pending(status) || stop.stop_requested()) {
      return print_kept(*home, request, on_line, stop);
    }
    std::vector<WatchRequest> watches{{home, {deploy_items(), request.ns, request.item}}};
    if (pod) {
      watches.push_back({pod->client, {kube::well_known::pods(), pod->ns, pod->name}});
    }
    watcher.set(watches);
    KUBIST_CHECK(watcher.wait({}));
  }
}

}  // namespace kubist::deployers
