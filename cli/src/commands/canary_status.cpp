#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/release/states.hpp>
#include <kubist/util/deadline.hpp>

#include "canary_request.hpp"
#include "commands.hpp"
#include "follow.hpp"
#include "output/canary_lines.hpp"
#include "output/document.hpp"

namespace kubist::cli {
namespace {

using data::Json;

bool is_over(const Json& release) {
  return release::is_final(release::read_state(data::string_at(release, {"status", "state"})));
}

util::Result<int> run_canary_status(Context& context, const Arguments& arguments) {
  if (arguments.boolean("watch") && arguments.given("output")) {
    return util::fail(util::ErrorKind::usage, "--watch shows lines: leave --output out");
  }
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  const engine::Key key = asked_key(canary(), ns, arguments.words().front());
  if (arguments.boolean("watch")) {
    Following following{{}, canary_lines, is_over};
    following.watch.resource = resource_of(canary());
    following.watch.ns = key.ns;
    following.watch.name = key.name;
    const util::Deadline deadline(arguments.duration("timeout"), context.stop());
    KUBIST_TRY(const Json last, follow(context, *client, following, deadline));
    return canary_exit_code(last);
  }
  KUBIST_TRY(const Json release, get_asked(*client, canary(), key, context.stop()));
  KUBIST_TRY(const bool printed, print_document(context, canary_json(release)));
  if (!printed) {
    context.out().write(canary_lines(release));
  }
  return canary_exit_code(release);
}

}  // namespace

const CommandSpec& canary_status_command() {
  static const CommandSpec spec{
      .path = "canary status",
      .group = "Releases and traffic",
      .summary = "Show where a release stands, and why",
      .details =
          "The state and the steps, what each version answered at this weight, and what each "
          "policy "
          "said last. With -w until the release has ended: on a terminal in place, elsewhere each "
          "change. The exit code is 0 where it succeeded, 4 where it was rolled back, 1 where it "
          "failed, "
          "3 while it is under way. It only looks: a kubist that watches, or 'kubist reconcile', "
          "moves the release.",
      .arguments = "NAME",
      .min_words = 1,
      .max_words = 1,
      .completes = Completes::canaries,
      .flags = {document_flag(),
                {"watch", 'w', FlagKind::boolean, "", "show each change until it has ended"},
                {"timeout", 0, FlagKind::duration, "DURATION",
                 "with -w: end after this long with exit code 3; 0 means no limit", "0s"}},
      .examples = {{"Once", "kubist canary status shop -n shop"},
                   {"In a pipeline", "kubist canary status shop -n shop -w --timeout 1h"}},
      .run = run_canary_status};
  return spec;
}

}  // namespace kubist::cli
