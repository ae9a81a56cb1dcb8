#include "askable_status.hpp"
#include "commands.hpp"
#include "output/canary_lines.hpp"

namespace kubist::cli {

CommandSpec canary_status_command() {
  return status_command(
      canary(), {"lines", canary_lines, canary_json}, "canary status",
      "Show where a release stands, and why",
      "The state and the steps, what each version answered at this weight, and what each policy "
      "said last. With -w until the release has ended: on a terminal in place, elsewhere each "
      "change. The exit code is 0 where it succeeded, 4 where it was rolled back, 1 where it "
      "failed, 3 while it is under way. It only reads: a kubist that watches, or 'kubist "
      "reconcile', moves the release.",
      {{"Once", "kubist canary status shop -n shop"},
       {"In a pipeline", "kubist canary status shop -n shop -w --timeout 1h"}});
}

}  // namespace kubist::cli
