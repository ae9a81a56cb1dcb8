#include "output/live.hpp"

#include <doctest/doctest.h>

#include <kubist/data/json.hpp>

#include "output/canary_lines.hpp"

using namespace kubist;
using namespace kubist::cli;
using kubist::data::Json;

TEST_CASE("live: elsewhere than on a terminal each text that is another one is printed whole") {
  StringSink out;
  Live live(out, nullptr);
  live.show("one\ntwo\n");
  live.show("one\ntwo\n");
  live.show("three\n");
  CHECK(out.text() == "one\ntwo\nthree\n");
}

TEST_CASE("live: on a terminal it takes the place of the one before, each line as wide as it is") {
  StringSink out;
  std::size_t columns = 6;
  Live live(out, [&] { return columns; });
  live.show("one\nof eight columns\n");
  CHECK(out.text() == "one\nof eig\n");
  live.show("größer als\n");
  CHECK(out.text() == "one\nof eig\n\r\x1b[2A\x1b[Jgrößer\n");
  columns = 3;
  live.show("日本語\n");
  CHECK(out.text() == "one\nof eig\n\r\x1b[2A\x1b[Jgrößer\n\r\x1b[1A\x1b[J日\n");
}

TEST_CASE("canary lines: state, steps, what the versions answered, what the policies say") {
  Json release{{"metadata", {{"name", "shop"}}},
               {"spec",
                {{"destination", "web"},
                 {"stable", "v1"},
                 {"canary", "v2"},
                 {"routes", {"web"}},
                 {"weights", {5, 25, 100}}}},
               {"status",
                {{"state", "Progressing"},
                 {"weight", 25},
                 {"nextWeight", 100},
                 {"attempt", 2},
                 {"policies", {{{"name", "Statistical"}, {"outcome", "Hold"}}}}}}};
  const std::string before = canary_lines(release);
  CHECK_MESSAGE(before.starts_with("shop: Progressing at 25 %\n"
                                   "  web: v1 -> v2, attempt 2, next 100 %\n"
                                   "  steps: 5 [25] 100 %\n"),
                before);
  CHECK_MESSAGE(before.find("requests") == std::string::npos, before);
  CHECK_MESSAGE(before.ends_with("  Statistical: Hold\n"), before);

  release["status"]["measured"] = {{"weight", 25},
                                   {"attempt", 2},
                                   {"seconds", 60.0},
                                   {"versions",
                                    {{{"name", "v1"}, {"requests", 900.0}, {"errors", 9.0}},
                                     {{"name", "v2"}, {"requests", 300.0}, {"errors", 30.0}}}}};
  const std::string measured = canary_lines(release);
  CHECK_MESSAGE(
      measured.find("  at 25 % for 60 s:\n"
                    "  v1  900 requests  9 errors   1 %\n"
                    "  v2  300 requests  30 errors  10 %\n"
                    "  it fails more often than stable with a probability of more than 99.9 %\n") !=
          std::string::npos,
      measured);
  CHECK(measured.find("points") == std::string::npos);
  release["status"]["measured"]["versions"][0]["rates"] = {0.01, 0.01, 0.02, 0.0, 0.01};
  release["status"]["measured"]["versions"][1]["rates"] = {0.1, 0.11, 0.09, 0.12, 0.08};
  const std::string by = canary_lines(release);
  CHECK_MESSAGE(
      by.find("99.9 %\n  by 9 points (95 %: 7.6 to 10, 5 windows)\n") != std::string::npos, by);
  release["status"]["measured"]["versions"][1]["requests"] = 0.0;
  release["status"]["measured"]["versions"][1]["errors"] = 0.0;
  CHECK(canary_lines(release).find("probability") == std::string::npos);
}
