#pragma once
#include <string>
#include <vector>

#include <kubist/cli/run.hpp>

namespace kubist::testing {

struct Ran {
  int code;
  std::string out, err;
};

/// Runs the command line within this process.
inline Ran run_words(const std::vector<std::string>& words) {
  cli::StringSink out;
  cli::StringSink err;
  const int code = cli::run(words, out, err);
  return {code, out.text(), err.text()};
}

}  // namespace kubist::testing
