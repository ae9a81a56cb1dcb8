#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/kube/watch.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/deadline.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "../input.hpp"
#include "../output/written.hpp"
#include "../query/live_objects.hpp"
#include "../query/selectors.hpp"
#include "../query/targets.hpp"
#include "../rollout_state.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;

/// The workloads that the command line names; only a type stands for all of it. Errors of single
/// ones are among the others.
util::Result<LiveObjects> workloads(Context& context, const Arguments& arguments) {
  LiveQuery query;
  query.words = arguments.words();
  query.files = arguments.given("filename");
  KUBIST_TRY(query.label_selector, label_selector(arguments));
  query.all =
      query.words.size() == 1 && !names_objects(query.words) && query.label_selector.empty();
  KUBIST_TRY(LiveObjects found, live_objects(context, arguments, query));
  if (found.list.empty() && found.errors.empty()) {
    KUBIST_TRY(const std::string ns, context.ns());
    context.log().line(cat("No resources found in ", ns, " namespace."));
  }
  std::erase_if(found.list, [&](const LiveObject& live) {
    if (!rolls_out(live.resource)) {
      found.errors.push_back(
          util::make_error(ErrorKind::invalid,
                           cat(live.resource.plural, " \"",
                               resources::ObjectView(live.object).name(), "\" has no rollout"),
                           "Deployments, StatefulSets and DaemonSets have one."));
    }
    return !rolls_out(live.resource);
  });
  return found;
}

util::Result<int> end_of(std::vector<util::Error> errors) {
  if (!errors.empty()) {
    return util::fail(data::combine_errors(std::move(errors), "the workloads"));
  }
  return k_ok;
}

/// Prints each state that is new, until one is the last.
class RolloutFollower {
 public:
  RolloutFollower(Context& context, const kube::ApiResource& resource, std::int64_t revision)
      : m_context(context), m_resource(resource), m_revision(revision) {}

  util::Result<> look_at(const Json& object) {
    KUBIST_TRY(RolloutState state, rollout_state(m_resource, object, m_revision));
    if (state.text != m_last) {
      m_context.out().write(cat(state.text, '\n'));
      m_context.out().flush();
      m_last = std::move(state.text);
    }
    m_done = state.done;
    return {};
  }

  /// An error ends the watch; over() tells whether it is one.
  util::Result<> on_event(const kube::WatchEvent& event) {
    using Type = kube::WatchEventType;
    switch (event.type) {
      case Type::listed:
        m_listed = true;
        break;
      case Type::added:
      case Type::modified:
        break;
      case Type::relisted:
        return std::exchange(m_listed, false) ? util::Result<>{} : gone();
      case Type::deleted:
        return gone();
      default:
        return {};
    }
    KUBIST_TRY(const Json object, event.json());
    KUBIST_CHECK(look_at(object));
    return over() ? util::fail(ErrorKind::cancelled, "it is over") : util::Result<>{};
  }
  /// Nothing is left to print, or nobody to read it.
  bool over() const { return m_done || m_context.out().closed(); }

 private:
  static util::Result<> gone() {
    return util::fail(ErrorKind::not_found, "object has been deleted");
  }

  Context& m_context;
  const kube::ApiResource& m_resource;
  std::int64_t m_revision;
  std::string m_last;
  bool m_listed = false;  ///< in the listing under way
  bool m_done = false;
};

util::Result<> follow_rollout(Context& context, const LiveObject& live,
                              const util::Deadline& deadline) {
  const Arguments& arguments = context.arguments();
  RolloutFollower follower(context, live.resource, arguments.number("revision"));
  if (!arguments.boolean("watch")) {
    return follower.look_at(live.object);
  }
  const resources::ObjectView view(live.object);
  KUBIST_TRY(const auto client, context.client());
  kube::WatchOptions watch;
  watch.resource = live.resource;
  watch.ns = view.ns();
  watch.name = view.name();
  const auto watched = kube::watch(
      *client, watch, [&](const kube::WatchEvent& event) { return follower.on_event(event); },
      deadline.token());
  if (follower.over()) {
    return {};
  }
  if (watched) {  // stopped
    return deadline.cut_short(cat(live.resource.plural, "/", view.name(), " has not rolled out"),
                              "The rollout goes on.");
  }
  return watched;
}

