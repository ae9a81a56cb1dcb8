// Links to the program make it a plugin of kubectl.
#include <filesystem>

#include <doctest/doctest.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "both.hpp"
#include "support/paths.hpp"

using namespace kubist;
using util::cat;

TEST_CASE("plugin: kubectl runs kubist, and completes its words") {
  const util::TempDir folder("plugin");
  for (const char* name : {"kubectl-kubist", "kubectl_complete-kubist"}) {
    std::filesystem::create_symlink(paths::program(), folder.path() / name);
  }
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "kubectl");
    const auto ran =
        util::run_command({.args = words,
                           .extra_environment = {{"PATH", cat(folder.path().string(), ':',
                                                              util::environment("PATH"))}},
                           .timeout = std::chrono::minutes(4)});
    REQUIRE(ran);
    return *ran;
  };
  const auto plain = run({"kubist", "get", "namespace", "default", "-o", "name"});
  CHECK_MESSAGE(plain.exit_code == 0, plain.err);
  CHECK(plain.out == "namespace/default\n");
  CHECK(run({"kubist", "patch"}).exit_code == 64);
  CHECK(run({"__complete", "kubist", "labe"}).out ==
        "label\tSet and remove labels of objects\n:4\n");
  CHECK(run({"__complete", "kubist", "get", "namespace", "defau"}).out == "default\n:4\n");
  CHECK(run({"__complete", "kubist", "apply", "-f", ""}).out == ":0\n");
}
