// What the records of the commands say: help, flags, examples.
#include <map>
#include <set>

#include <doctest/doctest.h>

#include <kubist/cli/help.hpp>
#include <kubist/util/text.hpp>

#include "bind.hpp"
#include "run_words.hpp"
#include "shell_words.hpp"

using namespace kubist;
using namespace kubist::cli;
using kubist::testing::kubist_calls;
using kubist::testing::run_words;

namespace {

const Flag* own_flag(const CommandSpec& spec, std::string_view name) {
  for (const Flag& flag : spec.flags) {
    if (flag.name == name) {
      return &flag;
    }
  }
  return nullptr;
}

bool takes(const Flag& flag, std::string_view choice) {
  return std::find(flag.choices.begin(), flag.choices.end(), choice) != flag.choices.end();
}

std::vector<const CommandSpec*> visible_commands() {
  std::vector<const CommandSpec*> visible;
  for (const CommandSpec& spec : commands()) {
    if (!spec.hidden) {
      visible.push_back(&spec);
    }
  }
  REQUIRE(visible.size() > 50);
  return visible;
}

}  // namespace

TEST_CASE("records: each is found by its own path") {
  for (const CommandSpec& spec : commands()) {
    CAPTURE(spec.path);
    CHECK(find_command(util::split(spec.path, ' ')) == &spec);
  }
}

TEST_CASE("records: every example parses against its command's own flags") {
  std::size_t parsed = 0;
  for (const CommandSpec* spec : visible_commands()) {
    bool shown = false;
    for (const Example& example : spec->examples) {
      for (std::vector<std::string> words : kubist_calls(example.command)) {
        CAPTURE(example.command);
        words = hoist_global_flags(std::move(words));
        const CommandSpec* called = find_command(words);
        REQUIRE(called != nullptr);
        const auto path = util::split(called->path, ' ').size();
        words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(path));
        const auto arguments = parse_arguments(*called, words);
        CHECK_MESSAGE(arguments.has_value(), arguments.error().to_string());
        shown = shown || called == spec;
        ++parsed;
      }
    }
    CHECK_MESSAGE(shown, spec->path, " has no example of itself");
  }
  CHECK(parsed >= visible_commands().size());
}

TEST_CASE("records: help names each heading once, and a group of commands in one line") {
  const std::string text = run_words({"help"}).out;
  std::set<std::string_view> headings;
  for (const CommandSpec* spec : visible_commands()) {
    headings.insert(spec->group);
    const std::string word(spec->path.substr(0, spec->path.find(' ')));
    const std::string line = util::cat("\n  ", word, ' ');
    CAPTURE(word);
    CHECK(text.find(line) != std::string::npos);
    CHECK(text.find(line) == text.rfind(line));
    CHECK((find_group(word) != nullptr) == (spec->path != word));
  }
  CHECK(headings.size() >= 6);
  for (const std::string_view heading : headings) {
    CAPTURE(heading);
    const std::string line = util::cat('\n', heading, ":\n");
    CHECK(text.find(line) != std::string::npos);
    CHECK(text.find(line) == text.rfind(line));
  }
  std::size_t last = 0;
  for (const char* first : {"Start here:", "  init ", "  apply ", "  reconcile ", "  tree ",
                            "Day to day:", "  get ", "  canary ", "  istio ", "  policy "}) {
    CAPTURE(first);
    const std::size_t at = text.find(first);
    REQUIRE(at != std::string::npos);
    CHECK(at > last);
    last = at;
  }
}

TEST_CASE("records: global flags are explained by 'kubist options', no longer by each command") {
  const auto options = run_words({"options"});
  CHECK(options.code == 0);
  for (const char* flag : {"--kubeconfig FILE", "-n, --namespace", "--as-group"}) {
    CAPTURE(flag);
    CHECK(options.out.find(flag) != std::string::npos);
  }
  for (const CommandSpec* spec : visible_commands()) {
    CAPTURE(spec->path);
    const std::string help = command_help(*spec);
    CHECK(help.find("--kubeconfig") == std::string::npos);
    CHECK(help.ends_with("\nUse 'kubist options' for the flags that every command takes.\n"));
  }
}

