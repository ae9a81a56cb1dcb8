#pragma once
#include <cstdlib>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/data/json.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "support/paths.hpp"

/// tests/data/reports: input that is wrong, and whether the reports of CI say where.
namespace kubist::testing {

using ReportPlace = std::tuple<std::string, int, int>;  ///< file, line, column

struct BrokenInput {
  std::string verbs;  ///< all, validate or cluster
  std::string name, text;
  std::vector<ReportPlace> places;
};

inline std::vector<BrokenInput> broken_inputs() {
  auto text = util::read_file(paths::source_dir() + "/tests/data/reports/broken.txt");
  REQUIRE(text);
  text->pop_back();  // the line feed behind the last line
  std::vector<BrokenInput> inputs;
  for (const std::string& line : util::split(*text, '\n')) {
    if (line.starts_with("### ")) {
      const auto words = util::split(line.substr(4), '|');
      REQUIRE(words.size() == 3);
      BrokenInput& input = inputs.emplace_back();
      input.verbs = util::trim(words[0]);
      input.name = util::trim(words[1]);
      for (const std::string& place : util::split(std::string(util::trim(words[2])), ' ')) {
        input.places.emplace_back("env/broken.yaml", std::stoi(place),
                                  std::stoi(place.substr(place.find(':') + 1)));
      }
    } else if (!inputs.empty()) {
      inputs.back().text += line + '\n';
    }
  }
  return inputs;
}

inline std::vector<ReportPlace> matches(const std::string& text, const std::regex& pattern) {
  std::vector<ReportPlace> places;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    places.emplace_back((*at)[1], std::stoi((*at)[2]), std::stoi((*at)[3]));
  }
  return places;
}

/// The places that a report names, in its order.
inline std::vector<ReportPlace> places_in(const std::string& form, const std::string& report) {
  if (form == "junit") {
    // The line is there twice: as an attribute, and before the column in the text.
    return matches(
        report, std::regex("file=\"([^\"]*)\" line=\"(\\d+)\"><failure [^>]*>[^<:]*:\\2:(\\d+):"));
  }
  if (form == "github") {
    return matches(report, std::regex("::error file=([^,]*),line=(\\d+),col=(\\d+),"));
  }
  const auto json = data::Json::parse(report, nullptr, false);
  REQUIRE_MESSAGE(!json.is_discarded(), report);
  std::vector<ReportPlace> places;
  if (form == "gitlab") {
    for (const auto& issue : json) {
      const auto& begin = issue["location"]["positions"]["begin"];
      places.emplace_back(issue["location"]["path"], begin["line"], begin["column"]);
    }
    return places;
  }
  for (const auto& result : json["runs"][0]["results"]) {
    const auto& place = result["locations"][0]["physicalLocation"];
    places.emplace_back(place["artifactLocation"]["uri"], place["region"]["startLine"],
                        place["region"]["startColumn"]);
  }
  return places;
}

/// A checkout with env/world.yaml and one broken input after the other in env/broken.yaml.
class BrokenCheckout {
 public:
  BrokenCheckout() {
    const auto world = util::read_file(paths::source_dir() + "/tests/data/reports/world.yaml");
    REQUIRE(world);
    REQUIRE(util::write_file(m_folder.path() / "env/world.yaml", *world));
    ::setenv("GITHUB_WORKSPACE", m_folder.path().c_str(), 1);
  }
  ~BrokenCheckout() { ::unsetenv("GITHUB_WORKSPACE"); }
  BrokenCheckout(const BrokenCheckout&) = delete;
  BrokenCheckout& operator=(const BrokenCheckout&) = delete;

  /// `run` runs these words of a command line; each report that CI reads has to name the places of
  /// `input`.
  template <class Run>
  void check(const BrokenInput& input, const std::string& verb, const Run& run) const {
    CAPTURE(input.name);
    CAPTURE(verb);
    const auto file = [&](const std::string& form) { return m_folder.path() / "out" / form; };
    const std::string env = m_folder.path() / "env";
    REQUIRE(util::write_file(env + "/broken.yaml", input.text));
    std::vector<std::string> words{verb, "-f", env + "/world.yaml", "-f", env + "/broken.yaml"};
    for (const char* form : {"junit", "sarif", "github", "gitlab"}) {
      words.insert(words.end(), {"--report", util::cat(form, '=', file(form).string())});
    }
    const auto ran = run(words);
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    for (const char* form : {"junit", "sarif", "github", "gitlab"}) {
      CAPTURE(form);
      const auto report = util::read_file(file(form));
      REQUIRE(report);
      CHECK_MESSAGE(places_in(form, *report) == input.places, *report, ran.err);
    }
  }

 private:
  util::TempDir m_folder{"broken-inputs"};
};

}  // namespace kubist::testing
