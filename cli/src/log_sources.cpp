#include "log_sources.hpp"

#include <algorithm>
#include <tuple>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/watch.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/resources/selector.hpp>
#include <kubist/util/deadline.hpp>
#include <kubist/util/text.hpp>

#include "query/selectors.hpp"
#include "query/targets.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;

const kube::ApiResource& pods() { return kube::well_known::pods(); }

/// The selector of the pods that the object stands for.
util::Result<std::string> selector_of(const kube::ApiResource& resource, const Json& object) {
  const Json& selector = data::object_at(object, {"spec", "selector"});
  const bool is_map = resource.group.empty() &&
                      (resource.kind == "Service" || resource.kind == "ReplicationController");
  const bool has_pods = is_map || resource.group == "apps" || resource.kind == "Job";
  if (!has_pods || selector.empty()) {
    return util::fail(ErrorKind::invalid,
                      cat(resource.group_resource(), " \"", resources::ObjectView(object).name(),
                          "\" has no pods of which it could be the logs"),
                      "Name a pod, a workload such as deployment/web, or pods by -l.");
  }
  if (is_map) {
    return resources::label_text(selector);
  }
  KUBIST_TRY(const auto parsed, resources::LabelSelector::from_json(selector));
  return parsed.to_string();
}

util::Result<std::vector<Json>> list_pods(kube::Client& client, const std::string& ns,
                                          const std::string& selector,
                                          const std::stop_token& stop) {
  kube::ListOptions options;
  options.label_selector = selector;
  options.max_memory = kube::k_max_command_list_memory;
  KUBIST_TRY(auto found, client.list(pods(), ns, options, stop));
  return std::move(found.items);
}

/// Returns when the first pod is there.
util::Result<> await_pod(kube::Client& client, const std::string& ns, const std::string& selector,
                         const util::Deadline& deadline) {
  kube::WatchOptions watch;
  watch.resource = pods();
  watch.ns = ns;
  watch.label_selector = selector;
  bool found = false;
  const auto watched = kube::watch(
      client, watch,
      [&](const kube::WatchEvent& event) {
        found =
            event.type == kube::WatchEventType::listed || event.type == kube::WatchEventType::added;
        return found ? util::fail(ErrorKind::cancelled, "it is there") : util::Result<>{};
      },
      deadline.token());
  if (found || !watched) {
    return found ? util::Result<>{} : watched;
  }
  return deadline.cut_short(cat("no pod of ", selector, " came"),
                            "--pod-running-timeout says how long to wait for one.");
}

/// The pods of TYPE/NAME, the first one first; one of them without --all-pods.
util::Result<std::vector<Json>> workload_pods(Context& context, const Arguments& arguments,
                                              const std::string& ns, const std::string& word) {
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const Targets targets, find_targets(*client, {word}, {ns}, context.stop()));
  const Target& target = targets.list.at(0);
  KUBIST_TRY(Json object, client->json(kube::get(target.resource, target.ns, target.names.at(0)),
                                       context.stop()));
  if (target.resource.kind == "Pod" && target.resource.group.empty()) {
    return std::vector<Json>{std::move(object)};
  }
  KUBIST_TRY(const std::string selector, selector_of(target.resource, object));
  KUBIST_TRY(auto found, list_pods(*client, ns, selector, context.stop()));
  if (found.empty()) {
    const util::Deadline deadline(arguments.duration("pod-running-timeout"), context.stop());
    KUBIST_CHECK(await_pod(*client, ns, selector, deadline));
    KUBIST_TRY(found, list_pods(*client, ns, selector, context.stop()));
  }
  sort_for_logs(found);
  if (found.size() > 1 && !arguments.boolean("all-pods")) {
    context.log().line(
        cat("Found ", found.size(), " pods, using pod/", resources::ObjectView(found[0]).name()));
    found.resize(1);
  }
  return found;
}

std::vector<std::string> names_in(const Json& pod, std::string_view list) {
  std::vector<std::string> names;
  for (const Json& container : data::array_at(pod, {"spec", list})) {
    names.emplace_back(data::string_at(container, {"name"}));
  }
  return names;
}

/// "main, side, init (init)", as kubectl lists them.
std::string container_list(const Json& pod) {
  std::vector<std::string> all = names_in(pod, "containers");
  for (const std::string& name : names_in(pod, "ephemeralContainers")) {
    all.push_back(cat(name, " (ephem)"));
  }
  for (const std::string& name : names_in(pod, "initContainers")) {
    all.push_back(cat(name, " (init)"));
  }
  return util::join(all, ", ");
}

