// Where scripts read what kubist says, it says what kubectl says: the same words on equal objects,
// by both programs.
#include <algorithm>

#include <doctest/doctest.h>

#include <kubist/data/json.hpp>
#include <kubist/util/text.hpp>

#include "twins.hpp"

using namespace kubist;
using namespace kubist::testing;
using util::cat;

namespace {

/// ConfigMaps for each of the two, and files of two more.
void make_maps(const Twins& twins) {
  for (const char* name : {"a", "b"}) {
    twins.make({"create", "configmap", name, "--from-literal=k=v"});
  }
  twins.make({"label", "configmap", "b", "app=x"});
  for (const char* name : {"c", "d"}) {
    twins.write(cat(name, ".yaml"),
                cat("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ", name, "}\n"));
  }
}

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
    {"wait", "configmap", "-l", "app=x", "--for=create", "--timeout=5s"},
    {"wait", "configmap/b", "--for=jsonpath={.data}", "--timeout=5s"},
    {"wait", "configmap/b", "--for=jsonpath={.metadata.managedFields}=v", "--timeout=5s"},
    {"delete", "configmaps", "-l", "no=match", "-A"},
    {"delete", "configmaps", "a", "nosuch", "--ignore-not-found", "-o", "name"},
    {"apply", "-l", "no=match", "-f", "FOLDER"},
    {"apply", "-f", "FOLDER/c.yaml,FOLDER/d.yaml"},
    {"apply", "-f", "FOLDER/*.yaml"},
    {"get", "-f", "FOLDER/c.yaml,FOLDER/d.yaml", "-o", "name"},
    {"get", "configmap", "b", "-o", "name", "--request-timeout=5"},
    {"get", "configmap", "b", "-o", "name", "-w", "--request-timeout=5s"},
    {"events", "--types=Bogus"},
};

}  // namespace

TEST_CASE("words: the same commands say the same by kubist and by kubectl") {
  const Twins twins("words");
  make_maps(twins);
  for (const Words& words : k_words) {
    twins.check_same(words);
  }
}

TEST_CASE("words: events of a watch are lines of JSON, each with the object's kind") {
  const Twins twins("words");
  make_maps(twins);
  const Ran ours = twins.ask("kubist", {"get", "configmaps", "-w", "-o", "json",
                                        "--output-watch-events", "--request-timeout=10s"});
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
