#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/cli/sink.hpp>

namespace kubist::cli {

/// One test case of a JUnit report, as CI systems read it.
struct JunitCase {
  enum class Result { passed, failed, skipped };
  std::string classname, name;
  std::chrono::nanoseconds took{0};
  Result result = Result::passed;
  std::string type;     ///< of the failure: a word
  std::string message;  ///< why it failed or was skipped, in a line
  std::string text;     ///< more of it: what was expected, what came; may be empty
};

/// As text or an attribute's value of XML; control characters, which it cannot hold, are shown as
/// printable text.
std::string xml_text(std::string_view text);
/// One <testsuite>. What XML cannot hold (control characters) is shown as printable text.
void print_junit(std::string_view suite, const std::vector<JunitCase>& cases, Sink& out);

}  // namespace kubist::cli
