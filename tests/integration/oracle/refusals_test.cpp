// What kubectl refuses, kubist refuses: names, namespaces, selectors and flags that mean no object,
// or another than the one that was named.
#include <algorithm>

#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "support.hpp"

namespace {

using namespace it;
using namespace kubist;

/// A command line; "@" stands for the namespace of who runs it.
struct Refusal {
  Words words;
  bool done = false;  ///< kubectl does it: the list is not of refusals alone
  std::string input = {};
};

const std::string k_file = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: '@'}\n";

const std::vector<Refusal>& cases() {
  static const std::vector<Refusal> all{
      // Names that are paths, or nothing. One beside a good name is not among them: kubectl deletes
      // the good one first, kubist checks all before it deletes any.
      {{"delete", "cm", "..", "-n", "@"}},
      {{"delete", "cm", ".", "-n", "@"}},
      {{"delete", "cm", "", "-n", "@"}},
      {{"delete", "cm/", "-n", "@"}},
      {{"delete", "cm/..", "-n", "@"}},
      {{"delete", "cm", "a%2fb", "-n", "@"}},
      {{"delete", "cm", "a/b", "-n", "@"}},
      {{"delete", "cm", "../configmaps/a", "-n", "@"}},
      {{"delete", "cm", "...", "-n", "@"}},
      {{"delete", "ns", ".."}},
      {{"delete", "ns", ""}},
      {{"get", "cm", "..", "-n", "@"}},
      {{"get", "cm", ".", "-n", "@"}},
      {{"get", "cm", "", "-n", "@"}},
      {{"get", "cm", "", "-n", "@", "-o", "name"}},
      {{"get", "cm/", "-n", "@"}},
      {{"get", "cm", "a/b", "-n", "@"}},
      {{"get", "secrets", ".", "-n", "@", "-o", "yaml"}},
      {{"get", "secrets/..", "-n", "@", "-o", "json"}},
      {{"describe", "cm", "..", "-n", "@"}},
      {{"describe", "cm", "", "-n", "@"}},
      {{"describe", "cm/", "-n", "@"}},
      {{"wait", "cm", "", "-n", "@", "--for=delete", "--timeout=1s"}},
      {{"wait", "cm", "..", "-n", "@", "--for=delete", "--timeout=1s"}},
      {{"wait", "cm/", "-n", "@", "--for=delete", "--timeout=1s"}},
      // Namespaces.
      {{"delete", "cm", "--all", "-n", ".."}},
      {{"delete", "cm", "a", "-n", "."}},
      {{"delete", "cm", "a", "-n", "@/configmaps"}},
      {{"delete", "cm", "a", "-A"}},
      {{"delete", "cm/a", "-A"}},
      {{"get", "cm", "-n", ".."}},
      {{"get", "cm", "a", "-n", ".."}},
      {{"get", "cm", "a", "-A"}},
      {{"describe", "cm", "a", "-A"}},
      {{"wait", "cm", "a", "-A", "--for=delete", "--timeout=1s"}},
      {{"delete", "cm", "--namespace=", "a"}},
      {{"get", "cm", "--namespace=", "a"}},
      // Selectors, and names beside them.
      {{"delete", "cm", "-n", "@"}},
      {{"delete", "cm", "-l", "", "-n", "@"}},
      {{"delete", "cm", "--selector=", "-n", "@"}},
      {{"delete", "cm", "--field-selector=", "-n", "@"}},
      {{"delete", "cm", "--all", "-l", "app=x", "-n", "@"}},
      {{"delete", "cm", "--all", "--field-selector=metadata.name=a", "-n", "@"}},
      {{"delete", "cm", "a", "-l", "app=x", "-n", "@"}},
      {{"delete", "cm", "a", "--all", "-n", "@"}},
      {{"delete", "cm", "-l", "app in (x", "-n", "@"}},
      {{"get", "cm", "a", "-l", "app=x", "-n", "@"}},
      {{"describe", "cm", "a", "-l", "app=x", "-n", "@"}},
      {{"wait", "cm", "-l", "", "-n", "@", "--for=delete", "--timeout=1s"}},
      {{"wait", "cm", "a", "--all", "-n", "@", "--for=delete", "--timeout=1s"}},
      // Flags that contradict each other, or mean nothing.
      {{"delete", "cm", "a", "--force", "--grace-period=1", "-n", "@"}},
      {{"delete", "cm", "a", "--now", "--grace-period=5", "-n", "@"}},
      {{"delete", "cm", "a", "--cascade=", "-n", "@"}},
      {{"delete", "cm", "a", "--dry-run=maybe", "-n", "@"}},
      {{"delete", "cm", "a", "--wait=", "-n", "@"}},
      {{"delete", "cm", "--all=", "-n", "@"}},
      {{"delete", "cm", "a", "--grace-period=", "-n", "@"}},
      {{"delete", "cm", "a", "-f", "-", "-n", "@"}, false, k_file},
      // What is done, by both.
      {{"get", "cm", "-l", "", "-n", "@"}, true},
      {{"get", "cm", "--selector=", "-o", "", "-n", "@"}, true},
      {{"delete", "cm", "-A", "-l", "app=nothing-has-this"}, true},
      {{"delete", "-f", "-", "-l", "app=y", "-n", "@"}, true, k_file},
      {{"delete", "cm", "--selector=", "a", "-n", "@"}, true},
      {{"delete", "cm", "--selector=app=x", "-n", "@"}, true},
      {{"delete", "cm/a", "cm/b", "-n", "@"}, true},
      {{"delete", "cm", "--all", "-n", "@"}, true}};
  return all;
}

