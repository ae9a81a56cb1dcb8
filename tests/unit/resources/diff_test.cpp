#include <random>

#include <kubist/resources/diff.hpp>
#include <kubist/resources/secret_mask.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::resources;
using data::Json;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.find('\n', begin) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

/// Applies a unified diff; fails where a context or removed line does not match.
std::string patch(const std::string& before, const std::string& diff) {
  auto old_lines = lines_of(before);
  auto script = lines_of(diff);
  std::string result;
  std::size_t at = 0;
  for (std::size_t i = 2; i < script.size(); ++i) {
    const std::string& line = script[i];
    std::string rest = line.substr(1);
    if (line.starts_with("@@ -")) {
      std::size_t start = std::stoul(line.substr(4));
      bool empty = line.find(",0 +") != std::string::npos;
      for (std::size_t stop = empty ? start : start - 1; at < stop; ++at) {
        result += old_lines[at];
      }
    } else if (line[0] == '+') {
      result += rest;
    } else {
      REQUIRE(at < old_lines.size());
      REQUIRE(old_lines[at] == rest);
      result += line[0] == ' ' ? rest : "";
      ++at;
    }
  }
  for (; at < old_lines.size(); ++at) {
    result += old_lines[at];
  }
  return result;
}

std::size_t edits(const std::string& diff) {
  std::size_t count = 0;
  auto lines = lines_of(diff);
  for (std::size_t i = 2; i < lines.size(); ++i) {
    count += lines[i][0] == '+' || lines[i][0] == '-' ? 1 : 0;
  }
  return count;
}

/// The length of a shortest script, by the textbook table.
std::size_t shortest(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::vector<std::size_t>> common(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  return a.size() + b.size() - 2 * common[0][0];
}

}  // namespace

