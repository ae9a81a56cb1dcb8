#pragma once
#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/cli/run.hpp>
#include <kubist/util/process.hpp>

/// Both programs, with the same words: kubectl is the oracle.
namespace kubist::testing {

struct Ran {
  int code = 0;
  std::string out, err;
};

inline Ran kubectl(std::vector<std::string> words) {
  words.insert(words.begin(), "kubectl");
  const auto result = util::run_command({.args = words, .timeout = std::chrono::minutes(6)});
  REQUIRE_MESSAGE(result, "kubectl is needed as the oracle");
  return {result->exit_code, result->out, result->err};
}

/// In this process.
inline Ran run_kubist(const std::vector<std::string>& words) {
  cli::StringSink out, err;
  const int code = cli::run(words, out, err);
  return {code, out.text(), err.text()};
}

}  // namespace kubist::testing
