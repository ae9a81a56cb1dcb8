// `config` reads and writes kubeconfigs as kubectl's does.
#include <doctest/doctest.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "both.hpp"

using namespace kubist;
using namespace kubist::testing;
using util::cat;

namespace {

using Words = std::vector<std::string>;

const std::string k_config = R"(apiVersion: v1
kind: Config
clusters:
- name: c1
  cluster: {server: "https://x:1", certificate-authority-data: YWJj}
users:
- name: u1
  user: {token: hunter2, client-key-data: a2V5, client-certificate-data: Y2VydA==, password: pw, username: me}
contexts:
- name: a
  context: {cluster: c1, user: u1, namespace: n1}
- name: b
  context: {cluster: c1, user: u1}
current-context: a
preferences: {}
)";

/// In their order: each finds what those before left.
const std::vector<Words> k_config_words{
    {"config", "view"},
    {"config", "view", "--raw"},
    {"config", "view", "-o", "jsonpath={.users[*].user.token}"},
    {"config", "view", "--raw", "-o", "jsonpath={.users[*].user.token}"},
    {"config", "view", "--minify"},
    {"config", "view", "--minify", "--context=b"},
    {"config", "view", "--minify", "--context=nosuch"},
    {"config", "current-context"},
    {"config", "get-contexts"},
    {"config", "get-contexts", "--no-headers"},
    {"config", "get-contexts", "b", "-o", "name"},
    {"config", "set-context", "a", "--namespace=n2"},
    {"config", "set-context", "--current", "--namespace=n3"},
    {"config", "set-context", "new", "--cluster=c1", "--user=u1", "--namespace=x"},
    {"config", "set-context", "new", "--namespace="},
    {"config", "set-context", "new"},
    {"config", "set-context", "bare"},
    {"config", "set-context", "elsewhere", "--cluster=nosuch"},
    {"config", "set-context"},
    {"config", "set-context", "--current", "a"},
    {"config", "set-context", "a", "b"},
    {"config", "view"},
    {"config", "get-contexts", "-o", "name"},
    {"config", "use-context", "new"},
    {"config", "current-context"},
    {"config", "use-context", "nosuch"},
    {"config", "use", "new"},
    {"config", "use-context"},
    {"config", "set-context", "--current", "--user=u2"},
    {"config", "view", "--raw"},
};

/// Says the same by both, each on its own copy of the file.
class Kubeconfigs {
 public:
  explicit Kubeconfigs(const std::string& text) {
    for (const char* who : {"kubectl", "kubist"}) {
      REQUIRE(util::write_file(file(who), text));
    }
  }
  std::string file(const std::string& who) const { return (m_folder.path() / who).string(); }
  void check_same(Words words) const {
    CAPTURE(util::join(words, " "));
    words.insert(words.end(), {"--kubeconfig", ""});
    words.back() = file("kubectl");
    const Ran theirs = kubectl(words);
    words.back() = file("kubist");
    const Ran ours = run_kubist(words);
    // Where its words are wrong, kubectl explains itself on stdout.
    CHECK_MESSAGE(ours.out == (theirs.code == 0 ? theirs.out : ""), ours.err, theirs.err);
    CHECK_MESSAGE((ours.code == 0) == (theirs.code == 0), ours.err, theirs.err);
  }

 private:
  util::TempDir m_folder{"kubeconfigs"};
};

}  // namespace

TEST_CASE("config: what is said and written is what kubectl says and writes") {
  const Kubeconfigs files(k_config);
  for (const Words& words : k_config_words) {
    files.check_same(words);
  }
  // Each reads what the other wrote.
  const Ran theirs = kubectl({"config", "view", "--raw", "--kubeconfig", files.file("kubist")});
  CHECK(theirs.out ==
        kubectl({"config", "view", "--raw", "--kubeconfig", files.file("kubectl")}).out);
  const Ran masked = run_kubist({"config", "view", "--kubeconfig", files.file("kubist")});
  for (const char* secret : {"hunter2", "pw", "a2V5", "Y2VydA=="}) {
    CHECK(masked.out.find(secret) == std::string::npos);
  }
}

TEST_CASE("config: without a current context, and into a file that is not there") {
  const Kubeconfigs files("apiVersion: v1\nkind: Config\n");
  files.check_same({"config", "current-context"});
  files.check_same({"config", "set-context", "--current", "--namespace=x"});
  files.check_same({"config", "view", "--minify"});
  const Kubeconfigs commented(
      "# mine\nkind: Config\ncontexts:\n- context:\n    user: u\n  name: a\n"
      "unknown: 1  # kept\n");
  const std::string kept = commented.file("kubist");
  CHECK(run_kubist({"config", "set-context", "a", "--namespace=x", "--kubeconfig", kept}).code ==
        0);
  const std::string text = util::read_file(kept).value();
  CHECK_MESSAGE(text.find("namespace: x\n") != std::string::npos, text);
  CHECK_MESSAGE(text.starts_with("# mine\n"), text);
  CHECK_MESSAGE(text.ends_with("unknown: 1  # kept\n"), text);
  const util::TempDir folder("kubeconfigs");
  const std::string file = (folder.path() / "new" / "config").string();
  const Ran made = run_kubist({"config", "set-context", "a", "--cluster=c", "--kubeconfig", file});
  CHECK_MESSAGE(made.code == 0, made.err);
  CHECK(kubectl({"config", "get-contexts", "-o", "name", "--kubeconfig", file}).out == "a\n");
}
