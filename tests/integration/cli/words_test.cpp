// Where scripts read what kubist says, it says what kubectl says: the same words on equal objects,
// by both programs.
#include <algorithm>

#include <doctest/doctest.h>
#include <unistd.h>

#include <kubist/data/json.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "both.hpp"

using namespace kubist;
using namespace kubist::testing;
using util::cat;

namespace {

using Words = std::vector<std::string>;

/// A namespace with ConfigMaps for each of the two, which are gone at the end, and files of two
/// more.
class Twins {
 public:
  Twins() {
    for (const char* who : {"kubectl", "kubist"}) {
      REQUIRE(kubectl({"create", "namespace", ns(who)}).code == 0);
      for (const char* name : {"a", "b"}) {
        REQUIRE(kubectl({"-n", ns(who), "create", "configmap", name, "--from-literal=k=v"}).code ==
                0);
      }
    }
    for (const char* name : {"c", "d"}) {
      REQUIRE(
          util::write_file(m_folder.path() / cat(name, ".yaml"),
                           cat("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ", name, "}\n")));
    }
  }
  ~Twins() { kubectl({"delete", "namespace", ns("kubectl"), ns("kubist"), "--wait=false"}); }
  Twins(const Twins&) = delete;
  Twins& operator=(const Twins&) = delete;

  std::string ns(const std::string& who) const {
    return cat("words-", ::getpid(), '-', m_number, '-', who);
  }
  /// What either says to these words; FOLDER stands for that of the files, NS for its namespace.
  Ran ask(const std::string& who, const Words& words) const {
    Words full{"-n", ns(who)};
    for (const std::string& word : words) {
      full.push_back(util::replace_all(word, "FOLDER", m_folder.path().string()));
    }
    Ran said = who == "kubist" ? run_kubist(full) : kubectl(full);
    said.out = util::replace_all(said.out, ns(who), "NS");
    return said;
  }

 private:
  inline static int s_count = 0;
  int m_number = s_count++;
  util::TempDir m_folder{"words"};
};

/// That kubectl 1.34 says, and apply/verbs_test.cpp checks.
const std::string k_from = " from NS namespace";

/// In their order: what one of them deletes or makes, a later one does not find or finds.
const std::vector<Words> k_words{
    {"delete", "configmap", "a", "--dry-run=client"},
    {"delete", "configmap", "a", "--dry-run=server"},
    {"delete", "configmap", "a"},
    {"delete", "configmap", "a"},
    {"delete", "configmap", "a", "--ignore-not-found"},
    {"delete", "configmap", "a", "--ignore-not-found", "-o", "name"},
    {"delete", "configmaps", "-l", "no=match"},
    {"wait", "configmap/nosuch", "--for=delete", "--timeout=5s"},
    {"wait", "configmap/b", "--for=jsonpath=.data.k=v", "--timeout=5s"},
    {"wait", "configmap/b",
     "--for=jsonpath=.metadata.managedFields[?(@.operation==\"Update\")].manager=kubectl-create",
     "--timeout=5s"},
    {"wait", "configmap/b", "--for=jsonpath={.data}=v", "--timeout=5s"},
    {"wait", "configmap", "-l", "no=match", "--for=condition=Ready", "--timeout=5s"},
    {"wait", "configmap", "-l", "no=match", "--for=create", "--timeout=1s"},
    {"apply", "-l", "no=match", "-f", "FOLDER"},
    {"apply", "-f", "FOLDER/c.yaml,FOLDER/d.yaml"},
    {"apply", "-f", "FOLDER/*.yaml"},
    {"get", "-f", "FOLDER/c.yaml,FOLDER/d.yaml", "-o", "name"},
    {"get", "configmap", "b", "-o", "name", "--request-timeout=5"},
    {"get", "configmap", "b", "-o", "name", "-w", "--request-timeout=1s"},
    {"events", "--types=Bogus"},
};

}  // namespace

TEST_CASE("words: the same commands say the same by kubist and by kubectl") {
  const Twins twins;
  for (const Words& words : k_words) {
    CAPTURE(util::join(words, " "));
    const Ran theirs = twins.ask("kubectl", words);
    Ran ours = twins.ask("kubist", words);
    if (theirs.out.find(k_from) == std::string::npos) {  // before kubectl 1.34
      ours.out = util::replace_all(ours.out, k_from, "");
    }
    CHECK_MESSAGE(ours.out == theirs.out, ours.err, theirs.err);
    CHECK_MESSAGE((ours.code == 0) == (theirs.code == 0), ours.err, theirs.err);
  }
}

TEST_CASE("words: events of a watch are lines of JSON, each with the object's kind") {
  const Twins twins;
  const Ran ours = twins.ask("kubist", {"get", "configmaps", "-w", "-o", "json",
                                        "--output-watch-events", "--request-timeout=2s"});
  CHECK_MESSAGE(ours.code == 0, ours.err);
  const auto lines = util::split(util::trim(ours.out), '\n');
  REQUIRE(lines.size() >= 2);
  for (const std::string& line : lines) {
    const data::Json event = data::Json::parse(line, nullptr, false);
    REQUIRE_MESSAGE(event.is_object(), line);
    CHECK(line.starts_with(R"({"type":"ADDED","object":{"apiVersion":"v1",)"));
    CHECK(event["object"]["kind"] == "ConfigMap");
    CHECK(!event["object"]["metadata"].contains("managedFields"));
  }
}
