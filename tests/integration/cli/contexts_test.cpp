// Several contexts at once, and what the local file says of writes by them.
#include "contexts.hpp"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>
#include <unistd.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/random.hpp>

#include "support/variable.hpp"

using namespace kubist;
using namespace kubist::testing;
using data::Json;
using util::cat;

namespace {

/// The first words of each line but empty ones.
std::vector<std::vector<std::string>> first_words(const std::string& text, std::size_t count) {
  std::vector<std::vector<std::string>> lines;
  for (const std::string& line : util::split(text, '\n')) {
    std::vector<std::string> words;
    for (const std::string& word : util::split(line, ' ')) {
      if (!word.empty() && words.size() < count) {
        words.push_back(word);
      }
    }
    if (!words.empty()) {
      lines.push_back(std::move(words));
    }
  }
  return lines;
}

using Words = std::vector<std::string>;
using Lines = std::vector<std::vector<std::string>>;

}  // namespace

TEST_CASE("contexts: one table of several clusters; who does not answer is an error beside it") {
  const Contexts contexts({{"here", "home"}, {"there", "target1"}, {"gone", "nobody"}});
  const Ran both =
      contexts.kubist({"get", "namespaces", "kube-system", "default", "--contexts", "there,here"});
  CHECK_MESSAGE(both.code == 0, both.err);
  CHECK(first_words(both.out, 2) == Lines{{"CONTEXT", "NAME"},
                                          {"there", "kube-system"},
                                          {"there", "default"},
                                          {"here", "kube-system"},
                                          {"here", "default"}});
  const Ran sorted = contexts.kubist({"get", "namespaces", "kube-system", "default", "--contexts",
                                      "there,here", "--sort-by", ".metadata.name"});
  CHECK(first_words(sorted.out, 2)[1] == std::vector<std::string>{"there", "default"});
  CHECK(first_words(sorted.out, 2)[4] == std::vector<std::string>{"here", "kube-system"});
  const Ran some =
      contexts.kubist({"get", "namespaces", "kube-system", "--contexts", "*", "--no-headers"});
  CHECK(some.code == 1);
  CHECK(first_words(some.out, 2) == Lines{{"here", "kube-system"}, {"there", "kube-system"}});
  CHECK_MESSAGE(some.err.find("context gone: ") != std::string::npos, some.err);
  CHECK(some.err.find("https://10.77.0.2:1") != std::string::npos);
  const Ran lists = contexts.kubist({"deployitem", "list", "-A", "--contexts", "gone"});
  CHECK(lists.code == 1);
  CHECK(lists.out.empty());
}

TEST_CASE("contexts: objects say where they are; each is what one context gives") {
  const Contexts contexts({{"here", "home"}, {"there", "target1"}});
  const Words words{"get", "namespaces", "kube-system", "-o", "json"};
  Words several = words;
  several.insert(several.end(), {"--contexts", "here", "--contexts", "there"});
  const Ran ran = contexts.kubist(several);
  REQUIRE_MESSAGE(ran.code == 0, ran.err);
  Json list = Json::parse(ran.out);
  REQUIRE(list["items"].size() == 2);
  for (const auto& [at, name] : {std::pair{0, "here"}, {1, "there"}}) {
    Words one = words;
    one.insert(one.end(), {"--context", name});
    Json& item = list["items"][static_cast<std::size_t>(at)];
    CHECK(item["metadata"]["annotations"]["kubist.io/context"] == name);
    item["metadata"].erase("annotations");
    CHECK(item == Json::parse(contexts.kubectl(one).out));
  }
  const Ran me = contexts.kubist({"auth", "whoami", "--contexts", "here,there", "-o",
                                  "jsonpath={.contexts[*].review.status.userInfo.username}"});
  CHECK_MESSAGE(me.code == 0, me.err);
  CHECK(first_words(me.out, 9)[0].size() == 2);
  CHECK(first_words(contexts.kubist({"auth", "whoami", "--contexts", "there"}).out, 2)[1] ==
        std::vector<std::string>{"there", "Username"});
}

TEST_CASE("contexts: events and the check of Istio of several clusters, each by its name") {
  const Contexts contexts({{"here", "home"}, {"there", "target1"}, {"gone", "nobody"}});
  const std::string name = cat("told-", util::random_suffix(6));
  const util::TempDir folder("events");
  const std::string file = (folder.path() / "event.json").string();
  for (const char* context : {"here", "there"}) {
    const Json event{
        {"apiVersion", "v1"},
        {"kind", "Event"},
        {"metadata", {{"name", name}, {"namespace", "default"}}},
        {"involvedObject", {{"kind", "ConfigMap"}, {"name", name}, {"namespace", "default"}}},
        {"type", "Warning"},
        {"reason", "Told"},
        {"message", context}};
    REQUIRE(util::write_file(file, event.dump()));
    REQUIRE(contexts.kubectl({"create", "-f", file, "--context", context}).code == 0);
  }
  const Words words{"events", "--for", cat("configmap/", name), "-n", "default", "--contexts"};
  const auto events = [&](Words more) {
    more.insert(more.begin(), words.begin(), words.end());
    return contexts.kubist(more);
  };
  const Ran table = events({"here,there"});
  REQUIRE_MESSAGE(table.code == 0, table.err);
  const auto lines = first_words(table.out, 1);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0][0] == "CONTEXT");
  CHECK(std::set<std::string>{lines[1][0], lines[2][0]} == std::set<std::string>{"here", "there"});
  const Json list = Json::parse(events({"there,gone", "-o", "json"}).out);
  REQUIRE(list["items"].size() == 1);
  CHECK(list["items"][0]["metadata"]["annotations"]["kubist.io/context"] == "there");
  CHECK(events({"gone"}).code == 1);
  CHECK(events({"here", "--watch"}).code == 64);

  const Ran istio = contexts.kubist({"istio", "check", "--contexts", "here,there"});
  CHECK(istio.code == 3);
  CHECK_MESSAGE(istio.out.find("Istio on here: ") != std::string::npos, istio.out);
  CHECK_MESSAGE(istio.out.find("Istio on there: ") != std::string::npos, istio.out);
  const Ran json = contexts.kubist({"istio", "check", "--contexts", "here,there", "-o", "json"});
  const Json reports = Json::parse(json.out);
  REQUIRE(reports["contexts"].size() == 2);
  CHECK(reports["contexts"][1]["context"] == "there");
  CHECK(data::string_at(reports["contexts"][1], {"report", "verdict"}) != "");
  CHECK(contexts.kubist({"istio", "check", "--contexts", "gone"}).code == 1);
}

