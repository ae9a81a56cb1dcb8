#include <filesystem>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/resources/source_file.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

using namespace kubist;
using namespace kubist::resources;
namespace fs = std::filesystem;

namespace {

std::string definition(const std::string& jsonnet, const std::string& kind = "PolicyDefinition") {
  return util::cat("apiVersion: kubist.io/v1alpha1\nkind: ", kind,
                   "\nmetadata: {name: team}\nspec: {runtime: {jsonnet: {", jsonnet, "}}}\n");
}

struct Folder {
  Folder() {
    fs::create_directory(path / "policies");
    REQUIRE(util::write_file(path / "secret", "function(list) 'secret'", 0644));
    REQUIRE(util::write_file(path / "policies/team.jsonnet", "function(list) list\n", 0644));
    fs::create_symlink(path / "secret", path / "policies/link.jsonnet");
  }
  ManifestSet read(const std::string& text) const {
    REQUIRE(util::write_file(path / "policies/team.yaml", text, 0644));
    return read_manifests({(path / "policies/team.yaml").string()}, {});
  }
  util::TempDir folder{"source-file"};
  fs::path path = folder.path();
};

}  // namespace

TEST_CASE("source file: the program beside a definition's file becomes its source") {
  const Folder folder;
  for (const char* kind : {"PolicyDefinition", "ClusterPolicyDefinition", "ExecutorDefinition"}) {
    const ManifestSet set = folder.read(definition("sourceFile: team.jsonnet", kind));
    REQUIRE(set.errors.empty());
    const data::Json& jsonnet =
        *data::find_path(set.manifests[0].object, {"spec", "runtime", "jsonnet"});
    CHECK(jsonnet == data::Json{{"source", "function(list) list\n"}});
  }
}

TEST_CASE(
    "source file: nothing is read from outside the folder of a manifest, or for other kinds") {
  const Folder folder;
  for (const auto& [jsonnet, word] :
       {std::pair{"sourceFile: ../secret", "is no .jsonnet or .libsonnet file below"},
        {"sourceFile: link.jsonnet", "is no .jsonnet or .libsonnet file below"},
        {"sourceFile: /etc/hostname", "is no .jsonnet or .libsonnet file below"},
        {"sourceFile: .hidden/x.jsonnet", "is no .jsonnet or .libsonnet file below"},
        {"sourceFile: team.yaml", "is no .jsonnet or .libsonnet file below"},
        {"sourceFile: nosuch.jsonnet", "nosuch.jsonnet"},
        {"sourceFile: team.jsonnet, source: x", "exclude each other"}}) {
    CAPTURE(jsonnet);
    const ManifestSet set = folder.read(definition(jsonnet));
    REQUIRE(set.errors.size() == 1);
    CHECK_MESSAGE(set.errors[0].to_string().find(word) != std::string::npos,
                  set.errors[0].to_string());
    CHECK(set.errors[0].pos.line == 4);
    CHECK(set.manifests.empty());
  }
  const ManifestSet other = folder.read(definition("sourceFile: team.jsonnet", "Project"));
  REQUIRE(other.manifests.size() == 1);
  CHECK(data::find_path(other.manifests[0].object, {"spec", "runtime", "jsonnet", "source"}) ==
        nullptr);
}

TEST_CASE("source file: a text in memory has none, though a file has its name") {
  const Folder folder;
  const std::string object = definition("sourceFile: team.jsonnet");
  REQUIRE(folder.read(object).errors.empty());
  for (const std::string& origin :
       {std::string("-"), (folder.path / "policies/team.yaml").string()}) {
    CAPTURE(origin);
    const ManifestSet text = read_manifest_text(object, origin);
    CHECK(text.manifests.empty());
    REQUIRE(text.errors.size() == 1);
    CHECK(text.errors[0].message.find("comes from no file") != std::string::npos);
    CHECK(text.errors[0].pos.origin == origin);
  }
}