TEST_CASE("records: what prints takes -o json, yaml and jsonpath; JUnit is --report's") {
  // They act, and say what they did in lines; or what they print is a text of its own.
  const std::set<std::string_view> others{"wait",
                                          "validate",
                                          "uninstall",
                                          "cluster rotate",
                                          "reconcile",
                                          "controller",
                                          "policy init",
                                          "executor init",
                                          "canary approve",
                                          "canary promote",
                                          "canary pause",
                                          "canary resume",
                                          "canary abort",
                                          "canary retry",
                                          "experiment pause",
                                          "experiment resume",
                                          "experiment abort",
                                          "istio install",
                                          "istio move",
                                          "istio upgrade",
                                          "istio uninstall",
                                          "garbage",
                                          "logs",
                                          "edit",
                                          "rollout status",
                                          "deployitem logs",
                                          "deployitem state get",
                                          "deployitem state put",
                                          "deployitem state rm",
                                          "deployitem reconcile",
                                          "deployitem interrupt",
                                          "config set-context",
                                          "config use-context",
                                          "config current-context",
                                          "completion",
                                          "options",
                                          "delete",
                                          "deployitem delete"};
  std::size_t printing = 0;
  for (const CommandSpec* spec : visible_commands()) {
    CAPTURE(spec->path);
    const Flag* output = own_flag(*spec, "output");
    const Flag* report = own_flag(*spec, "report");
    if (output != nullptr) {
      CHECK(!takes(*output, "junit"));
    }
    if (report != nullptr) {
      for (const std::string_view form :
           {"text", "json", "junit", "sarif", "github", "gitlab", "html"}) {
        CHECK(takes(*report, form));
        CHECK(takes(*report, util::cat(form, '=')));
      }
    }
    if (others.contains(spec->path)) {
      continue;
    }
    ++printing;
    REQUIRE(output != nullptr);
    CHECK(output->letter == 'o');
    CHECK(takes(*output, "json"));
    CHECK(takes(*output, "yaml"));
    CHECK(takes(*output, "jsonpath="));
  }
  CHECK(printing + others.size() == visible_commands().size());
}

TEST_CASE("records: a letter means what it means to kubectl") {
  const std::map<char, std::set<std::string_view>> kubectl{{'A', {"all-namespaces"}},
                                                           {'L', {"label-columns"}},
                                                           {'R', {"recursive"}},
                                                           {'c', {"container"}},
                                                           {'f', {"filename"}},
                                                           {'h', {"help"}},
                                                           {'l', {"selector"}},
                                                           {'n', {"namespace"}},
                                                           {'o', {"output"}},
                                                           {'p', {"previous"}},
                                                           {'q', {"quiet"}},
                                                           {'s', {"server"}},
                                                           {'v', {"v"}},
                                                           {'w', {"watch"}}};
  std::size_t letters = 0;
  for (const CommandSpec* spec : visible_commands()) {
    for (const Flag& flag : spec->flags) {
      CAPTURE(spec->path);
      CAPTURE(flag.name);
      if (flag.letter == 0 || flag.letter == 'H') {  // curl's, of `route explain`
        continue;
      }
      ++letters;
      const bool logs = spec->path.ends_with("logs") && flag.name == "follow";
      CHECK((logs || kubectl.at(flag.letter).contains(flag.name)));
      CHECK((flag.letter != 'o' || !flag.choices.empty()));
      CHECK((flag.letter != 'p' || flag.kind == FlagKind::boolean));
    }
  }
  CHECK(letters > 30);
}

TEST_CASE("records: a default of no time says what it means") {
  for (const CommandSpec* spec : visible_commands()) {
    for (const Flag& flag : spec->flags) {
      CAPTURE(spec->path);
      CAPTURE(flag.name);
      if (flag.kind == FlagKind::duration && (flag.initial == "0" || flag.initial == "0s")) {
        CHECK(flag.help.find("0 means no limit") != std::string_view::npos);
      }
    }
  }
  const Flag& timeout = *own_flag(*find_command({"reconcile"}), "timeout");
  CHECK(timeout.initial.empty());
  CHECK(timeout.help.find("waited for 5m at most") != std::string_view::npos);
}
