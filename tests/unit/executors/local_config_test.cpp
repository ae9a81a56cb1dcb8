#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include <kubist/executors/local_config.hpp>
#include <kubist/util/fs.hpp>

using namespace kubist;
using executors::parse_local_config;

TEST_CASE("local config: programs with their limits, or the defaults") {
  const auto config = parse_local_config(R"(
exec:
  owner: {program: /usr/bin/owner, args: [--strict], timeout: 1500ms, memory: 1Gi}
  plain: {program: /bin/cat}
)",
                                         "config.yaml");
  REQUIRE_MESSAGE(config, config.error().to_string());
  const auto& owner = config->programs.at("owner");
  CHECK(owner.program == "/usr/bin/owner");
  CHECK(owner.args == std::vector<std::string>{"--strict"});
  CHECK(owner.limits.wall == std::chrono::milliseconds(1500));
  CHECK(owner.limits.cpu == std::chrono::seconds(2));
  CHECK(owner.limits.memory_bytes == 1ULL << 30U);
  CHECK(config->programs.at("plain").limits.memory_bytes == 4ULL << 30U);
  CHECK(parse_local_config("# nothing yet\n", "config.yaml")->programs.empty());
  CHECK(parse_local_config("exec: {}\n", "config.yaml")->programs.empty());
}

TEST_CASE("local config: rules of contexts, and where they are said") {
  const auto config = parse_local_config(R"(
contexts:
  prod:
    readOnly: true
  a/b: {confirm: true, readOnly: false}
)",
                                         "config.yaml");
  REQUIRE_MESSAGE(config, config.error().to_string());
  const auto& prod = config->contexts.at("prod");
  REQUIRE(prod.read_only);
  CHECK(util::to_string(*prod.read_only) == "config.yaml:4:5");
  CHECK(!prod.confirm);
  const auto& other = config->contexts.at("a/b");
  CHECK(!other.read_only);
  REQUIRE(other.confirm);
  CHECK(util::to_string(*other.confirm) == "config.yaml:5:9");
}

TEST_CASE("local config: what is wrong is said with its place") {
  struct Bad {
    const char* text;
    const char* part;
  };
  for (const Bad& bad : {Bad{"exec:\n  a: {program: bin/a}\n", "config.yaml:2"},
                         Bad{"exec:\n  a: {args: [x]}\n", "program"},
                         Bad{"exec:\n  a: {program: /a, sha256: abc}\n", "sha256"},
                         Bad{"exec:\n  a: {program: /a, shell: true}\n", "shell"},
                         Bad{"exec:\n  a: {program: /a, timeout: soon}\n", "soon"},
                         Bad{"exec:\n  a: {program: /a, timeout: 0s}\n", "more than nothing"},
                         Bad{"contexts:\n  prod: {readonly: true}\n", "readOnly"},
                         Bad{"contexts:\n  prod: {confirm: maybe}\n", "config.yaml:2"},
                         Bad{"programs: {}\n", "programs"}, Bad{"[1]\n", "config.yaml:1"},
                         Bad{"exec: {}\n---\nexec: {}\n", "second document"}}) {
    CAPTURE(bad.text);
    const auto config = parse_local_config(bad.text, "config.yaml");
    REQUIRE(!config);
    CHECK(config.error().kind == util::ErrorKind::invalid);
    CHECK_MESSAGE(config.error().to_string().find(bad.part) != std::string::npos,
                  config.error().to_string());
  }
}

TEST_CASE(
    "local config: a file that others may write is refused, one that is named must be there") {
  namespace fs = std::filesystem;
  const util::TempDir folder("local-config");
  const fs::path file = folder.path() / "config.yaml";
  ::setenv("KUBIST_CONFIG", file.c_str(), 1);
  const auto missing = executors::read_local_config();
  REQUIRE(!missing);
  CHECK(missing.error().kind == util::ErrorKind::not_found);
  std::ofstream(file) << "exec:\n  a: {program: /bin/cat}\n";
  fs::permissions(file, fs::perms(0644));
  CHECK(executors::read_local_config()->programs.contains("a"));
  fs::permissions(file, fs::perms(0664));
  const auto open = executors::read_local_config();
  REQUIRE(!open);
  CHECK(open.error().kind == util::ErrorKind::forbidden);
  ::unsetenv("KUBIST_CONFIG");
  ::setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
  CHECK(executors::read_local_config()->programs.empty());
  ::unsetenv("XDG_CONFIG_HOME");
  CHECK(executors::local_config_file("").empty());  // not one of the working folder
  CHECK(executors::local_config_file("/home/me") == "/home/me/.config/kubist/config.yaml");
}
