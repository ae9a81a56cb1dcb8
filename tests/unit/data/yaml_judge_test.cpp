// What yaml-cpp finds in every YAML text here, against what kubist reads and writes.
#include "yaml_judge.hpp"

#include <filesystem>

#include <doctest/doctest.h>

namespace {

using namespace yaml_judge;
namespace fs = std::filesystem;

void judge_folder(Judge& judge, const std::string& folder) {
  const fs::path root(paths::source_dir());
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const fs::path& file = entry.path();
    const bool is_text = file.extension() == ".txt" || file.filename() == "Jenkinsfile";
    if (entry.is_regular_file() && !is_text) {
      judge.judge(fs::relative(entry.path(), root).string(), golden::read_file(entry.path()));
      ++files;
    }
  }
  CHECK_MESSAGE(files > 0, folder);
}

/// The blocks between "```yaml" and "```" of every page.
void judge_pages(Judge& judge) {
  std::size_t blocks = 0;
  for (const auto& page :
       fs::recursive_directory_iterator(fs::path(paths::source_dir()) / "docs")) {
    if (page.path().extension() != ".md") {
      continue;
    }
    std::optional<std::string> block;
    for (const std::string& line : util::split(golden::read_file(page.path()), '\n')) {
      if (!block && util::trim(line) == "```yaml") {
        block.emplace();
      } else if (block && util::trim(line) == "```") {
        judge.judge(cat(page.path().filename().string(), " block ", ++blocks), *block);
        block.reset();
      } else if (block) {
        *block += line + '\n';
      }
    }
  }
  CHECK(blocks >= 10);
}

/// A difference that is meant: where, the end of the place; what, in part.
struct Meant {
  const char* place;
  const char* what;
  const char* reason;
};

constexpr const char* k_values = "JSON values may follow each other, as in kubectl's input";
constexpr const char* k_keys =
    "a key is JSON's, so text: 014 is \"12\", n is \"false\", as in kubectl";
constexpr const char* k_merge = "YAML 1.1 has merge keys, yaml-cpp leaves them as they are";
constexpr const char* k_binary = "YAML 1.1 has !!binary, and kubectl shows what it holds";
constexpr const char* k_escapes = "yaml-cpp writes \\_ and \\L as bytes that are not UTF-8";
constexpr const char* k_breaks =
    "U+2028 is a line break in YAML 1.1, so for libyaml and in what kubectl prints";

const Meant k_meant[] = {
    {"input/json.json", "only kubist", k_values},
    {"yaml/json.json", "only kubist", k_values},
    {"input/random.json", "only kubist", k_values},
    {"input/writer.json", "only kubist", k_values},
    {"/keys.yaml#0/spec", "keys: yaml-cpp has \"014\"", k_keys},
    {"/stream.yaml#1/spec", "keys: yaml-cpp has \"n\"", k_keys},
    {"/all.yaml#0/properties/c/items/properties", "keys: yaml-cpp has \"n\"", k_keys},
    {"/all.yaml#1/c/0", "keys: yaml-cpp has \"n\"", k_keys},
    {"/structure.yaml#0/spec/anchors/after", "keys: yaml-cpp has \"<<\"", k_merge},
    {"/structure.yaml#0/spec/anchors/before", "keys: yaml-cpp has \"<<\"", k_merge},
    {"/structure.yaml#0/spec/anchors/before/k", "1, yaml-cpp has 2",
     "go-yaml, and so kubectl, lets a merge win over the keys before it"},
    {"/structure.yaml#0/spec/anchors/block", "keys: yaml-cpp has \"<<\"", k_merge},
    {"/structure.yaml#0/spec/anchors/inline", "keys: yaml-cpp has \"<<\"", k_merge},
    {"/structure.yaml#0/spec/anchors/several", "keys: yaml-cpp has \"<<\"", k_merge},
    {"/scalars.yaml#0/spec/binary", "yaml-cpp has aGVsbG8gd29ybGQ=", k_binary},
    {"/binary.yaml#0/3", "yaml-cpp has aGVsbG8gd+9ybGQ=", k_binary},
    {"/scalars.yaml#0/spec/double", "\"a\\tb\u00e9\U0001F600A\\n", k_escapes},
    {"json/random.json#0 written", "not one document", k_breaks},
    {"yaml/random.yaml", "only kubist", k_breaks},
    {"/writer.json#0 written/spec", "keys: yaml-cpp has \"ls", k_breaks},
    {"/writer.json#0 written/spec/ls", "yaml-cpp has a", k_breaks},
    {"/writer.json#0 written/spec/lsnl", "yaml-cpp has a", k_breaks},
    {"/writer.yaml#0/spec", "keys: yaml-cpp has \"ls", k_breaks},
    {"/writer.yaml#0/spec/ls", "yaml-cpp has a", k_breaks},
    {"/writer.yaml#0/spec/lsnl", "yaml-cpp has a", k_breaks},
    {"/writer.yaml#0 written/spec", "keys: yaml-cpp has \"ls", k_breaks},
    {"/writer.yaml#0 written/spec/ls", "yaml-cpp has a", k_breaks},
    {"/writer.yaml#0 written/spec/lsnl", "yaml-cpp has a", k_breaks},
};

