#include <new>
#include <set>

#include <doctest/doctest.h>

#include <kubist/cli/complete.hpp>
#include <kubist/cli/help.hpp>
#include <kubist/cli/run.hpp>
#include <kubist/cli/sink.hpp>
#include <kubist/data/json.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "left_out.hpp"
#include "run_words.hpp"
#include "support/paths.hpp"

using namespace kubist::cli;
namespace paths = kubist::paths;
namespace util = kubist::util;
using kubist::testing::run_words;

namespace {

std::set<std::string> words_of(const Completion& completion) {
  std::set<std::string> words;
  for (const Candidate& candidate : completion.candidates) {
    words.insert(candidate.word);
  }
  return words;
}

std::vector<Candidate> fake_names(Completes what, const std::vector<std::string>&) {
  return what == Completes::namespaces ? std::vector<Candidate>{{"team-a", ""}, {"other", ""}}
                                       : std::vector<Candidate>{};
}

}  // namespace

TEST_CASE("run: help goes to stdout and ends with 0") {
  CHECK(run_words({"help"}).code == 0);
  CHECK(run_words({"help"}).out.find("version") != std::string::npos);
  CHECK(run_words({"version", "--help"}).out == run_words({"help", "version"}).out);
  CHECK(run_words({}).code == 0);
}

TEST_CASE("run: unknown commands are usage errors with a suggestion, nothing on stdout") {
  const auto ran = run_words({"verison"});
  CHECK(ran.code == 64);
  CHECK(ran.out.empty());
  CHECK(ran.err.find("did you mean \"version\"?") != std::string::npos);
}

TEST_CASE("run: what kubist leaves out is a usage error that names kubectl's command") {
  const std::string page =
      util::read_file(paths::source_dir() + "/docs/reference/kubectl.md").value_or("no page");
  CHECK(commands_left_out().size() > 40);
  for (const std::string_view path : commands_left_out()) {
    CAPTURE(path);
    auto words = util::split(path, ' ');
    words.insert(words.end(), {"x", "--replicas=1"});
    const auto ran = run_words(words);
    CHECK(ran.code == 64);
    CHECK(ran.out.empty());
    CHECK(ran.err.find(util::cat("unknown command \"", path, '"')) != std::string::npos);
    CHECK(ran.err.find(util::cat("'kubectl ", path, "'")) != std::string::npos);
    CHECK(find_command(util::split(path, ' ')) == nullptr);
    CHECK_MESSAGE(page.find(util::cat('`', path, '`')) != std::string::npos, "the page has it not");
  }
  CHECK(words_left_out().size() > 20);
  for (const WordLeftOut& left : words_left_out()) {
    const std::string path(left.path.empty() ? "get" : left.path);
    CAPTURE(left.word);
    auto words = util::split(path, ' ');
    words.emplace_back(left.word);
    const auto ran = run_words(words);
    CHECK(ran.code == 64);
    CHECK_MESSAGE(
        ran.err.find(util::cat("'kubectl ", path, ' ', left.word, "'")) != std::string::npos,
        ran.err);
    const std::string whole = util::cat('`', path, ' ', left.word, '`');
    CHECK((page.find(util::cat('`', left.word, '`')) != std::string::npos ||
           page.find(whole) != std::string::npos));
  }
  for (const std::string output : {"template", "templatefile=x", "go-template-file=x"}) {
    CHECK(run_words({"get", "pods", "-o", output}).err.find("kubectl get -o go-template") !=
          std::string::npos);
  }
  CHECK(run_words({"get", "pods", "-o", "kyaml"}).err.find("kubectl get -o kyaml") !=
        std::string::npos);
  CHECK(run_words({"explain", "pods", "--output=plaintext-openapiv2"})
            .err.find("kubectl explain --output=plaintext-openapiv2") != std::string::npos);
  CHECK(run_words({"get", "pods", "--template=x"}).err.find("go-template") != std::string::npos);
  CHECK(run_words({"apply", "-k", "x"}).err.find("kubectl kustomize") != std::string::npos);
  CHECK(run_words({"apply", "--kustomize=x"}).code == 64);
  CHECK(run_words({"create", "-f", "x.yaml"}).code == 64);
  CHECK(run_words({"create", "-f", "x.yaml"}).err.find("kubist apply -f") != std::string::npos);
  const auto go = run_words({"get", "pods", "-o", "go-template={{.x}}"});
  CHECK(go.code == 64);
  CHECK(go.err.find("kubectl get -o go-template") != std::string::npos);
}

TEST_CASE("run: --version prints this program's version and asks no cluster") {
  const auto ran = run_words({"--version"});
  CHECK(ran.code == 0);
  CHECK(ran.out == run_words({"version", "--client"}).out);
  CHECK(ran.out.starts_with("Client Version: v"));
  CHECK(run_words({"-v", "6", "--version"}).out == ran.out);
  const auto flag = run_words({"--verison"});
  CHECK(flag.code == 64);
  CHECK(flag.out.empty());
}