TEST_CASE("diff: unified output as diff -u prints it") {
  CHECK(unified_diff("a\nb\n", "a\nb\n", "x", "y") == "");
  CHECK(unified_diff("a\nb\nc\n", "a\nB\nc\n", "x", "y") ==
        "--- x\n+++ y\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
  CHECK(unified_diff("", "a\nb\n", "x", "y") == "--- x\n+++ y\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  CHECK(unified_diff("a\n", "", "x", "y") == "--- x\n+++ y\n@@ -1 +0,0 @@\n-a\n");
  CHECK(unified_diff("a", "a\n", "x", "y") ==
        "--- x\n+++ y\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

TEST_CASE("diff: hunks join while their context touches") {
  std::string before;
  for (char c = 'a'; c <= 't'; ++c) {
    before += std::string(1, c) + "\n";
  }
  std::string near = before;
  near[2] = 'B';   // line 2
  near[16] = 'I';  // line 9: six lines between
  std::string diff = unified_diff(before, near, "x", "y");
  CHECK(diff.find("@@ -1,12 +1,12 @@") != std::string::npos);
  std::string far = before;
  far[2] = 'B';
  far[18] = 'J';  // line 10: seven lines between
  diff = unified_diff(before, far, "x", "y");
  CHECK(diff.find("@@ -1,5 +1,5 @@") != std::string::npos);
  CHECK(diff.find("@@ -7,7 +7,7 @@") != std::string::npos);
}

TEST_CASE("diff: an added list item shows as itself") {
  CHECK(unified_diff("- a\n  x\n- b\n  x\n", "- a\n  x\n- b\n  x\n- c\n  x\n", "x", "y") ==
        "--- x\n+++ y\n@@ -2,3 +2,5 @@\n   x\n - b\n   x\n+- c\n+  x\n");
}

TEST_CASE("diff: random texts patch back, with a shortest script") {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    std::string texts[2];
    for (std::string& text : texts) {
      for (std::size_t n = random() % 40; n > 0; --n) {
        text += std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
      }
    }
    std::string diff = unified_diff(texts[0], texts[1], "x", "y", random() % 4);
    CAPTURE(diff);
    CHECK(patch(texts[0], diff) == texts[1]);
    CHECK(edits(diff) == shortest(lines_of(texts[0]), lines_of(texts[1])));
  }
}

TEST_CASE("diff: long texts patch back, where a shortest script would be looked for too long") {
  std::mt19937 random(11);
  for (const unsigned words : {2U, 10U, 1000U, 100000U}) {
    std::string texts[2];
    for (std::string& text : texts) {
      for (auto n = 3000 + random() % 3000; n > 0; --n) {
        text += std::to_string(random() % words) + "\n";
      }
    }
    const std::string diff = unified_diff(texts[0], texts[1], "x", "y");
    CHECK(patch(texts[0], diff) == texts[1]);
  }
  // A ConfigMap of a megabyte, written anew: minutes without a limit.
  std::string texts[2];
  for (int n = 0; n < 500000; ++n) {
    texts[0] += "a\n";
    texts[1] += "b\n";
  }
  CHECK(edits(unified_diff(texts[0], texts[1], "x", "y")) == 1000000);
}

TEST_CASE("diff: changed paths") {
  Json before = test::yaml("{a: {b: 1, c: 2}, l: [1, 2], same: x}");
  Json after = test::yaml("{a: {b: 3, d: 4}, l: [1, 5, 6], same: x}");
  using Change = ChangedPath::Change;
  CHECK(changed_paths(before, after) == std::vector<ChangedPath>{{"a.b", Change::replaced},
                                                                 {"a.c", Change::removed},
                                                                 {"a.d", Change::added},
                                                                 {"l[1]", Change::replaced},
                                                                 {"l[2]", Change::added}});
  CHECK(changed_paths(before, before).empty());
}

TEST_CASE("diff: objects as kubectl diff prints them") {
  Json before = test::yaml(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, managedFields: [{manager: x}]}, "
      "data: {k: old}}");
  Json after = test::yaml(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, managedFields: [{manager: y}]}, "
      "data: {k: new}}");
  auto diff = diff_objects(before, after, {"LIVE", "MERGED"});
  CHECK(diff.text ==
        "--- LIVE\n+++ MERGED\n@@ -1,6 +1,6 @@\n apiVersion: v1\n data:\n-  k: old\n+  k: new\n "
        "kind: ConfigMap\n metadata:\n   name: a\n");
  CHECK(diff.paths == std::vector<ChangedPath>{{"data.k", ChangedPath::Change::replaced}});
  after["data"]["k"] = "old";
  CHECK(diff_objects(before, after, {"LIVE", "MERGED"}).text == "");
  CHECK(diff_name(before) == "v1.ConfigMap..a");
  CHECK(diff_name(test::yaml("{apiVersion: apps/v1, kind: Deployment, metadata: {name: w, "
                             "namespace: shop}}")) == "apps.v1.Deployment.shop.w");
}

TEST_CASE("diff: a Secret shows which keys change and no value") {
  Json before = test::yaml(
      "{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {same: c2FtZQ==, other: b2xk, "
      "gone: Z29uZQ==}}");
  Json after = test::yaml(
      "{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {same: c2FtZQ==}, stringData: "
      "{other: new, fresh: fresh}}");
  auto diff = diff_objects(before, after, {"L", "M"});
  CHECK(diff.text.find("-  gone: '***'\n") != std::string::npos);
  CHECK(diff.text.find("+  fresh: '***'\n") != std::string::npos);
  CHECK(diff.text.find("-  other: '*** (before)'\n") != std::string::npos);
  CHECK(diff.text.find("+  other: '*** (after)'\n") != std::string::npos);
  CHECK(diff.text.find("   same: '***'\n") != std::string::npos);
  for (auto secret : {"c2FtZQ", "b2xk", "Z29uZQ", "new", "bmV3", "ZnJlc2g"}) {
    CHECK(diff.text.find(secret) == std::string::npos);
  }
}
