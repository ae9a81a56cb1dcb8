#pragma once
#include <string>

#include <doctest/doctest.h>

#include <kubist/runtimes/child.hpp>

namespace kubist::runtimes {

inline ChildCommand shell(const std::string& script) {
  ChildCommand command;
  command.program = "/bin/sh";
  command.args = {"-c", script};
  return command;
}

inline ChildResult run(const ChildCommand& command) {
  auto result = run_child(command);
  REQUIRE_MESSAGE(result, (result ? std::string() : result.error().to_string()));
  return *result;
}

}  // namespace kubist::runtimes
