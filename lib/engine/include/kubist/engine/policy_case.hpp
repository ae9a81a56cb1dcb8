#pragma once
#include <string>
#include <vector>

#include <kubist/data/position.hpp>
#include <kubist/engine/pipeline.hpp>

namespace kubist::engine {

/// The pure core of `kubist policy run` and `policy test`, and of the same for executors: functions
/// over recorded inputs.

/// What one recorded run gave.
struct RecordedRun {
  Json output;  ///< the ResourceList of the last policy; an executor's has its objects as items
  std::vector<PolicyTrace> trace;
};

/// Runs policies, each on the previous one's output, or one executor, over a recorded ResourceList.
/// Its functionConfig (a PolicyRun) may give parameters, settings, state, metrics, target, now and
/// run; what it leaves out is empty, `now` is 1970. An item list is required. The rules of a live
/// run apply. Fails with invalid (bad input), or with the failing policy's error.
util::Result<RecordedRun> run_recorded(
    const std::vector<std::shared_ptr<const PolicyDefinition>>& policies, const Json& input,
    const std::stop_token& stop = {});

/// One expectation of a test that did not hold.
struct CaseDifference {
  std::string pointer;  ///< JSON pointer in the output
  Json expected;        ///< null where the output has more
  Json actual;
};

/// One case file: {policies: [{name, parameters}] or policy: NAME, or executor: NAME or {name,
/// parameters}, input: ResourceList, and one of expected: ResourceList (a part of the output
/// suffices) or error: text that the error contains}.
struct PolicyCase {
  std::string name;
  util::SourcePos pos = {};          ///< where it begins; empty: it comes from no file
  data::PositionLookup lookup = {};  ///< of its document
  bool executor = false;
  std::vector<resources::NamedCall> policies;  ///< or the executor
  Json input;
  Json expected;  ///< null when an error is expected
  std::string error;
};

struct CaseResult {
  std::string name;
  util::SourcePos pos;  ///< of the first expectation that did not hold, else of the case
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