TEST_CASE("contexts: what cannot be asked of several is a usage error") {
  const Contexts contexts({{"here", "home"}, {"there", "target1"}});
  for (const Words& words :
       std::vector<Words>{{"get", "pods", "-w", "--contexts", "here,there"},
                          {"get", "pods", "-o", "name", "--contexts", "here,there"},
                          {"get", "pods", "--contexts", "here", "--context", "there"},
                          {"get", "pods", "--contexts", "here", "--token", "t0ken"},
                          {"get", "pods", "--contexts", ","},
                          {"get", "--raw", "/version", "--contexts", "here"},
                          {"get", "applications", "--contexts", "here"}}) {
    CAPTURE(util::join(words, " "));
    const Ran ran = contexts.kubist(words);
    CHECK(ran.code == 64);
    CHECK(ran.out.empty());
    CHECK(ran.err.find("t0ken") == std::string::npos);
  }
  const Ran unknown = contexts.kubist({"get", "pods", "--contexts", "here,nosuch"});
  CHECK(unknown.code == 1);
  CHECK_MESSAGE(unknown.err.find("nosuch") != std::string::npos, unknown.err);
}

TEST_CASE("guards: a read-only context lets nothing through but reads and dry runs") {
  const Contexts contexts({{"open", "home"}, {"prod", "home"}, {"live", "home"}});
  const util::TempDir folder("guards");
  const std::string file = (folder.path() / "config.yaml").string();
  REQUIRE(util::write_file(file,
                           "contexts:\n  prod:\n    readOnly: true\n  live:\n    confirm: true\n"));
  const Variable config("KUBIST_CONFIG", file);
  const std::string ns = cat("guards-", ::getpid());
  REQUIRE(contexts.kubist({"create", "configmap", "before", "-n", "default", "--dry-run=server"})
              .code == 0);
  REQUIRE(contexts.kubectl({"create", "namespace", ns}).code == 0);
  REQUIRE(contexts.kubist({"create", "configmap", "a", "-n", ns}).code == 0);
  const auto state = [&] {
    return contexts
        .kubectl({"get", "configmaps,secrets,serviceaccounts", "-n", ns, "-o",
                  "jsonpath={.items[*].metadata.resourceVersion}"})
        .out;
  };
  const std::string before = state();
  const std::string manifest = (folder.path() / "b.yaml").string();
  REQUIRE(util::write_file(manifest,
                           "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {k: v}\n"));
  const std::vector<Words> writes{
      {"create", "configmap", "b"},    {"create", "token", "default"},
      {"label", "configmap/a", "x=y"}, {"annotate", "configmap/a", "x=y"},
      {"apply", "-f", manifest},       {"delete", "configmap", "a"}};
  for (const Words& words : writes) {
    CAPTURE(util::join(words, " "));
    for (const char* context : {"prod", "live"}) {
      Words all = words;
      all.insert(all.end(), {"-n", ns, "--context", context});
      const Ran ran = contexts.kubist(all);
      CHECK_MESSAGE(ran.code == 5, ran.err);
      const std::string place = cat(file, *context == 'p' ? ":3:5" : ":5:5");
      CHECK_MESSAGE(ran.err.find(place) != std::string::npos, ran.err);
    }
  }
  CHECK(state() == before);
  for (const Words& words : std::vector<Words>{{"get", "configmap", "a"},
                                               {"auth", "can-i", "delete", "configmaps"},
                                               {"apply", "-f", manifest, "--dry-run=server"},
                                               {"delete", "configmap", "a", "--dry-run=server"},
                                               {"create", "cm", "b", "--dry-run=server"}}) {
    CAPTURE(util::join(words, " "));
    Words all = words;
    all.insert(all.end(), {"-n", ns, "--context", "prod"});
    const Ran ran = contexts.kubist(all);
    CHECK_MESSAGE(ran.code == 0, ran.err);
  }
  CHECK(state() == before);
  CHECK(contexts.kubist({"label", "cm/a", "x=y", "-n", ns, "--context", "live", "--yes"}).code ==
        0);
  CHECK(state() != before);
  contexts.kubectl({"delete", "namespace", ns, "--wait=false"});
}