/// All of them in the order in which they start.
std::vector<std::string> all_containers(const Json& pod) {
  std::vector<std::string> all;
  for (const char* list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (std::string& name : names_in(pod, list)) {
      all.push_back(std::move(name));
    }
  }
  return all;
}

/// The one that is asked for, that the pod says is meant, or the first.
util::Result<std::string> container_of(Context& context, const Json& pod,
                                       const std::string& asked) {
  const resources::ObjectView view(pod);
  const auto all = all_containers(pod);
  const auto has = [&](std::string_view name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  const std::string_view said = view.annotation("kubectl.kubernetes.io/default-container");
  const auto first = names_in(pod, "containers");
  if (asked.empty() && (has(said) || !first.empty())) {
    const std::string chosen = has(said) ? std::string(said) : first[0];
    if (!has(said) && all.size() > 1) {
      context.log().line(cat("Defaulted container \"", chosen, "\" out of: ", container_list(pod)));
    }
    return chosen;
  }
  return has(asked) ? util::Result<std::string>(asked)
                    : util::fail(ErrorKind::not_found,
                                 cat("container ", asked, " is not valid for pod ", view.name()),
                                 cat("It has: ", container_list(pod), "."));
}

util::Result<std::string> asked_container(const Arguments& arguments) {
  const std::string flag = arguments.text("container");
  const bool inline_word = arguments.words().size() > 1;
  if (inline_word && !flag.empty()) {
    return util::fail(ErrorKind::usage, "only one of -c or an inline [CONTAINER] is allowed");
  }
  const std::string asked = inline_word ? arguments.words()[1] : flag;
  if (!asked.empty() && arguments.boolean("all-containers")) {
    return util::fail(ErrorKind::usage,
                      cat("--all-containers and the container \"", asked, "\" exclude each other"));
  }
  return asked;
}

util::Result<std::vector<Json>> named_pods(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const std::string ns, context.ns());
  KUBIST_TRY(const std::string selector, label_selector(arguments));
  if (selector.empty() == arguments.words().empty()) {
    return util::fail(ErrorKind::usage,
                      selector.empty() ? "'kubist logs' needs a POD, a TYPE/NAME or -l SELECTOR"
                                       : "only a selector (-l) or a POD name is allowed");
  }
  if (selector.empty()) {
    const std::string& word = arguments.words()[0];
    return workload_pods(context, arguments, ns,
                         word.find('/') == std::string::npos ? cat("pods/", word) : word);
  }
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(auto found, list_pods(*client, ns, selector, context.stop()));
  if (found.empty()) {
    context.log().line(cat("No resources found in ", ns, " namespace."));
  }
  return found;
}

/// Smaller ones come first.
auto log_rank(const Json& pod) {
  const auto last_if_empty = [](std::string_view time) { return time.empty() ? "~" : time; };
  std::string_view ready_since;
  for (const Json& condition : data::array_at(pod, {"status", "conditions"})) {
    if (data::string_at(condition, {"type"}) == "Ready" &&
        data::string_at(condition, {"status"}) == "True") {
      ready_since = data::string_at(condition, {"lastTransitionTime"});
    }
  }
  std::int64_t restarts = 0;
  for (const Json& status : data::array_at(pod, {"status", "containerStatuses"})) {
    restarts = std::max(restarts, data::int_at(status, {"restartCount"}));
  }
  const std::string_view phase = data::string_at(pod, {"status", "phase"});
  const int begun = phase == "Pending" ? 2 : phase == "Unknown" ? 1 : 0;
  return std::tuple(data::string_at(pod, {"spec", "nodeName"}).empty(), begun,
                    last_if_empty(ready_since), -restarts,
                    last_if_empty(resources::ObjectView(pod).creation_timestamp()));
}

}  // namespace

void sort_for_logs(std::vector<Json>& pods) {
  std::stable_sort(pods.begin(), pods.end(),
                   [](const Json& a, const Json& b) { return log_rank(a) < log_rank(b); });
}

util::Result<std::vector<LogSource>> log_sources(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const std::string asked, asked_container(arguments));
  KUBIST_TRY(const auto found, named_pods(context, arguments));
  std::vector<LogSource> sources;
  for (const Json& pod : found) {
    const resources::ObjectView view(pod);
    std::vector<std::string> containers = all_containers(pod);
    if (!arguments.boolean("all-containers")) {
      KUBIST_TRY(std::string chosen, container_of(context, pod, asked));
      containers = {std::move(chosen)};
    }
    for (std::string& container : containers) {
      sources.push_back({std::string(view.ns()), std::string(view.name()), std::move(container)});
    }
  }
  return sources;
}

}  // namespace kubist::cli
