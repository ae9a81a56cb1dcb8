#pragma once
#include <string>
#include <vector>

#include <kubist/engine/pipeline.hpp>

namespace kubist::engine {

/// The pure core of `kubist policy run` and `policy test`: policies over recorded inputs.

/// What one recorded run gave.
struct RecordedRun {
  Json output;  ///< the ResourceList of the last policy
  std::vector<PolicyTrace> trace;
};

/// Runs policies, each on the former's output, over a recorded ResourceList. Its functionConfig (a
/// PolicyRun) may give parameters, settings, state, metrics, now and run; what it leaves out is
/// empty, `now` is 1970. An item list is required. The rules of a live run apply. Fails with
/// invalid (bad input), or with the failing policy's error.
util::Result<RecordedRun> run_recorded(
    const std::vector<std::shared_ptr<const PolicyDefinition>>& policies, const Json& input,
    const std::stop_token& stop = {});

/// One expectation of a test that did not hold.
struct CaseDifference {
  std::string pointer;  ///< JSON pointer in the output
  Json expected;        ///< null where the output has more
  Json actual;
};

/// One case file: {policies: [{name, parameters}] or policy: NAME, input: ResourceList, and one of
/// expected: ResourceList (a part of the output suffices) or error: text that the error contains}.
struct PolicyCase {
  std::string name;
  std::vector<resources::NamedCall> policies;
  Json input;
  Json expected;  ///< null when an error is expected
  std::string error;
};

struct CaseResult {
  std::string name;
  bool passed = false;
  std::vector<CaseDifference> differences;
  std::string message;  ///< why it failed in one line; empty when it passed
  std::vector<PolicyTrace> trace;
};

/// Reads a case; fails with invalid naming the field.
util::Result<PolicyCase> read_policy_case(const Json& document, const std::string& default_name);

/// Runs one case. Fails only when the case itself is wrong (an unknown policy).
util::Result<CaseResult> run_policy_case(const PolicyCase& test, const PolicyCatalog& catalog,
                                         const std::string& ns, const std::stop_token& stop = {});

/// Where `actual` does not hold what `expected` says: maps may have more keys, lists are compared
/// element by element, numbers by value.
std::vector<CaseDifference> differences_from_expected(const Json& expected, const Json& actual);

}  // namespace kubist::engine
