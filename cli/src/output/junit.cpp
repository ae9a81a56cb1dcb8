#include "output/junit.hpp"

#include <algorithm>

#include <kubist/util/text.hpp>

namespace kubist::cli {

using util::cat;
using Result = JunitCase::Result;

namespace {

auto count(const std::vector<JunitCase>& cases, Result result) {
  return std::count_if(cases.begin(), cases.end(),
                       [&](const JunitCase& each) { return each.result == result; });
}

std::string outcome(const JunitCase& each) {
  const std::string message = cat(" message=\"", xml_text(each.message), '"');
  if (each.result == Result::skipped) {
    return cat("<skipped", message, "/>");
  }
  const std::string head = cat("<failure type=\"", xml_text(each.type), '"', message);
  return each.text.empty() ? head + "/>" : cat(head, '>', xml_text(each.text), "</failure>");
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string escaped = util::printable(text);
  const std::pair<const char*, const char*> pairs[] = {
      {"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"\n", "&#10;"}};
  for (const auto& [from, to] : pairs) {
    escaped = util::replace_all(escaped, from, to);
  }
  return escaped;
}

// The form that Jenkins' and GitLab's readers share:
// https://github.com/testmoapp/junitxml
void print_junit(std::string_view suite, const std::vector<JunitCase>& cases, Sink& out) {
  out.write(cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"", xml_text(suite),
                "\" tests=\"", cases.size(), "\" failures=\"", count(cases, Result::failed),
                "\" skipped=\"", count(cases, Result::skipped), "\">\n"));
  for (const JunitCase& each : cases) {
    out.write(cat("  <testcase classname=\"", xml_text(each.classname), "\" name=\"",
                  xml_text(each.name), "\" time=\"",
                  std::chrono::duration<double>(each.took).count(), '"'));
    out.write(each.result == Result::passed ? "/>\n" : cat('>', outcome(each), "</testcase>\n"));
  }
  out.write("</testsuite>\n");
}

}  // namespace kubist::cli
