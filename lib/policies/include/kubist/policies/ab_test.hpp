#pragma once
#include <kubist/policies/builtin.hpp>

namespace kubist::policies {

/// ABTest: judges an Experiment by the test and the assignment of its spec
/// (docs/how-to/experiment.md). The policy of an Experiment that names none. It ends the experiment
/// with the winner, or holds with TooFew or Collecting, with Thompson's shares where the spec says
/// so. Where the goals were not read at this evaluation it decides nothing.
///
///   policies:
///     - name: ABTest
///     - name: guard          # a policy that can only be more cautious
Builtin ab_test();

}  // namespace kubist::policies
