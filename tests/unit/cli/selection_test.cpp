// Which objects the words of a command name.
#include "selection.hpp"

#include <doctest/doctest.h>

#include "bind.hpp"
#include "run_words.hpp"

using namespace kubist;
using namespace kubist::cli;
using kubist::testing::run_words;

namespace {

/// "Kind/name@namespace" of each, or the error.
std::vector<std::string> selected(std::vector<std::string> words) {
  words.insert(words.end(), {"-n", "team", "--server", "http://127.0.0.1:1"});
  const auto arguments = parse_arguments(*find_command({"tree"}), words);
  REQUIRE(arguments);
  StringSink out;
  StringSink err;
  util::Cancellation cancellation;
  Context context(*arguments, out, err, cancellation);
  const auto keys = read_selection(context, arguments->words());
  if (!keys) {
    CHECK(keys.error().kind == util::ErrorKind::usage);
    return {keys.error().to_string()};
  }
  std::vector<std::string> texts;
  for (const engine::Key& key : *keys) {
    texts.push_back(key.kind + '/' + key.name + '@' + key.ns);
  }
  return texts;
}

bool says(const std::vector<std::string>& error, std::string_view part) {
  return error.size() == 1 && error[0].find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("selection: KIND/NAME and KIND NAME mean the same") {
  using Texts = std::vector<std::string>;
  CHECK(selected({}).empty());
  CHECK(selected({"vc/dev", "Execution/app"}) ==
        Texts{"VirtualCluster/dev@team", "Execution/app@team"});
  CHECK(selected({"project", "shop"}) == selected({"Project/shop"}));
  CHECK(selected({"vc", "dev", "eu"}) == selected({"vc/dev", "vc/eu"}));
  CHECK(selected({"vc", "dev", "eu"}).size() == 2);
}

TEST_CASE("selection: what is refused says what would be right") {
  CHECK(says(selected({"project"}), "\"project\" needs a name"));
  CHECK(says(selected({"vc/dev", "project"}), "cannot be mixed: \"project\""));
  CHECK(says(selected({"project", "vc/dev"}), "cannot be mixed: \"vc/dev\""));
  CHECK(says(selected({"pod/x"}), "\"pod\" is not a kind that kubist reconciles"));
  CHECK(says(selected({"pod/x"}), "VirtualCluster"));
  CHECK(says(selected({"projcet", "x"}), "did you mean \"project\""));
  const auto two =
      run_words({"policy", "trace", "vc/dev", "vc/eu", "-n", "team", "-s", "http://127.0.0.1:1"});
  CHECK(two.code == 64);
  CHECK(two.err.find("policy trace takes one resource") != std::string::npos);
}
