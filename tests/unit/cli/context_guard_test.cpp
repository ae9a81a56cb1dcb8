// Writes by a context that the local file guards: refused with the place, or confirmed by its name.
#include "context_guard.hpp"

#include <array>
#include <cstdlib>
#include <thread>

#include <doctest/doctest.h>
#include <unistd.h>

#include <kubist/util/fs.hpp>

using namespace kubist;
using namespace kubist::cli;

namespace {

const std::string k_rules =
    "contexts:\n  prod: {readOnly: true}\n  live: {confirm: true}\n  lab: {confirm: false}\n";

/// $KUBIST_CONFIG names a file with that text.
class LocalFile {
 public:
  explicit LocalFile(const std::string& text) {
    REQUIRE(util::write_file(path(), text));
    ::setenv("KUBIST_CONFIG", path().c_str(), 1);
  }
  ~LocalFile() { ::unsetenv("KUBIST_CONFIG"); }
  LocalFile(const LocalFile&) = delete;
  LocalFile& operator=(const LocalFile&) = delete;
  std::string path() const { return (m_folder.path() / "config.yaml").string(); }

 private:
  util::TempDir m_folder{"context-guard"};
};

http::Request a_write() {
  http::Request request;
  request.method = "POST";
  request.url = "https://me:secret@x:6443/api/v1/namespaces/a/pods";
  return request;
}

/// A person who answers so; counts the questions.
struct Person {
  std::optional<std::string> answer;
  int questions = 0;
  std::string question;
  ContextGuard::Ask ask() {
    return [this](const std::string& text) {
      ++questions;
      question = text;
      return answer;
    };
  }
};

}  // namespace

TEST_CASE("context guard: a read-only context names the request, the place and what to do") {
  const LocalFile file(k_rules);
  Person person{"prod"};
  for (const bool yes : {false, true}) {
    ContextGuard guard("prod", yes, person.ask());
    const auto refused = guard.may_write(a_write());
    REQUIRE(!refused);
    CHECK(refused.error().kind == util::ErrorKind::denied);
    const std::string text = refused.error().to_string();
    CHECK(text.find("POST https://") == 0);
    CHECK(text.find("x:6443/api/v1/namespaces/a/pods was not sent") != std::string::npos);
    CHECK(text.find(file.path() + ":2:10") != std::string::npos);
    CHECK(text.find("--dry-run=server") != std::string::npos);
    CHECK(text.find("secret") == std::string::npos);
  }
  CHECK(person.questions == 0);
}

TEST_CASE("context guard: a person confirms once by the context's name, --yes at once") {
  const LocalFile file(k_rules);
  Person person{"live"};
  ContextGuard guard("live", false, person.ask());
  CHECK(guard.may_write(a_write()));
  CHECK(guard.may_write(a_write()));
  CHECK(person.questions == 1);
  CHECK(person.question.find("x:6443.") != std::string::npos);
  CHECK(person.question.find("live") != std::string::npos);
  ContextGuard sure("live", true, person.ask());
  CHECK(sure.may_write(a_write()));
  CHECK(person.questions == 1);
}

TEST_CASE("context guard: another answer, and no terminal, are refusals for good") {
  const LocalFile file(k_rules);
  Person wrong{"yes"};
  ContextGuard guard("live", false, wrong.ask());
  CHECK(!guard.may_write(a_write()));
  wrong.answer = "live";
  CHECK(!guard.may_write(a_write()));
  CHECK(wrong.questions == 1);
  Person nobody{std::nullopt};
  ContextGuard silent("live", false, nobody.ask());
  const auto refused = silent.may_write(a_write());
  REQUIRE(!refused);
  CHECK(refused.error().kind == util::ErrorKind::denied);
  CHECK(refused.error().hint.find("--yes") != std::string::npos);
}

TEST_CASE("context guard: who stops the question stops the write") {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  REQUIRE(::write(pipe[1], " live \nno", 9) == 9);
  std::stop_source stop;
  CHECK(read_answer(pipe[0], stop.get_token()).value_or("") == "live");
  {
    const std::jthread person([&] { stop.request_stop(); });
    const auto stopped = read_answer(pipe[0], stop.get_token());  // no end of the line
    REQUIRE(!stopped);
    CHECK(stopped.error().kind == util::ErrorKind::cancelled);
  }
  REQUIRE(::write(pipe[1], "x", 1) == 1);
  ::close(pipe[1]);
  CHECK(read_answer(pipe[0], {}).value_or("").ends_with("x"));
  ::close(pipe[0]);
  const LocalFile file(k_rules);
  ContextGuard guard("live", false, [](const std::string&) {
    return util::fail(util::ErrorKind::cancelled, "stopped");
  });
  const auto refused = guard.may_write(a_write());
  REQUIRE(!refused);
  CHECK(refused.error().kind == util::ErrorKind::cancelled);
}

TEST_CASE("context guard: other contexts are free; a file that cannot be read refuses") {
  Person person{""};
  {
    const LocalFile file(k_rules);
    for (const char* context : {"lab", "elsewhere", ""}) {
      ContextGuard guard(context, false, person.ask());
      CHECK(guard.may_write(a_write()));
    }
  }
  const LocalFile broken("contexts: {prod: {readonly: true}}\n");
  ContextGuard guard("elsewhere", false, person.ask());
  const auto refused = guard.may_write(a_write());
  REQUIRE(!refused);
  CHECK(refused.error().to_string().find(broken.path()) != std::string::npos);
  CHECK(person.questions == 0);
}
