// `kubist convert`: each folder of tests/data/convert has an input, what it becomes, and what it
// warns of.
#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "run_words.hpp"
#include "support/paths.hpp"

using namespace kubist;
using kubist::testing::run_words;

namespace {

std::filesystem::path cases() { return paths::source_dir() + "/tests/data/convert"; }

std::vector<std::string> folders() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(cases())) {
    if (std::filesystem::exists(entry.path() / "input.yaml")) {
      found.push_back(entry.path().filename());
    }
  }
  return found;
}

void check_file(const std::filesystem::path& path, const std::string& text) {
  if (std::getenv("KUBIST_TEST_ACCEPT") != nullptr) {
    REQUIRE(util::write_file(path, text));
  }
  const auto expected = util::read_file(path);
  REQUIRE_MESSAGE(expected, path.string());
  CHECK_MESSAGE(*expected == text, "KUBIST_TEST_ACCEPT=1 writes what changed into ", path.string());
}

std::vector<std::string> words_for(const std::string& path) { return {"convert", "-f", path}; }

}  // namespace

TEST_CASE("convert: each case gives its output and its warnings, and the output is valid") {
  const std::vector<std::string> names = folders();
  CHECK(names.size() >= 14);
  for (const std::string& name : names) {
    CAPTURE(name);
    const auto folder = cases() / name;
    const auto ran = run_words(words_for(folder / "input.yaml"));
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    check_file(folder / "output.yaml", ran.out);
    check_file(folder / "warnings.txt", util::replace_all(ran.err, folder.string() + "/", ""));
    const auto valid = run_words({"validate", "-f", folder / "output.yaml"});
    CAPTURE(valid.err);
    CHECK(valid.code == 0);
  }
}

TEST_CASE("convert: what asks nobody can be simulated, and promotes good versions only") {
  const auto promoted = [](const std::string& name, const std::string& release,
                           const std::string& success) {
    const auto ran =
        run_words({"canary", "simulate", release, "-f", cases() / name / "output.yaml", "--runs",
                   "5", "--rps", "200", "--approved", "--stable-success", "100", "--canary-success",
                   success, "-o", "jsonpath={.promotedShare}"});
    CHECK_MESSAGE(ran.code == 0, name, ran.err);
    return ran.out;
  };
  for (const auto& [name, release] :
       {std::pair("flagger-plain", "web"), std::pair("flagger-lost", "web"),
        std::pair("flagger-skip", "api"), std::pair("flagger-blue-green", "web"),
        std::pair("flagger-unjudged", "mail")}) {
    CAPTURE(name);
    CHECK(promoted(name, release, "100") == "1");
  }
  CHECK(promoted("flagger-plain", "web", "80") == "0");
  CHECK(promoted("flagger-blue-green", "web", "80") == "0");
}

TEST_CASE("convert: with --strict a warning is an error, and nothing is printed") {
  const std::string lost = cases() / "flagger-lost/input.yaml";
  const auto ran = run_words({"convert", "-f", lost, "--strict"});
  CHECK(ran.code == 1);
  CHECK(ran.out.empty());
  CHECK(ran.err.find(lost + ":9:3: Canary/web: spec.autoscalerRef: ") != std::string::npos);
  const std::string good = cases() / "flagger-weights/input.yaml";
  CHECK(run_words({"convert", "-f", good, "--strict"}).code == 0);
}

TEST_CASE("convert: the names of project and virtual cluster, and JSON") {
  const std::string good = cases() / "flagger-weights/input.yaml";
  const auto ran = run_words(
      {"convert", "-f", good, "--project", "store", "--virtual-cluster", "prod", "-o", "json"});
  const auto list = data::Json::parse(ran.out);
  CHECK(list["kind"] == "List");
  REQUIRE(list["items"].size() == 4);
  CHECK(list["items"][0]["metadata"]["namespace"] == "shop");  // the pods stay where they are
  for (std::size_t i = 1; i < 4; ++i) {
    CHECK(list["items"][i]["metadata"]["namespace"] == "store");
    CHECK(list["items"][i]["spec"]["virtualClusterRef"]["name"] == "prod");
  }
}

TEST_CASE("convert: what it cannot convert at all") {
  const util::TempDir folder("convert-test");
  const std::string path = folder.path() / "input.yaml";
  const auto convert = [&](std::string_view text) {
    REQUIRE(util::write_file(path, text));
    return run_words(words_for(path));
  };
  const auto none = convert("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
  CHECK(none.code == 1);
  CHECK(none.err.find("no Canary of Flagger and no Rollout of Argo") != std::string::npos);
  const auto nowhere =
      convert("apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: a}\n");
  CHECK(nowhere.code == 64);
  CHECK(nowhere.err.find("--virtual-cluster") != std::string::npos);
  CHECK(run_words({"convert"}).code == 64);
}
