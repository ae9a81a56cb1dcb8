// The registry of reasons, and what commands print of it. tests/docs/reasons.py holds it to the
// sources.
#include "reasons.hpp"

#include <set>

#include <doctest/doctest.h>

#include <kubist/cli/complete.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "bind.hpp"
#include "query/names.hpp"
#include "run_words.hpp"

using namespace kubist;
using namespace kubist::cli;
using kubist::testing::Ran;
using kubist::testing::run_words;

namespace {

/// The commands in backticks of a text: "kubist tree".
std::vector<std::string> commands_in(const std::string& text) {
  std::vector<std::string> found;
  bool code = false;
  for (const std::string& part : util::split(text, '`')) {
    if (code && part.starts_with("kubist ")) {
      found.push_back(part);
    }
    code = !code;
  }
  return found;
}

/// What is wrong with that command line; empty: kubist has the command and its flags.
std::string fault_of(const std::string& line) {
  std::vector<std::string> words = util::split(line, ' ');
  words.erase(words.begin());
  const CommandSpec* spec = find_command(words);
  if (spec == nullptr) {
    return line;
  }
  for (const std::string& word : words) {
    if (word.starts_with('-') && word != "--" &&
        find_flag(spec, word.substr(0, word.find('='))) == nullptr) {
      return util::cat(line, ": ", word);
    }
  }
  return {};
}

}  // namespace

TEST_CASE("reasons: each has sentences, and commands that there are") {
  std::set<std::string> names;
  std::size_t commands = 0;
  for (const ReasonArea& area : reason_areas()) {
    CHECK(area.reasons.size() > 5);
    for (const Reason& reason : area.reasons) {
      CAPTURE(reason.name);
      CHECK(names.insert(reason.name).second);
      CHECK(reason.means.ends_with('.'));
      CHECK(reason.advice.ends_with('.'));
      CHECK(resources::find_kind_by_word(reason.name) == nullptr);  // kinds go first
      for (const std::string& line : commands_in(reason.means + ' ' + reason.advice)) {
        CHECK(fault_of(line) == "");
        ++commands;
      }
    }
  }
  CHECK(names.size() > 350);
  CHECK(commands > 100);
  CHECK(fault_of("kubist tree --no-such") != "");
  CHECK(fault_of("kubist trees") != "");
}

TEST_CASE("explain: a reason, offline, by its exact name") {
  const Ran ran = run_words({"explain", "ParentNotReady", "--offline"});
  CHECK(ran.code == 0);
  CHECK(ran.err == "");
  CHECK(ran.out ==
        "REASON:     ParentNotReady\n"
        "THEN:       Waits\n\n"
        "MEANING:\n"
        "    The object above this one is not ready, so this one was not started.\n"
        "    kubist goes on, or checks again, by itself.\n\n"
        "WHAT TO DO:\n"
        "    Mend the object above first. `kubist tree` shows it.\n");
  CHECK(run_words({"explain", "ParentNotReady", "-o", "jsonpath={.then}"}).out == "Waits");
  CHECK(run_words({"explain", "VirtualCluster", "--offline"}).out.find("KIND:") !=
        std::string::npos);
}

TEST_CASE("explain: near reasons are suggested, and lower case is a kind") {
  const Ran near = run_words({"explain", "ParentNotRead", "--offline"});
  CHECK(near.code == 1);
  CHECK(near.err ==
        "error: \"ParentNotRead\" is none of kubist's kinds or reasons, did you mean "
        "\"ParentNotReady\"?\n");
  const Ran lower = run_words({"explain", "parentnotready", "--offline"});
  CHECK(lower.code == 1);
  CHECK(lower.err.find("ParentNotReady") == std::string::npos);
}

TEST_CASE("errors: a reason that says more than the error's kind names the command") {
  CHECK(reason_command("PolicyDenied") == "kubist explain PolicyDenied");
  CHECK(reason_command("NotFound") == "");
  CHECK(reason_command("TlsFailed") == "");
  CHECK(reason_command("") == "");
}

TEST_CASE("completion: reasons once a capital letter is typed") {
  const auto found = complete({"explain", "ParentNot"}, complete_names);
  REQUIRE(found.candidates.size() == 2);
  CHECK(found.candidates[0].word == "ParentNotFound");
  CHECK(found.candidates[1].word == "ParentNotReady");
}