void make_objects(const std::string& ns) {
  const auto map = [&](const std::string& name, const std::string& app) {
    return Json{{"apiVersion", "v1"},
                {"kind", "ConfigMap"},
                {"metadata", {{"name", name}, {"namespace", ns}, {"labels", {{"app", app}}}}}};
  };
  put("home", {map("a", "x"), map("b", "z")});
}

/// Which of the objects are there; "gone" for a namespace that is on its way out.
std::string state_of(const std::string& ns) {
  const auto space = get("home", "namespace", ns);
  if (!space || (*space)["metadata"].contains("deletionTimestamp")) {
    return "gone";
  }
  std::string state;
  for (const char* name : {"a", "b"}) {
    state += get("home", "configmap", name, ns) ? name : "";
  }
  return state;
}

std::string filled(std::string text, const std::string& ns) {
  return util::replace_all(std::move(text), "@", ns);
}

/// One of the two programs with a namespace and a user for each command of its own.
struct Side {
  std::string ns;
  std::function<CommandResult(const Words& words, const std::string& input)> run;

  CommandResult operator()(const Refusal& command, const std::string& user) const {
    if (state_of(ns) != "ab") {
      make_objects(ns);
    }
    Words words;
    for (const std::string& word : command.words) {
      words.push_back(filled(word, ns));
    }
    words.insert(words.end(), {"--as=" + user, "--as-group=system:masters"});
    return run(words, filled(command.input, ns));
  }
};

/// Requests about objects: discovery, which kubectl keeps on disk, does not count.
std::size_t requests_of(Audit& audit, const std::string& user) {
  const auto all = audit.requests(user);
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const Json& event) {
    return event.contains("objectRef") && event["objectRef"].contains("resource");
  }));
}

}  // namespace

TEST_CASE("refusals: names, namespaces, selectors and flags as kubectl takes or refuses them") {
  World world("refused");
  const Side theirs{world.name("theirs"), [](const Words& words, const std::string& input) {
                      return kubectl("home", words, input);
                    }};
  const Side ours{world.name("ours"), [](const Words& words, const std::string& input) {
                    return run_kubist(words, input);
                  }};
  for (const Side* side : {&theirs, &ours}) {
    put("home",
        {{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", side->ns}}}}});
    make_objects(side->ns);
  }
  Audit audit("home");
  int refused = 0;
  std::vector<std::string> users;
  for (const Refusal& command : cases()) {
    const std::string line = util::join(command.words, " ");
    CAPTURE(line);
    const std::string user = util::cat(world.user(), "-", users.size());
    users.push_back(line);
    const CommandResult oracle = theirs(command, user + "-theirs");
    const CommandResult result = ours(command, user + "-ours");
    CHECK_MESSAGE((oracle.exit_code == 0) == command.done, oracle.err);
    CHECK_MESSAGE((result.exit_code == 0) == command.done, result.exit_code, result.out,
                  result.err);
    CHECK(state_of(ours.ns) == state_of(theirs.ns));
    CHECK((command.done || state_of(ours.ns) == "ab"));
    CHECK((command.done || !result.err.empty()));
    refused += oracle.exit_code != 0 ? 1 : 0;
  }
  CHECK(refused >= 40);
  for (std::size_t i = 0; i < users.size(); ++i) {
    CAPTURE(users[i]);
    const std::string user = util::cat(world.user(), "-", i);
    if (requests_of(audit, user + "-theirs") == 0) {
      CHECK(requests_of(audit, user + "-ours") == 0);
    }
  }
}
