#pragma once
#include <string>
#include <vector>

#include <unistd.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "both.hpp"

namespace kubist::testing {

using Words = std::vector<std::string>;

/// A namespace for each of the two programs, which are gone at the end, and a folder for files.
class Twins {
 public:
  explicit Twins(std::string name) : m_name(std::move(name)) {
    for (const char* who : {"kubectl", "kubist"}) {
      REQUIRE(kubectl({"create", "namespace", ns(who)}).code == 0);
    }
  }
  ~Twins() { kubectl({"delete", "namespace", ns("kubectl"), ns("kubist"), "--wait=false"}); }
  Twins(const Twins&) = delete;
  Twins& operator=(const Twins&) = delete;

  std::string ns(const std::string& who) const {
    return util::cat(m_name, '-', ::getpid(), '-', m_number, '-', who);
  }
  std::string file(const std::string& name) const { return (m_folder.path() / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    REQUIRE(util::write_file(m_folder.path() / name, text));
  }
  /// The same objects in both namespaces, by kubectl.
  void make(const Words& words) const {
    for (const char* who : {"kubectl", "kubist"}) {
      const Ran made = kubectl(full(who, words));
      REQUIRE_MESSAGE(made.code == 0, made.err);
    }
  }
  /// What either says to these words; in them FOLDER stands for that of the files, in what it says
  /// NS for its namespace.
  Ran ask(const std::string& who, const Words& words) const {
    Ran said = who == "kubist" ? run_kubist(full(who, words)) : kubectl(full(who, words));
    said.out = util::replace_all(said.out, ns(who), "NS");
    said.err = util::replace_all(said.err, ns(who), "NS");
    return said;
  }
  /// Both say the same, and fail or do not.
  void check_same(const Words& words) const {
    CAPTURE(util::join(words, " "));
    const Ran theirs = ask("kubectl", words);
    const Ran ours = ask("kubist", words);
    CHECK_MESSAGE(ours.out == theirs.out, ours.err, theirs.err);
    CHECK_MESSAGE((ours.code == 0) == (theirs.code == 0), ours.err, theirs.err);
  }
  /// What kubectl reads in both namespaces is equal.
  void check_equal(const Words& words) const {
    CAPTURE(util::join(words, " "));
    const auto read = [&](const char* who) {
      const Ran ran = kubectl(full(who, words));
      CHECK_MESSAGE(ran.code == 0, ran.err);
      return util::replace_all(ran.out, ns(who), "NS");
    };
    CHECK(read("kubist") == read("kubectl"));
  }

 private:
  Words full(const std::string& who, const Words& words) const {
    Words all{"-n", ns(who)};
    for (const std::string& word : words) {
      all.push_back(util::replace_all(word, "FOLDER", m_folder.path().string()));
    }
    return all;
  }

  inline static int s_count = 0;
  std::string m_name;
  int m_number = s_count++;
  util::TempDir m_folder{m_name};
};

}  // namespace kubist::testing
