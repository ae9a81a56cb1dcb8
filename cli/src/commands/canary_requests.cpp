#include "canary_request.hpp"
#include "canary_write.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

// A CanaryRelease is asked, and whoever looks at it next answers: this command, which looks at
// once, or a kubist that watches.
template <const char* Verb>
util::Result<int> run_canary_verb(Context& context, const Arguments& arguments) {
  return run_request(context, arguments, canary(), Verb);
}

constexpr char k_canary_pause[] = "pause";
constexpr char k_canary_resume[] = "resume";
constexpr char k_canary_abort[] = "abort";
constexpr char k_canary_promote[] = "promote";
constexpr char k_canary_promote_full[] = "promote-full";
constexpr char k_canary_retry[] = "retry";

util::Result<int> run_canary_promote(Context& context, const Arguments& arguments) {
  if (!arguments.text("write").empty()) {
    return arguments.boolean("full") || arguments.boolean("wait")
               ? util::fail(util::ErrorKind::usage,
                            "--write asks nothing of a release: leave out "
                            "--full and --wait")
               : write_released(context, arguments);
  }
  return arguments.boolean("full") ? run_canary_verb<k_canary_promote_full>(context, arguments)
                                   : run_canary_verb<k_canary_promote>(context, arguments);
}

}  // namespace

const CommandSpec& canary_pause_command() {
  static const CommandSpec spec = request_command(
      canary(), "canary pause", "Freeze the weights of a release",
      "The weights stay as they are, and the clocks stand, until 'kubist canary resume'.",
      {"Freeze one", "kubist canary pause shop -n shop"}, run_canary_verb<k_canary_pause>);
  return spec;
}

const CommandSpec& canary_resume_command() {
  static const CommandSpec spec = request_command(
      canary(), "canary resume", "Let a paused release go on",
      "Also where it paused because a route was edited: the route as it is now counts.",
      {"Go on", "kubist canary resume shop -n shop"}, run_canary_verb<k_canary_resume>);
  return spec;
}

const CommandSpec& canary_abort_command() {
  static const CommandSpec spec = request_command(
      canary(), "canary abort", "Roll a release back",
      "Every route gets the weights of its own spec again; the release is Aborted when they "
      "are proven.",
      {"Take it back and see to it", "kubist canary abort shop -n shop --wait"},
      run_canary_verb<k_canary_abort>);
  return spec;
}

const CommandSpec& canary_promote_command() {
  static const CommandSpec spec = [] {
    CommandSpec made = request_command(
        canary(), "canary promote", "Give a release its next weight",
        "Whatever its policies say; their abort rules stay armed. With --write nothing is "
        "asked of the release: what it has released goes into the manifests of its routes.",
        {"All of it at once", "kubist canary promote shop --full"}, run_canary_promote);
    made.flags.insert(
        made.flags.begin(),
        {{"full", 0, FlagKind::boolean, "", "100 % at once, instead of the next step"},
         {"write",
          0,
          FlagKind::text,
          "FILE",
          "of a release that has succeeded: write the weights of its TrafficRoutes "
          "into this manifest, for git",
          {},
          Completes::files}});
    made.examples.push_back(
        {"What was released, into git", "kubist canary promote shop --write env/routes.yaml"});
    return made;
  }();
  return spec;
}

const CommandSpec& canary_retry_command() {
  static const CommandSpec spec = request_command(
      canary(), "canary retry", "Start a release again that was rolled back",
      "The next attempt begins with the first weight.",
      {"Once more, to its end", "kubist canary retry shop -n shop --wait --timeout 2h"},
      run_canary_verb<k_canary_retry>);
  return spec;
}

}  // namespace kubist::cli
