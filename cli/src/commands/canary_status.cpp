#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/watch.hpp>
#include <kubist/release/states.hpp>
#include <kubist/util/text.hpp>

#include "canary_request.hpp"
#include "commands.hpp"
#include "deadline.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;

/// The whole of it: the line, what moves, and what each policy said last.
std::string block(const Json& release) {
  std::string text = canary_line(release) + '\n';
  text += cat("  ", data::string_at(release, {"spec", "destination"}), ": ",
              data::string_at(release, {"spec", "stable"}), " -> ",
              data::string_at(release, {"spec", "canary"}), ", attempt ",
              data::int_at(release, {"status", "attempt"}, 1));
  if (const auto next = data::int_at(release, {"status", "nextWeight"}); next > 0) {
    text += cat(", next ", next, " %");
  }
  text += '\n';
  const Json* policies = data::find_path(release, {"status", "policies"});
  for (const Json& policy : policies != nullptr ? *policies : Json::array()) {
    const std::string_view message = data::string_at(policy, {"message"});
    text += cat("  ", data::string_at(policy, {"name"}), ": ", data::string_at(policy, {"outcome"}),
                message.empty() ? "" : ", ", message, '\n');
  }
  return text;
}

bool is_over(const Json& release) {
  return release::is_final(release::read_state(data::string_at(release, {"status", "state"})));
}

/// Prints each change until the release has ended.
util::Result<int> follow(Context& context, kube::Client& client, kube::WatchOptions options,
                         const Deadline& deadline) {
  std::stop_source over;
  const std::stop_callback outer(deadline.token(), [&] { over.request_stop(); });
  std::string before;
  Json last = Json::object();
  bool gone = false;
  bool seen = false;
  const auto handle = [&](const kube::WatchEvent& event) -> util::Result<> {
    if (event.type == kube::WatchEventType::relisted) {
      gone = !seen;
    }
    gone = gone || event.type == kube::WatchEventType::deleted;
    if (!gone && event.type != kube::WatchEventType::bookmark && !event.object.empty()) {
      seen = true;
      KUBIST_TRY(last, event.json());
      if (std::string text = block(last); text != before) {
        context.out().write(text);
        context.out().flush();
        before = std::move(text);
      }
    }
    if (gone || is_over(last)) {
      over.request_stop();
    }
    return {};
  };
  KUBIST_CHECK(kube::watch(client, options, handle, over.get_token()));
  if (gone) {
    return util::fail(util::ErrorKind::not_found,
                      cat("CanaryRelease ", options.name, " in ", options.ns, " does not exist"));
  }
  if (!is_over(last)) {
    return deadline.cut_short(cat("CanaryRelease/", options.name, " goes on"));
  }
  return canary_exit_code(last);
}

util::Result<int> run(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  const engine::Key key = release_key(ns, arguments.words().front());
  if (arguments.boolean("watch")) {
    kube::WatchOptions options;
    options.resource = canary_releases();
    options.ns = key.ns;
    options.name = key.name;
    const Deadline deadline(arguments.duration("timeout"), context.stop());
    return follow(context, *client, options, deadline);
  }
  KUBIST_TRY(const Json release, get_release(*client, key, context.stop()));
  context.out().write(block(release));
  return canary_exit_code(release);
}

}  // namespace

const CommandSpec& canary_status_command() {
  static const CommandSpec spec{
      .path = "canary status",
      .group = "Releases",
      .summary = "Show where a release stands, and why",
      .details =
          "The state, the weight, and what each policy said last. With -w each change is printed "
          "until the release has ended. The exit code is 0 where it succeeded, 4 where it went "
          "back, "
          "1 where it failed, 3 while it is under way. It only looks: a kubist that watches, or "
          "'kubist reconcile', moves the release.",
      .arguments = "NAME",
      .min_words = 1,
      .max_words = 1,
      .completes = Completes::canaries,
      .flags = {{"watch", 'w', FlagKind::boolean, "", "print each change until it has ended"},
                {"timeout", 0, FlagKind::duration, "DURATION",
                 "with -w: end after this long with exit code 3; 0 means no limit", "0s"}},
      .examples = {{"Once", "kubist canary status shop -n shop"},
                   {"In a pipeline", "kubist canary status shop -n shop -w --timeout 1h"}},
      .needs = Needs::cluster,
      .run = run};
  return spec;
}

}  // namespace kubist::cli
