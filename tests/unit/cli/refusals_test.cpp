// Command lines that are refused before anything is asked, in one voice, and flags that are gone.
#include <fstream>

#include <doctest/doctest.h>

#include <kubist/data/json.hpp>
#include <kubist/util/fs.hpp>

#include "run_words.hpp"

using namespace kubist;
using kubist::testing::run_words;

TEST_CASE("refusals: what is missing is named, with the forms that would do") {
  struct Case {
    std::vector<std::string> words;
    const char* part;
  };
  for (const Case& bad :
       {Case{{"get"}, "'kubist get' needs a type"}, Case{{"describe"}, "'kubist describe' needs"},
        Case{{"wait"}, "'kubist wait' needs --for"},
        Case{{"wait", "--for=delete"}, "'kubist wait' needs either TYPE NAME"},
        Case{{"wait", "--for=delete", "pod", "x", "--all"}, "names cannot go together with --all"},
        Case{{"uninstall", "--sure"}, "unknown flag --sure"},
        Case{{"deployitem", "logs", "x", "-p", "--back", "2"}, "--previous is --back 1"},
        Case{{"deployitem", "logs", "x", "--back", "3"}, "--back must be from 0 to 2"},
        Case{{"deployitem", "logs", "-p", "1", "x"}, "unexpected argument"},
        Case{{"deployitem", "state", "get", "x", "-o", "file"}, "unknown flag -o"},
        Case{{"canary", "status", "x", "-w", "-o", "json"}, "--watch shows lines"}}) {
    const auto ran = run_words(bad.words);
    CAPTURE(ran.err);
    CHECK(ran.code == 64);
    CHECK(ran.out.empty());
    CHECK(ran.err.find(bad.part) != std::string::npos);
  }
}

TEST_CASE("version and contexts: what programs read is an object") {
  const auto version = run_words({"version", "--client", "-o", "json"});
  CHECK(version.code == 0);
  CHECK(version.out.starts_with("{\n"));
  CHECK(run_words({"version", "--client", "-o", "yaml"}).out.starts_with("clientVersion:\n"));
  const auto wrong = run_words({"version", "--client", "-o", "xml"});
  CHECK(wrong.code == 64);
  CHECK(wrong.err.find("expected one of json, yaml") != std::string::npos);
  const util::TempDir folder("contexts");
  const std::string file = folder.path() / "config";
  std::ofstream(file) << "apiVersion: v1\nkind: Config\ncurrent-context: home\ncontexts:\n"
                         "- {name: home, context: {cluster: c, user: u, namespace: team}}\n";
  const auto contexts = run_words({"config", "get-contexts", "-o", "json", "--kubeconfig", file});
  CHECK(contexts.code == 0);
  CHECK(data::Json::parse(contexts.out)["contexts"] ==
        data::Json::array({{{"name", "home"},
                            {"current", true},
                            {"cluster", "c"},
                            {"user", "u"},
                            {"namespace", "team"}}}));
}
