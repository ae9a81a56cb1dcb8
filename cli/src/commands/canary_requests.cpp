#include "canary_write.hpp"
#include "commands.hpp"
#include "request.hpp"

// A CanaryRelease is asked, and whoever looks at it next answers: this command, which looks at
// once, or a kubist that watches.
namespace kubist::cli {
namespace {

util::Result<int> run_canary_promote(Context& context, const Arguments& arguments) {
  if (!arguments.text("write").empty()) {
    return arguments.boolean("full") || arguments.boolean("wait")
               ? util::fail(util::ErrorKind::usage,
                            "--write asks nothing of a release: leave out --full and --wait")
               : write_released(context, arguments);
  }
  return run_request(context, arguments, canary(),
                     arguments.boolean("full") ? "promote-full" : "promote");
}

}  // namespace

CommandSpec canary_pause_command() {
  return request_command(
      canary(), "canary pause", "Freeze the weights of a release",
      "The weights stay as they are, and the clocks stand, until 'kubist canary resume'.",
      {"Freeze one", "kubist canary pause shop -n shop"});
}

CommandSpec canary_resume_command() {
  return request_command(
      canary(), "canary resume", "Let a paused release go on",
      "Also where it paused because a route was edited: the route as it is now counts.",
      {"Go on", "kubist canary resume shop -n shop"});
}

CommandSpec canary_abort_command() {
  return request_command(
      canary(), "canary abort", "Roll a release back",
      "Every route gets the weights of its spec again; the release is Aborted "
      "when they are proven.",
      {"Roll it back and wait for it", "kubist canary abort shop -n shop --wait"});
}

CommandSpec canary_promote_command() {
  CommandSpec spec = request_command(
      canary(), "canary promote", "Give a release its next weight",
      "Whatever its policies say; their abort rules stay armed. With --write nothing is "
      "asked of the release: what it has released goes into the manifests of its routes.",
      {"All of it at once", "kubist canary promote shop --full"});
  spec.flags.insert(spec.flags.begin(),
                    {{"full", 0, FlagKind::boolean, "", "100 % at once, instead of the next step"},
                     {"write", 0, FlagKind::text, "FILE",
                      "of a release that has succeeded: write the weights of its TrafficRoutes "
                      "into this manifest, for git",
                      "", Completes::files}});
  spec.examples.push_back(
      {"What was released, into git", "kubist canary promote shop --write env/routes.yaml"});
  spec.run = run_canary_promote;
  return spec;
}

CommandSpec canary_retry_command() {
  return request_command(
      canary(), "canary retry", "Start a release again that was rolled back",
      "The next attempt begins with the first weight.",
      {"Once more, to its end", "kubist canary retry shop -n shop --wait --timeout 2h"});
}

}  // namespace kubist::cli