/// Maps and lists inside each other in both styles, `depth` of them, with this leaf.
std::string nested_text(int depth, const std::string& leaf) {
  std::string text = "---\n";  // JSON begins with '{'
  for (int level = 0; level < depth / 2; ++level) {
    text += cat(std::string(level, ' '), level % 2 == 0 ? "k:\n" : "-\n");
  }
  text += std::string(depth / 2, ' ');
  std::string end;
  for (int level = depth / 2; level < depth; ++level) {
    text += level % 2 == 0 ? "{k: " : "[";
    end.insert(0, 1, level % 2 == 0 ? '}' : ']');
  }
  return cat(text, leaf, end, '\n');
}

}  // namespace

TEST_CASE("judge: yaml-cpp finds the same in every YAML text of this repository") {
  Judge judge;
  for (const char* folder :
       {"tests/fuzz/corpus/yaml", "tests/fuzz/corpus/exports", "tests/fuzz/corpus/kubeconfig",
        "tests/fuzz/corpus/policy_output", "tests/fuzz/corpus/schema", "tests/data", "examples"}) {
    judge_folder(judge, folder);
  }
  judge_pages(judge);
  for (const Meant& meant : k_meant) {
    const auto gone = std::erase_if(judge.differences, [&](const auto& found) {
      return found.first.ends_with(meant.place) &&
             found.second.find(meant.what) != std::string::npos;
    });
    CHECK_MESSAGE(gone > 0, cat(meant.place, " does not differ any more: ", meant.reason));
  }
  for (const auto& [place, what] : judge.differences) {
    FAIL_CHECK(place, ": ", what);
  }
  MESSAGE(judge.documents, " documents, ", judge.scalars, " scalars, ", judge.refused,
          " texts that neither reads");
  CHECK(judge.documents >= 450);
  CHECK(judge.scalars >= 40'000);
  CHECK(judge.refused <= 5);
}

TEST_CASE("judge: down to 100 levels, and it sees what differs there") {
  Judge judge;
  for (int depth = 1; depth <= k_depth; ++depth) {
    judge.judge(cat("depth ", depth), nested_text(depth, "leaf"));
  }
  CHECK(judge.documents == k_depth);
  CHECK(judge.scalars == 2 * k_depth);  // read, and written
  CHECK(judge.differences.empty());

  const YAML::Node theirs = YAML::Load(nested_text(k_depth, "leaf"));
  for (const char* other : {"other", "[leaf]", "'1'", ""}) {
    CAPTURE(other);
    Judge wrong;
    wrong.compare(data::read_document(nested_text(k_depth, other), "other")->value, theirs, "");
    CHECK(wrong.differences.size() == 1);
  }
  const YAML::Node map = YAML::Load("{a: 1, b: [x, 'yes']}");
  for (const char* other : {"{a: 1}", "{a: 1, b: [x, 'yes'], c: 1}", "{a: 1, b: [x]}",
                            "{a: '1', b: [x, 'yes']}", "{a: 1, b: [x, yes]}", "[a]"}) {
    CAPTURE(other);
    Judge wrong;
    wrong.compare(data::read_document(cat("---\n", other), "other")->value, map, "");
    CHECK(wrong.differences.size() == 1);
  }
}