util::Result<int> run_rollout_status(Context& context, const Arguments& arguments) {
  if (arguments.number("revision") < 0) {
    return util::fail(ErrorKind::usage, "--revision cannot be negative");
  }
  KUBIST_TRY(LiveObjects found, workloads(context, arguments));
  for (const LiveObject& live : found.list) {
    const util::Deadline deadline(arguments.duration("timeout"), context.stop());
    if (auto done = follow_rollout(context, live, deadline); !done) {
      found.errors.push_back(std::move(done).error());
    }
  }
  return end_of(std::move(found.errors));
}

util::Result<> restart_one(Context& context, const LiveObject& live, const std::string& now) {
  constexpr std::string_view k_restarted_at = "kubectl.kubernetes.io/restartedAt";
  const resources::ObjectView view(live.object);
  const std::string title = cat(live.resource.group_resource(), " \"", view.name(), '"');
  if (data::bool_at(live.object, {"spec", "paused"})) {
    return util::fail(ErrorKind::invalid, cat(title, " is paused, so that nothing would restart"),
                      "'kubectl rollout resume' lets it go on.");
  }
  if (data::string_at(live.object,
                      {"spec", "template", "metadata", "annotations", k_restarted_at}) == now) {
    return util::fail(ErrorKind::invalid, cat(title, " was restarted within this second"),
                      "A restart is known by its second: wait for the next one.");
  }
  const Json annotations{{std::string(k_restarted_at), now}};
  KUBIST_TRY(const auto client, context.client());
  const kube::Writer writer({.field_manager = "kubist-rollout"});
  KUBIST_TRY(
      const Json after,
      writer.patch({*client}, live.resource, view.ns(), view.name(), kube::PatchType::strategic,
                   {{"spec", {{"template", {{"metadata", {{"annotations", annotations}}}}}}}}));
  return print_written(context, after, "restarted", kube::DryRun::none);
}

util::Result<int> run_rollout_restart(Context& context, const Arguments& arguments) {
  KUBIST_TRY(LiveObjects found, workloads(context, arguments));
  const std::string now = util::format_time(std::chrono::system_clock::now());
  for (const LiveObject& live : found.list) {
    if (auto done = restart_one(context, live, now); !done) {
      found.errors.push_back(std::move(done).error());
    }
  }
  return end_of(std::move(found.errors));
}

CommandSpec rollout_command(std::string_view path, std::string_view summary,
                            std::string_view details, std::vector<Flag> own,
                            std::vector<Example> examples) {
  own.insert(own.begin(),
             {filename_flag(),
              recursive_flag(),
              {"selector", 'l', FlagKind::text, "SELECTOR", "those with these labels"}});
  return {.path = path,
          .group = "Objects of any kind, as kubectl",
          .summary = summary,
          .details = details,
          .arguments = "(-f FILE | TYPE [NAME...] | TYPE/NAME...)",
          .max_words = -1,
          .completes = Completes::resource_names,
          .flags = std::move(own),
          .examples = std::move(examples)};
}

}  // namespace

CommandSpec rollout_status_command() {
  CommandSpec spec = rollout_command(
      "rollout status", "Follow the rollout of workloads until it is done",
      "Of Deployments, StatefulSets and DaemonSets, one after the other. It watches, and prints "
      "what changes. Exits with 3 where the rollout has failed or the time is over.",
      {{"watch", 'w', FlagKind::boolean, "", "until it is done; false prints where it stands",
        "true"},
       {"timeout", 0, FlagKind::duration, "DURATION",
        "end after this long for each with exit code 3; 0 means no limit", "0s"},
       {"revision", 0, FlagKind::number, "N", "only where the Deployment is at this revision",
        "0"}},
      {{"Wait for a release", "kubist rollout status deployment/web --timeout=5m"}});
  spec.run = run_rollout_status;
  return spec;
}

CommandSpec rollout_restart_command() {
  CommandSpec spec = rollout_command(
      "rollout restart", "Replace all pods of workloads, as their strategy says",
      "Writes the time into an annotation of the pod template, as kubectl does, so that the "
      "Deployment, StatefulSet or DaemonSet makes new pods.",
      {written_flag()},
      {{"Take up a new Secret", "kubist rollout restart deployment/web"},
       {"All of an app", "kubist rollout restart deployment -l app=web"}});
  spec.run = run_rollout_restart;
  return spec;
}

}  // namespace kubist::cli