TEST_CASE("run: the help of a group names its commands; the group alone is a usage error") {
  const auto asked = run_words({"help", "policy"});
  CHECK(asked.code == 0);
  CHECK(asked.err.empty());
  CHECK(asked.out.find("\n  policy trace") != std::string::npos);
  CHECK(asked.out.find("\n  get") == std::string::npos);
  CHECK(run_words({"policy", "--help"}).out == asked.out);
  CHECK(run_words({"policy", "--help"}).code == 0);
  CHECK(run_words({"help", "deployitem", "state"}).out.find("deployitem state ls") !=
        std::string::npos);
  const auto bare = run_words({"policy"});
  CHECK(bare.code == 64);
  CHECK(bare.out.empty());
  CHECK(bare.err.starts_with("error: 'kubist policy' needs a command\n"));
  CHECK(bare.err.find(asked.out) != std::string::npos);
  CHECK(run_words({"policy", "lsit"}).err.find("did you mean \"list\"?") != std::string::npos);
}

TEST_CASE("run: wrong flags end with 64") { CHECK(run_words({"version", "--no-such"}).code == 64); }

TEST_CASE("records: every command is complete and no flag is named twice") {
  for (const CommandSpec& spec : commands()) {
    CAPTURE(spec.path);
    CHECK((spec.run != nullptr));
    CHECK_FALSE(spec.summary.empty());
    if (!spec.hidden) {
      CHECK_FALSE(spec.group.empty());
      CHECK_FALSE(spec.examples.empty());
    }
    std::set<std::string_view> names;
    std::set<char> letters;
    for (const std::vector<Flag>* flags : {&spec.flags, &global_flags()}) {
      for (const Flag& flag : *flags) {
        CAPTURE(flag.name);
        CHECK(names.insert(flag.name).second);
        CHECK((flag.letter == 0 || letters.insert(flag.letter).second));
        CHECK((flag.kind != FlagKind::optional || !flag.bare.empty()));
      }
    }
  }
}

TEST_CASE("complete: commands, flags, values of flags") {
  CHECK(words_of(complete({"vers"}, fake_names)) == std::set<std::string>{"version"});
  CHECK(words_of(complete({"version", "--cli"}, fake_names)).contains("--client"));
  CHECK(words_of(complete({"version", "-n", "te"}, fake_names)) == std::set<std::string>{"team-a"});
  CHECK(words_of(complete({"version", "--namespace=te"}, fake_names)) ==
        std::set<std::string>{"--namespace=team-a"});
  CHECK(words_of(complete({"version", "--color", "a"}, fake_names)) ==
        std::set<std::string>{"auto", "always"});
  CHECK(complete({"version", "--kubeconfig", ""}, fake_names).files);
}

TEST_CASE("complete: global flags before the command, help, and what stands behind --") {
  CHECK(words_of(complete({"-n", "team-a", "vers"}, fake_names)) ==
        std::set<std::string>{"version"});
  CHECK(words_of(complete({"-n", "te"}, fake_names)) == std::set<std::string>{"team-a"});
  CHECK(words_of(complete({"help", "deployitem", "lo"}, fake_names)) ==
        std::set<std::string>{"logs"});
  CHECK(words_of(complete({"completion", "b"}, fake_names)) == std::set<std::string>{"bash"});
  CHECK(words_of(complete({"version", "--", "--cli"}, fake_names)).empty());
}

TEST_CASE("complete: names are asked for with global flags behind the command") {
  std::vector<std::string> asked;
  const auto names = [&](Completes what,
                         const std::vector<std::string>& words) -> std::vector<Candidate> {
    CHECK((what == Completes::resource_names));
    asked = words;
    return {};
  };
  complete({"-n", "team", "get", "pods", "we"}, names);
  CHECK(asked == std::vector<std::string>{"get", "-n", "team", "pods", "we"});
}

TEST_CASE("dump: one record with every visible command; man pages name it") {
  const auto json = kubist::data::Json::parse(dump());
  CHECK(json.is_object());
  std::size_t visible = 0;
  for (const CommandSpec& spec : commands()) {
    visible += spec.hidden ? 0 : 1;
    CHECK(man_page(&spec).find(".SH NAME") != std::string::npos);
  }
  CHECK(json.at("commands").size() == visible);
}

TEST_CASE("run: what a command throws is an error with exit code 1") {
  struct Broken : Sink {
    void write(std::string_view) override { throw std::bad_alloc(); }
    void steer(std::string_view) override {}
  };
  Broken out;
  StringSink err;
  CHECK(kubist::cli::run({"version", "--client"}, out, err) == 1);
  CHECK(err.text().find("internal error: std::bad_alloc") != std::string::npos);
}
