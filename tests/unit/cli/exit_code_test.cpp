// Exit code 2: what a dry run would change.
#include <csignal>
#include <regex>
#include <set>

#include <doctest/doctest.h>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/cli/help.hpp>

#include "bind.hpp"
#include "dry_run.hpp"
#include "output/run_report.hpp"
#include "output/set_report.hpp"
#include "run_words.hpp"
#include "session.hpp"

using namespace kubist;
using namespace kubist::cli;
using kubist::testing::run_words;

namespace {

const CommandSpec& dry_sample() {
  static const CommandSpec spec{.path = "sample",
                                .flags = {dry_run_flag("nothing"), detailed_exitcode_flag()}};
  return spec;
}

Arguments dry_arguments(std::vector<std::string> words) {
  auto arguments = parse_arguments(dry_sample(), std::move(words));
  REQUIRE(arguments);
  return *std::move(arguments);
}

apply::Report report_of(apply::Outcome outcome) {
  apply::Report report;
  report.results.push_back({.ref = {}, .outcome = outcome});
  return report;
}

util::Result<int> diff_exit_code_of(util::ErrorKind kind) {
  StringSink out;
  StringSink err;
  const Arguments arguments = dry_arguments({});
  util::Cancellation cancellation;
  Context context(arguments, out, err, cancellation);
  return diff_exit_code(context, util::fail(kind, "no answer"));
}

}  // namespace

TEST_CASE("dry run: each mode is what it says") {
  CHECK(*dry_run_of(dry_arguments({})) == kube::DryRun::none);
  CHECK(*dry_run_of(dry_arguments({"--dry-run=none"})) == kube::DryRun::none);
  CHECK(*dry_run_of(dry_arguments({"--dry-run"})) == kube::DryRun::client);
  CHECK(*dry_run_of(dry_arguments({"--dry-run=client"})) == kube::DryRun::client);
  CHECK(*dry_run_of(dry_arguments({"--dry-run=server"})) == kube::DryRun::server);
}

TEST_CASE("detailed exit code: 2 when something would change, else the command's own") {
  const Arguments asked = dry_arguments({"--dry-run=server", "--detailed-exitcode"});
  CHECK(detailed_exit_code(asked, k_ok, true) == k_changes_pending);
  CHECK(detailed_exit_code(asked, k_not_ready, true) == k_changes_pending);
  CHECK(detailed_exit_code(asked, k_ok, false) == k_ok);
  CHECK(detailed_exit_code(asked, k_not_ready, false) == k_not_ready);
  for (const int failed : {k_error, k_rolled_back, k_denied, k_conflict, k_interrupted}) {
    CHECK(detailed_exit_code(asked, failed, true) == failed);
  }
  CHECK(detailed_exit_code(dry_arguments({"--dry-run=server"}), k_ok, true) == k_ok);
}

TEST_CASE("detailed exit code: what counts as a change") {
  using apply::Outcome;
  for (const Outcome outcome :
       {Outcome::created, Outcome::configured, Outcome::pruned, Outcome::deleted}) {
    CHECK(changes_objects(report_of(outcome)));
  }
  for (const Outcome outcome : {Outcome::unchanged, Outcome::kept, Outcome::valid}) {
    CHECK_FALSE(changes_objects(report_of(outcome)));
  }
  CHECK_FALSE(changes_objects({}));
}

TEST_CASE("detailed exit code: apply, reconcile and delete want a server's dry run for it") {
  for (std::vector<std::string> words :
       {std::vector<std::string>{"apply", "-f", "x.yaml"}, {"reconcile"}, {"delete", "pod", "x"}}) {
    for (const char* mode : {"--dry-run=none", "--dry-run"}) {
      std::vector<std::string> called = words;
      called.insert(called.end(), {mode, "--detailed-exitcode"});
      const auto ran = run_words(called);
      CAPTURE(ran.err);
      CHECK(ran.code == k_usage);
      CHECK(ran.err.find("--detailed-exitcode needs --dry-run=server") != std::string::npos);
    }
  }
}

TEST_CASE("exit codes: each that the manual names is given by something, and no other") {
  std::set<int> given{k_ok, *diff_exit_code_of(util::ErrorKind::unavailable)};
  for (const util::ErrorKind kind :
       {util::ErrorKind::internal, util::ErrorKind::timeout, util::ErrorKind::denied,
        util::ErrorKind::conflict, util::ErrorKind::usage, util::ErrorKind::cancelled}) {
    given.insert(exit_code(kind));
  }
  given.insert(
      detailed_exit_code(dry_arguments({"--dry-run=server", "--detailed-exitcode"}), k_ok, true));
  engine::Report rolled_back;
  rolled_back.nodes.push_back({.state = engine::NodeState::failed, .rolled_back = true});
  given.insert(exit_code_of(rolled_back));
  given.insert(128 + SIGTERM);  // run() adds the signal
  const std::string manual = man_page(nullptr);
  const std::regex line("\n(\\d+)\t");
  std::set<int> named;
  for (std::sregex_iterator at(manual.begin(), manual.end(), line), end; at != end; ++at) {
    named.insert(std::stoi((*at)[1]));
  }
  CHECK(named == given);
  CHECK(k_terminated == 128 + SIGTERM);
}

TEST_CASE("exit code: a status that could not be written fails the run, and is said") {
  executors::Run run;
  run.report.statuses[{}] = util::make_error(util::ErrorKind::unavailable,
                                             "status of Execution/x: no answer", "Run again.");
  CHECK(exit_code_of(run) == k_error);
  StringSink out;
  StringSink err;
  const Arguments arguments = dry_arguments({});
  util::Cancellation cancellation;
  Context context(arguments, out, err, cancellation);
  warn(context, run);
  CHECK(err.text() == "error: status of Execution/x: no answer\n  Run again.\n");
}
