// Exports as variables: what a workload may choose, and what it may not.
#include "output/env_lines.hpp"

#include <doctest/doctest.h>

using namespace kubist;
using namespace kubist::cli;
using kubist::data::Json;

TEST_CASE("env lines: names for a shell, values in quotes") {
  CHECK(*env_lines({{"url", "http://x"}, {"my-key", "it's"}, {"9", 1}, {"list", {1, "a"}}}, "") ==
        "_9='1'\nlist='[1,\"a\"]'\nmy_key='it'\\''s'\nurl='http://x'\n");
  CHECK(*env_lines({{"url", "x"}}, "DB_") == "DB_url='x'\n");
  CHECK(*env_lines({{"9", "x"}}, "D") == "D9='x'\n");
  CHECK(*env_lines(Json::object(), "") == "");
}

TEST_CASE("env lines: no variable by which a program chooses what it runs") {
  for (const char* name : {"PATH",
                           "path",
                           "LD_PRELOAD",
                           "LD_LIBRARY_PATH",
                           "BASH_ENV",
                           "ENV",
                           "PS1",
                           "PS4",
                           "PROMPT_COMMAND",
                           "IFS",
                           "GIT_SSH_COMMAND",
                           "GIT_CONFIG_GLOBAL",
                           "NODE_OPTIONS",
                           "PYTHONPATH",
                           "CC",
                           "RUSTFLAGS",
                           "RUSTC_WRAPPER",
                           "GOCACHEPROG",
                           "TF_CLI_ARGS",
                           "GITHUB_TOKEN",
                           "CLASSPATH",
                           "PYTHONSTARTUP",
                           "PERL5OPT",
                           "PERL5LIB",
                           "RUBYOPT",
                           "JAVA_TOOL_OPTIONS",
                           "_JAVA_OPTIONS",
                           "MAVEN_OPTS",
                           "KUBECONFIG",
                           "EDITOR",
                           "SSH_ASKPASS",
                           "ZDOTDIR",
                           "BASH_FUNC_ls%%",
                           "LD-PRELOAD",
                           "LESSOPEN",
                           "HTTPS_PROXY",
                           "no_proxy",
                           "SSL_CERT_FILE",
                           "REQUESTS_CA_BUNDLE",
                           "CURL_HOME",
                           "DOCKER_HOST",
                           "XDG_CONFIG_HOME",
                           "GOPROXY",
                           "AWS_ENDPOINT_URL",
                           ""}) {
    CAPTURE(name);
    const auto lines = env_lines({{"a", "b"}, {name, "x"}}, "");
    REQUIRE_FALSE(lines);
    CHECK(lines.error().kind == util::ErrorKind::invalid);
    CHECK(lines.error().hint.find("--prefix") != std::string::npos);
  }
  CHECK(*env_lines({{"PATH", "x"}}, "DB_") == "DB_PATH='x'\n");
  CHECK_FALSE(env_lines({{"PRELOAD", "x"}}, "LD_"));
  for (const char* name : {"PATHS", "DATABASE_URL", "ENVIRONMENT", "AWS_REGION", "options"}) {
    CAPTURE(name);
    CHECK(env_lines({{name, "x"}}, ""));
  }
}

TEST_CASE("env lines: dotenv takes values literally, and no line breaks") {
  const auto dotenv = [](const Json& values) { return env_lines(values, "A_", EnvForm::dotenv); };
  CHECK(*dotenv({{"url", "http://x?a=b#c"}, {"q", "it's \"x\""}, {"n", 1}, {"e", ""}}) ==
        "A_e=\nA_n=1\nA_q=it's \"x\"\nA_url=http://x?a=b#c\n");
  for (const char* value : {"a\nb", "a\r", " a", "a\t"}) {
    CAPTURE(value);
    const auto lines = dotenv({{"k", value}});
    REQUIRE_FALSE(lines);
    CHECK(lines.error().kind == util::ErrorKind::invalid);
  }
}

TEST_CASE("env lines: GitHub's form keeps line breaks, and no value sets another variable") {
  const auto github = [](const Json& values) { return *env_lines(values, "", EnvForm::github); };
  const std::string lines = github({{"cert", "a\nb\n"}});
  const std::string end = lines.substr(6, lines.find('\n') - 6);
  CHECK(end.starts_with("kubist_"));
  CHECK(lines == "cert<<" + end + "\na\nb\n\n" + end + "\n");
  const std::string hostile = github({{"k", "x\n" + end + "\nPATH=/tmp"}});
  CHECK(hostile.find(end) == hostile.rfind(end));
  CHECK_FALSE(hostile.starts_with("k<<" + end));
  CHECK_FALSE(env_lines({{"PATH", "x"}}, "", EnvForm::github));
}
