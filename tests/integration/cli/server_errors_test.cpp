// What a server answers is told by kubectl's words, which scripts search for.
#include <doctest/doctest.h>

#include "twins.hpp"

using namespace kubist;
using namespace kubist::testing;
using util::cat;

namespace {

std::string first_of(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The first line on stderr is the same, to the byte.
const std::vector<Words> k_answers{
    {"get", "configmap", "nosuch"},
    {"get", "configmap", "a", "nosuch", "-o", "name"},
    {"get", "-f", "FOLDER/nosuch.yaml"},
    {"get", "configmaps", "--as=jane"},
    {"get", "--raw", "/api/v1/namespaces/no-such-namespace"},
    {"describe", "configmap", "nosuch"},
    {"delete", "configmap", "nosuch"},
    {"delete", "configmap/nosuch"},
    {"delete", "configmap", "a", "--as=jane"},
    {"wait", "configmap/nosuch", "--for=condition=Ready", "--timeout=1s"},
    {"label", "configmap", "nosuch", "x=y"},
    {"label", "configmap", "a", "x=y", "--resource-version=1"},
    {"annotate", "configmap", "nosuch", "x=y"},
    {"edit", "configmap", "nosuch"},
    {"rollout", "status", "deployment/nosuch"},
    {"rollout", "restart", "deployment/nosuch"},
    {"events", "--as=jane"},
};

/// The same reason and the server's words, in a sentence of the program's own.
const std::vector<Words> k_told_otherwise{
    {"logs", "nosuch"},
    {"create", "configmap", "a"},
    {"create", "token", "nosuch"},
    {"get", "--raw", "/nosuch"},
    {"delete", "-f", "FOLDER/nosuch.yaml"},
    {"apply", "-f", "FOLDER/nosuch.yaml", "--as=jane"},
    {"diff", "-f", "FOLDER/nosuch.yaml", "--as=jane"},
};

void make_one_map(const Twins& twins) {
  twins.make({"create", "configmap", "a", "--from-literal=k=v"});
  twins.write("nosuch.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nosuch}\n");
}

}  // namespace

TEST_CASE("server errors: the same line by kubist and by kubectl") {
  const Twins twins("answers");
  make_one_map(twins);
  for (const Words& words : k_answers) {
    CAPTURE(util::join(words, " "));
    const Ran theirs = twins.ask("kubectl", words);
    const Ran ours = twins.ask("kubist", words);
    CHECK(first_of(theirs.err).starts_with("Error from server ("));
    CHECK(first_of(ours.err) == first_of(theirs.err));
    CHECK(ours.out == theirs.out);
    CHECK(ours.code != 0);
    CHECK(theirs.code != 0);
  }
}

TEST_CASE("server errors: where kubectl says more around it, the reason is there all the same") {
  const Twins twins("answers");
  make_one_map(twins);
  const char* reasons[] = {"(NotFound): pods \"nosuch\" not found",
                           "(AlreadyExists): configmaps \"a\" already exists",
                           "(NotFound): serviceaccounts \"nosuch\" not found",
                           "(NotFound): GET https://",
                           "configmaps \"nosuch\" not found",
                           "configmaps \"nosuch\" is forbidden: User \"jane\" cannot patch",
                           "configmaps \"nosuch\" is forbidden: User \"jane\" cannot patch"};
  REQUIRE(std::size(reasons) == k_told_otherwise.size());
  for (std::size_t i = 0; i < k_told_otherwise.size(); ++i) {
    CAPTURE(util::join(k_told_otherwise[i], " "));
    const Ran ours = twins.ask("kubist", k_told_otherwise[i]);
    CHECK_MESSAGE(ours.err.starts_with("Error from server ("), ours.err);
    CHECK_MESSAGE(ours.err.find(reasons[i]) != std::string::npos, ours.err);
    CHECK(twins.ask("kubectl", k_told_otherwise[i]).code != 0);
    CHECK(ours.code != 0);
  }
}

TEST_CASE("server errors: traces tell method and URL, errors do not") {
  const Twins twins("answers");
  const Words words{"get", "configmap", "nosuch"};
  CHECK(twins.ask("kubist", words).err ==
        "Error from server (NotFound): configmaps \"nosuch\" not found\n");
  Words traced = words;
  traced.push_back("-v6");
  const std::string err = twins.ask("kubist", traced).err;
  CHECK_MESSAGE(err.find("GET https://") != std::string::npos, err);
  CHECK_MESSAGE(err.find(" 404 in ") != std::string::npos, err);
}

TEST_CASE("server errors: of several objects those that are there go, and each other is named") {
  const Twins twins("answers");
  make_one_map(twins);
  twins.write("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
  const Words words{"delete", "-f", "FOLDER/nosuch.yaml,FOLDER/a.yaml"};
  twins.check_same(words);
  CHECK(twins.ask("kubist", {"get", "configmap", "a", "--ignore-not-found"}).out.empty());
  twins.check_equal({"get", "configmaps", "-o", "name"});
}
